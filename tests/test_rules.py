"""Which of several rules fires on a request."""

from typing import Any

import pytest
from account import Client, content_of, examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mock_server.control import Refused

SPECIAL: dict[str, Any] = {"question": "refund"}


@pytest.fixture
def default(client: Client) -> None:
    """What an autouse fixture of a project may set."""
    client.control.reply("Default.")
    client.control.respond("listV2", json="default")


@pytest.fixture
def block(client: Client) -> Any:
    """What an autouse fixture of a project may set, and take back."""
    with client.control.fault("error", operation="updateHistory", status=500) as fault:
        yield fault


def answer(client: Client, question: str = "Hi") -> Any:
    return content_of(client.complete(question, "owner"))


def test_a_test_overrides_a_default(client, default):
    client.control.reply("Own.")
    client.control.respond("listV2", json="own")
    assert (answer(client), client.page().json()) == ("Own.", "own")
    client.control.reply("Later.")
    assert answer(client) == "Later."


def test_what_has_times_comes_first_and_in_the_order_of_adding(client, default):
    client.control.reply("One.", times=1)
    client.control.reply("Own.")
    client.control.reply("Two.", times=1)
    assert [answer(client) for _ in range(3)] == ["One.", "Two.", "Own."]


@pytest.mark.parametrize("order", [1, -1])
def test_a_special_reply_wins_before_and_after_a_general_one(client, default, order):
    for match in [None, SPECIAL][::order]:
        client.control.reply("Special." if match else "General.", match=match)
    assert (answer(client, "A refund!"), answer(client)) == ("Special.", "General.")


def test_an_inner_block_wins_and_the_outer_one_is_back(client, block):
    with client.control.fault("error", status=501):
        with client.control.fault("error", status=502):
            assert client.statuses(2) == [502, 502]
        assert client.statuses(2) == [501, 501]
    client.control.fault("error", status=503)
    assert client.statuses(3) == [503, 500, 500]


def test_a_fault_overrides_a_preset(client):
    client.control.fault(preset="rate-limited")
    with client.control.fault("error", match={"key": "owner"}):
        assert client.statuses(12) == [503] * 12
    with client.control.fault("error"):
        assert client.statuses(1) == [503]


@pytest.mark.parametrize("name", ["flaky", "offline"])
def test_a_preset_lasts_until_a_reset(client, name):
    client.control.fault(preset=name)
    assert {it["remaining"] for it in client.control.rules} == {None}


# A model of the order

KINDS = {"answer": {"operation": "completions"}, "reply": {}}
special = st.booleans()
added = st.lists(st.tuples(special, st.sampled_from([None, 1, 2])), max_size=5)
declared = st.lists(st.tuples(special, st.just(None)), max_size=3)


def text_of(kind: str, name: str) -> dict[str, Any]:
    return (
        {"text": name}
        if kind == "reply"
        else {"json": {"choices": [{"message": {"content": name}}]}}
    )


def winner(rules: list[dict[str, Any]], is_special: bool, kind: str) -> dict[str, Any] | None:
    """The rule that fires on a question, special or not."""
    fitting = [it for it in rules if it["left"] != 0 and (is_special or not it["special"])]
    counted = [it for it in fitting if it["left"] is not None]
    lasting = [it for it in fitting if it["left"] is None and not it["declared"]]
    own = [it for it in lasting if it["special"]] or lasting
    of_fixture = [it for it in fitting if it["declared"]]
    # The replies of a fixture without conditions take turns.
    if kind == "reply":
        of_fixture = [it for it in of_fixture if it["special"]] + sorted(
            [it for it in of_fixture if not it["special"]], key=lambda it: it["fired"]
        )
    return next(iter([*counted, *own[::-1], *of_fixture]), None)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(25), deadline=None)
@given(declared=declared, added=added, asked=st.lists(special, min_size=1, max_size=6))
def test_the_rule_that_fires_is_that_of_the_model(local, kind, declared, added, asked):
    rules = []
    for number, (is_special, times) in enumerate([*declared, *added]):
        rules.append({"name": f"r{number}", "special": is_special, "left": times, "fired": 0})
        rules[-1] |= {"declared": number < len(declared)}
    fields = [
        text_of(kind, it["name"]) | {"match": SPECIAL if it["special"] else {}} for it in rules
    ]
    written = fields[: len(declared)]
    replies = {"replies": written} if kind == "reply" else {}
    answers = [] if kind == "reply" else [it | KINDS[kind] for it in written]
    local.admin("PUT", "/state", {"apps": [{"id": "app"} | replies], "answers": answers})
    for rule, own in list(zip(rules, fields, strict=True))[len(declared) :]:
        local.add(kind, **own, **KINDS[kind], times=rule["left"])
    for is_special in asked:
        question = "A refund?" if is_special else "Hi?"
        won = winner(rules, is_special, kind)
        assert answer(local, question) == (won["name"] if won else question)
        if won:
            won["fired"] += 1
            won["left"] = won["left"] and won["left"] - 1


def test_no_rule_gets_the_id_of_an_earlier_one(client):
    old = client.control.fault("error")
    again = client.control.fault("error", probability=0.5, times=None)
    drawn = [client.page().status_code for _ in range(9)]
    again.remove()
    with pytest.raises(Refused, match=rf"got '{again.id}' \(already removed\)"):
        again.remove()
    client.control.reset()
    ids = [
        client.control.fault("error", **it).id for it in ({}, {"probability": 0.5, "times": None})
    ]
    assert not {old.id, again.id} & {*ids} and old.missed is None
    for use in (old.remove, again.remove, lambda: old.fired):
        with pytest.raises(Refused, match=r"got 'f[0-9]+' \(forgotten by the reset\)"):
            use()
    assert [client.page().status_code for _ in range(9)] == drawn
    with pytest.raises(Refused, match=r"got 'f999999' \(known: f"):
        client.control.call("GET", "/rules/f999999")

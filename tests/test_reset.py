"""A reset brings back everything: every table of a sandbox is filled, reset, and compared."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from account import ACCOUNTS, COMPLETIONS, LIST, bearer
from msgspec.structs import asdict

from mock_server import MockServer
from mock_server.sandbox import State
from mock_server.timing.signals import Signal

DOCUMENT = {"apps": [{"id": "a", "chats": [{"chatId": "c"}], "replies": ["Hello."]}]}
DOCUMENT |= {"datasets": [{"id": "d", "collections": [{"_id": "x", "name": "X"}]}]}
DOCUMENT |= {"faults": [{"kind": "error", "operation": "preLogin", "times": 1}]}


def tables(state: State) -> dict[str, Any]:
    """All that a reset has to bring back, by name, in values that can be compared."""
    plain = {name: getattr(state, name) for name in State.__struct_fields__}
    plain |= asdict(plain.pop("moment"))
    plain["declared_rules"] = plain.pop("declared")
    plain["generating_chats"] = {*plain["generating_chats"]}
    rules = {**vars(plain.pop("rules"))}
    # Ids of rules go on after a reset.
    rules["next_number"] -= rules.pop("first_number")
    journal = vars(plain.pop("journal"))
    mutable = {name: it for name, it in (rules | journal).items() if not isinstance(it, Signal)}
    return plain | {name: shown(it) for name, it in mutable.items()}


def shown(table: Any) -> Any:
    if isinstance(table, int):
        return table
    return [(getattr(it, "id", it), getattr(it, "fired", 0)) for it in table]


@contextmanager
def filled(server: MockServer) -> Iterator[dict[str, Any]]:
    """Change something in each table, and give all of them."""
    headers = bearer(server.key)
    server.put_app({"id": "b", "replies": ["Hi."]})
    server.choices["list_order"] = "name"
    server.call("PUT", "/choices", {"profile": "fastgpt-4.16"})
    server.clock.advance(60)
    server.reply(parts=["One ", {"pauseMs": 60_000}], times=1)
    server.reply("Bye.", times=1)
    server.respond("app.detail", data=1, times=1)
    server.hits([])
    server.fault("error", operation="listV2")
    server.fault("error", operation="updateHistory", times=2)
    body = {"offset": 0, "datasetId": "d", "more": "x" * 9000}
    assert server.http.post(LIST, json=body, headers=headers).status_code == 503
    server.http.get(f"{ACCOUNTS}/preLogin?username=x")
    # It would take 10,000 calls until entries are dropped.
    server.application.state.sandboxes.default.state.journal.dropped_violations["unknown_route"][
        "refused"
    ] = 1
    assert server.rules  # to read them takes what is over out of force
    asked = {"appId": "a", "stream": True, "messages": [{"role": "user", "content": "x"}]}
    with server.http.stream("POST", COMPLETIONS, json=asked, headers=headers):
        yield tables(server.application.state.sandboxes.default.state)


def test_a_reset_brings_back_every_table():
    with MockServer(DOCUMENT) as server, MockServer(DOCUMENT) as new:
        fresh = tables(new.application.state.sandboxes.default.state)
        with filled(server) as changed:
            same = [name for name in fresh if changed[name] == fresh[name]]
            assert same == [], "fill these tables, too"
            server.reset()
            assert tables(server.application.state.sandboxes.default.state) == fresh


def test_a_restore_brings_back_data_declared_rules_clock_and_choices_alone():
    with MockServer(DOCUMENT) as server:
        before = tables(server.application.state.sandboxes.default.state)
        name = server.snapshot()
        with filled(server) as changed:
            server.restore(name)
            after = tables(server.application.state.sandboxes.default.state)
        restored = {name for name in after if after[name] != changed[name]}
        # Nobody waits for a reply in a chat as it was.
        moment = {"store", "choices", "profile", "clock", "declared_rules"}
        assert moment | {"generating_chats", "declared"} <= restored
        assert restored - moment <= {"generating_chats", "declared", "_in_order"}
        assert all(
            after[name] == before[name] for name in moment | {"generating_chats", "declared"}
        )

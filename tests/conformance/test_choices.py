"""What `verify` says of our own server: each value of each choice, by its name."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mock_server import MockServer
from mock_server.domain.choices.choosing import choose
from mock_server.domain.choices.table import Value, table
from mock_server.service.conformance.report import PROBES, RULES
from tests.conformance.world import DOCUMENT, report_of, ruled, sandbox
from tests.support import fetch

Deviation = dict[str, Value]
SAMPLED = {"page_size_over_limit", "credentials"}


def deviations() -> Iterator[tuple[str, Deviation]]:
    """Both profiles, and each with one other value; of 30 sizes the first and last."""
    for profile in ("documented", "deployed"):
        yield profile, {}
        for name, row in table().items():
            values = (row.values[0], row.values[-1]) if row.is_range else row.values
            for value in values:
                if value != getattr(row, profile):
                    yield profile, {name: value}


def named(case: tuple[str, Deviation]) -> str:
    return "-".join([case[0], *(f"{name}={value}" for name, value in case[1].items())])


def hidden(values: Deviation) -> set[str]:
    """The choices whose value no answer shows, under these."""
    found = {each.choice for each in PROBES if not each.description}
    if values["related_routes"] == "off":
        # What they would show: rows, deletions, and whether a chat has been created.
        found |= {"training", "query_delete"}
        found |= {"chat_unknown"} if values["chat_unknown"] != "not_found" else set()
    if values["unknown_key"] == "reject":
        # As wherever keys are declared.
        found.add("unknown_key")
    return found


def departing(values: Deviation) -> set[str]:
    """The rules that these values do not keep to."""
    pairs = {f"{name}={value}" for name, value in values.items()}
    return {rule.name for rule in RULES if rule.choice in pairs}


@pytest.fixture(scope="module")
def server() -> Iterator[MockServer]:
    with MockServer(DOCUMENT) as running:
        yield running


def check(server: MockServer, profile: str, deviation: Deviation) -> None:
    values = {name: getattr(choose(profile, deviation), name) for name in table()}
    url, key, token = sandbox(server, profile, deviation)
    report = report_of(url, key, token=token)
    wanted = {name: values[name] for name in values.keys() - hidden(values)}
    assert dict(report.values) == wanted, report.undetected
    assert ruled(report, "differs") == departing(values)


CASES = list(deviations())
FEW = [case for case in CASES if not case[1] or SAMPLED & set(case[1])]


@pytest.mark.ci
@pytest.mark.parametrize("case", FEW, ids=named)
def test_some_values_are_named_right(
    server: MockServer, case: tuple[str, Deviation]
) -> None:
    check(server, *case)


@pytest.mark.ci
@pytest.mark.parametrize("case", CASES, ids=named)
def test_every_value_is_named_right(
    server: MockServer, case: tuple[str, Deviation]
) -> None:
    check(server, *case)


def test_there_is_a_probe_for_every_choice() -> None:
    assert [each.choice for each in PROBES] == list(table())
    assert len(CASES) >= 64


@pytest.mark.ci
def test_what_was_changed_is_put_back(server: MockServer) -> None:
    url, key, _ = sandbox(server, "deployed", {"chat_unknown": "create"})
    name = url.rpartition("/")[2]
    before = state_of(server, name)
    report_of(url, key)
    assert state_of(server, name) == before


def state_of(server: MockServer, name: str) -> object:
    state = fetch("GET", f"{server.url}/__admin/sandboxes/{name}/state").json()
    for app in state["apps"]:
        for chat in app["chats"]:
            del chat["updateTime"]
    return state

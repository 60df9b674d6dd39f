"""Snapshots of a sandbox, and waits that a new state cancels."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mock_server.api.faults.error import Error
from mock_server.domain.choices.choosing import choose
from mock_server.domain.clock import Environment
from mock_server.domain.errors import InvalidField, LimitReached
from mock_server.domain.limits import Limits
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.sandboxes.state import SnapshotNotFound


@pytest.fixture
def sandbox() -> Sandbox:
    """A sandbox that may have one snapshot, two faults and a journal of one entry."""
    limits = Limits(snapshots=1, faults=2, journal_entries=1)
    environment = Environment(lambda: 0, lambda: 0.0, lambda: "secret", limits)
    return Sandbox(FixtureData(), "documented", choose(), environment)


def test_snapshots_are_bounded_and_replaced_by_name(sandbox: Sandbox) -> None:
    first = sandbox.take_snapshot("one")
    assert sandbox.take_snapshot("one") is not first
    with pytest.raises(LimitReached, match="at most 1 snapshots, got one more"):
        sandbox.take_snapshot("two")
    assert list(sandbox.snapshots) == ["one"]


def test_a_dropped_snapshot_makes_room(sandbox: Sandbox) -> None:
    sandbox.take_snapshot("one")
    del sandbox.snapshots["one"]
    sandbox.take_snapshot("two")
    with pytest.raises(SnapshotNotFound):
        sandbox.restore("one")


def test_the_limits_of_the_environment_reach_all_parts(sandbox: Sandbox) -> None:
    sandbox.take_snapshot("one")
    with pytest.raises(LimitReached):
        sandbox.take_snapshot("two")
    with pytest.raises(InvalidField, match="at most 2 faults, got 3"):
        sandbox.faults.add_all([Error()] * 3)
    assert sandbox.journal.limits.journal_entries == 1


def test_every_new_state_has_the_same_limits(sandbox: Sandbox) -> None:
    limits = sandbox.state.limits
    sandbox.take_snapshot("one")
    for renew in (sandbox.reset, sandbox.empty_journal, lambda: sandbox.restore("one")):
        renew()
        assert sandbox.state.limits is sandbox.journal.limits is limits


RENEW: dict[str, Callable[[Sandbox], None]] = {
    "reset": lambda sandbox: sandbox.reset(),
    "restore": lambda sandbox: sandbox.restore("one"),
    "put_baseline": lambda sandbox: sandbox.put_baseline(FixtureData()),
    "begin": lambda sandbox: sandbox.begin(FixtureData(), "documented", choose()),
}


@pytest.mark.parametrize("renew", RENEW)
def test_what_waits_is_cancelled_by_a_new_state(sandbox: Sandbox, renew: str) -> None:
    ended: list[str] = []
    sandbox.take_snapshot("one")
    old = sandbox.state
    old.waits.add(lambda: ended.append(renew))
    RENEW[renew](sandbox)
    assert ended == [renew]
    assert sandbox.state.generation == old.generation + 1
    assert sandbox.state.waits == set()

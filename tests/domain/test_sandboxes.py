"""All sandboxes of a server: keys, names, expiry, with a clock that a test turns."""

from __future__ import annotations

from itertools import count

import pytest

from mock_server.domain.access import ISSUED_KEY_PREFIX
from mock_server.domain.choices.choosing import choose
from mock_server.domain.clock import Environment
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Limits
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.models import Collection
from mock_server.domain.sandboxes.registry import NameTaken, Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.state import SnapshotNotFound
from tests.domain.entries import entry

DATASET = Dataset("d")
LIMITS = Limits(sandboxes=3, sandbox_ttl=60.0, memory_bytes=1_000_000)


class Turned:
    """All sandboxes of an empty fixture, and seconds that a test turns."""

    def __init__(self, limits: Limits = LIMITS) -> None:
        self.seconds = 0.0
        secrets = count()
        outside = Environment(
            lambda: 1_000_000 * 10**6,
            lambda: self.seconds,
            lambda: f"{next(secrets)}",
            limits,
        )
        baseline = FixtureData(datasets={"d": DATASET})
        self.all = Sandboxes(baseline, "documented", choose(), outside)


@pytest.fixture
def turned() -> Turned:
    return Turned()


def test_a_key_leads_to_its_sandbox_and_any_other_to_the_default(
    turned: Turned,
) -> None:
    mine = turned.all.create("mine")
    assert mine.key is not None
    assert turned.all.for_key(mine.key) is mine
    assert turned.all.for_key("fastgpt-any") is turned.all.default
    assert turned.all.for_key(ISSUED_KEY_PREFIX + "0" * 32) is None
    assert turned.all.for_key(ISSUED_KEY_PREFIX) is None


def test_a_sandbox_begins_with_the_choices_of_the_start(turned: Turned) -> None:
    turned.all.default.choose("deployed", choose("deployed"))
    mine = turned.all.create("mine")
    assert (mine.state.profile, mine.choices) == ("documented", choose())
    turned.all.default.begin(FixtureData(), "deployed", choose("deployed"))
    other = turned.all.create("other")
    assert (other.state.profile, other.choices) == ("deployed", choose("deployed"))


def test_use_keeps_a_sandbox(turned: Turned) -> None:
    mine = turned.all.create("mine", ttl=10)
    assert mine.key is not None
    for _ in range(5):
        turned.seconds += 9
        assert turned.all.for_key(mine.key) is mine
        turned.seconds += 9
        assert turned.all.get("mine") is mine


@pytest.mark.parametrize("seconds", [10, 11, 1e9])
def test_an_idle_sandbox_ends(turned: Turned, seconds: float) -> None:
    mine = turned.all.create("mine", ttl=10)
    assert mine.key is not None
    assert turned.all.expires_at("mine") == 1_010_000
    turned.seconds += seconds
    assert turned.all.for_key(mine.key) is None
    with pytest.raises(SandboxNotFound):
        turned.all.get("mine")
    assert turned.all.all() == [turned.all.default]


def test_many_idle_sandboxes_end_a_few_at_a_time() -> None:
    turned = Turned(Limits())
    mine = [turned.all.create(ttl=10) for _ in range(250)]
    turned.seconds += 10
    for _ in range(2):
        assert turned.all.all() == [turned.all.default]
        assert mine[-1].baseline.datasets  # still there
    turned.all.create(mine[-1].name)
    assert not mine[-1].baseline.datasets


def test_of_large_idle_sandboxes_fewer_end_at_a_time() -> None:
    turned = Turned(Limits())
    large = [turned.all.create(ttl=10) for _ in range(5)]
    for each in large:
        each.store.put_collection(DATASET, Collection("x", "X" * 2_500_000))
    turned.seconds += 10
    left = []
    for _ in range(3):
        turned.all.all()
        left.append(sum(bool(each.baseline.datasets) for each in large))
    assert left == [3, 1, 0]


def test_a_sandbox_that_says_nothing_ends_after_the_usual_time(turned: Turned) -> None:
    turned.all.create("mine")
    assert turned.all.ttl_of("mine") == 60
    turned.seconds = 60
    assert turned.all.all() == [turned.all.default]


def test_all_sandboxes_share_one_budget(turned: Turned) -> None:
    assert turned.all.memory.limit == 1_000_000
    mine = turned.all.create("mine")
    mine.store.put_collection(DATASET, Collection("x", "X" * 10_000))
    assert turned.all.memory.used > 10_000
    with pytest.raises(LimitReached):
        turned.all.default.store.put_collection(DATASET, Collection("y", "Y" * 990_000))


def test_a_request_that_is_held_up_keeps_its_sandbox(turned: Turned) -> None:
    mine = turned.all.create("mine", ttl=10)
    mine.state.waits.add(held := lambda: None)
    turned.seconds += 100
    assert turned.all.all() == [turned.all.default, mine]
    turned.seconds += 100
    mine.end_wait(mine.state, held)
    turned.seconds += 9
    assert turned.all.all() == [turned.all.default, mine]
    turned.seconds += 1
    assert turned.all.all() == [turned.all.default]


def test_idle_sandboxes_make_room(turned: Turned) -> None:
    for _ in range(LIMITS.sandboxes):
        turned.all.create(ttl=10)
    with pytest.raises(LimitReached, match="at most 3 sandboxes, got one more"):
        turned.all.create()
    turned.seconds += 10
    assert turned.all.create("mine").name == "mine"
    assert len(turned.all.all()) == 2


def test_a_name_is_free_again_when_its_sandbox_has_gone(turned: Turned) -> None:
    turned.all.create("mine", ttl=10)
    with pytest.raises(NameTaken):
        turned.all.create("mine")
    turned.seconds += 10
    turned.all.create("mine")


def test_names_that_are_given_avoid_those_that_are_taken(turned: Turned) -> None:
    turned.all.create("sandbox-1")
    assert turned.all.create().name == "sandbox-2"


def test_a_request_on_its_way_sees_that_its_sandbox_has_gone(turned: Turned) -> None:
    mine = turned.all.create("mine")
    before = mine.state
    turned.all.delete("mine")
    assert mine.state is not before


def test_a_deleted_sandbox_keeps_no_data(turned: Turned) -> None:
    # Not even its baseline: the keys of many sandboxes take long to issue.
    baseline = FixtureData(datasets={DATASET.id: DATASET})
    mine = turned.all.create("mine", baseline=baseline)
    assert [*mine.store.datasets()] == [DATASET]
    turned.all.delete("mine")
    assert not [*mine.store.datasets()]


def test_the_default_sandbox_never_ends(turned: Turned) -> None:
    turned.seconds = 1e12
    assert turned.all.get("default") is turned.all.default
    assert turned.all.expires_at("default") is None
    with pytest.raises(SandboxNotFound):
        turned.all.delete("default")


def test_what_is_not_there_is_told_with_its_place(turned: Turned) -> None:
    sandboxes, name = turned.all, 'got the string "nope" - at path'
    with pytest.raises(SandboxNotFound, match=f"the name of a sandbox, {name}"):
        sandboxes.get("nope")
    with pytest.raises(SandboxNotFound, match=f'other than "default", {name}'):
        sandboxes.delete("nope")
    with pytest.raises(SnapshotNotFound, match=f"the name of a snapshot, {name}"):
        sandboxes.default.restore("nope")


def test_journals_of_all_sandboxes_share_the_budget(turned: Turned) -> None:
    mine = turned.all.create("mine")
    for sandbox in (mine, turned.all.default):
        before = turned.all.memory.usage().get("journals", 0)
        sandbox.journal.append(entry())
        assert turned.all.memory.usage()["journals"] > before

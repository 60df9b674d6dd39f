"""Which fault fires: counted, drawn, replayable, and always at an end."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from mock_server import Fault
from mock_server.api.faults.delay import Delay
from mock_server.api.faults.error import Error
from mock_server.api.faults.lost_write import LostWrite
from mock_server.api.faults.rate_limit import RateLimited
from mock_server.domain.errors import InvalidField
from mock_server.domain.faults.definition import Match
from mock_server.domain.faults.faults import Faults
from mock_server.domain.faults.firing import Decision, Request, draw
from mock_server.domain.limits import DEFAULT_LIMITS, Limits, Published
from mock_server.domain.memory import Memory

PIN = Request(
    ("updateHistory",),
    ("issued", "declared"),
    {"chatId": "c", "top": True},
    ("write",),
)
LIST = Request(("listV2",), ("other",), {"offset": 0}, ("page",))


class Turned:
    """Faults, and seconds that a test turns."""

    def __init__(self, *faults: Fault, limits: Limits | None = None) -> None:
        self.seconds = 0.0
        self.faults = Faults(lambda: self.seconds, Memory(), limits or Limits())
        for fault in faults:
            self.faults.add(fault)

    def decide(self, request: Request = PIN, now: int = 0) -> Decision:
        return self.faults.decide(request, now) if self.faults.active else Decision()

    def fired(self, requests: Sequence[Request]) -> list[str | None]:
        firings = (self.decide(request).firing for request in requests)
        return [None if firing is None else firing.fault.id for firing in firings]


def test_a_fault_fires_once_unless_it_says_otherwise() -> None:
    assert Turned(Error()).fired([PIN] * 3) == ["f1", None, None]
    assert Turned(Error(times=2)).fired([PIN] * 3) == ["f1", "f1", None]


def test_the_first_matches_can_pass() -> None:
    assert Turned(Error(skip=2)).fired([PIN] * 4) == [None, None, "f1", None]


def test_the_first_fault_that_fires_wins() -> None:
    turned = Turned(Error(skip=1), Error(times=2), Error())
    assert turned.fired([PIN] * 5) == ["f2", "f1", "f2", "f3", None]


@pytest.mark.parametrize(
    ("fault", "fires"),
    [
        (Error(operation="listV2"), False),
        (Error(operation="updateHistory"), True),
        (Error(match=Match(key="issued")), True),
        (Error(match=Match(key="declared")), True),
        (Error(match=Match(key="none")), False),
        (Error(match=Match(body={"top": True})), True),
        (Error(match=Match(body={"top": 1})), False),
        (Error(match=Match(key="issued", body={"chatId": "x"})), False),
        (LostWrite(), True),
    ],
)
def test_a_fault_fires_only_where_it_matches(fault: Fault, fires: bool) -> None:
    assert Turned(fault).fired([PIN]) == ["f1" if fires else None]


def test_kinds_meant_for_one_operation_leave_the_other_alone() -> None:
    turned = Turned(LostWrite())
    assert turned.fired([LIST, PIN]) == [None, "f1"]


@given(
    st.integers(0, 5),
    st.integers(1, 8),
    st.floats(0, 1),
    st.integers(-5, 5),
    st.integers(1, 30),
)
def test_the_plan_is_what_then_happens(
    skip: int, times: int, probability: float, seed: int, length: int
) -> None:
    fault = Error(skip=skip, times=times, probability=probability, seed=seed)
    turned = Turned(fault)
    armed = turned.faults.all()[0]
    plan = [fires for _, _, fires in armed.plan(length)]
    assert [fired is not None for fired in turned.fired([PIN] * length)] == plan
    assert armed.fired == sum(plan)


@given(st.lists(st.sampled_from(["a", "b"]), max_size=40), st.integers())
def test_what_happens_in_between_changes_nothing(order: list[str], seed: int) -> None:
    kinds = {
        name: Error(match=Match(key=name), times=99, probability=0.5, seed=seed)
        for name in ("a", "b")
    }
    together = Turned(*kinds.values())
    requests = {name: Request(("listV2",), (name,), {}) for name in kinds}
    mixed = together.fired([requests[name] for name in order])
    for name, fault_id in (("a", "f1"), ("b", "f2")):
        mine = [fired for key, fired in zip(order, mixed, strict=True) if key == name]
        expected = [
            fault_id if draw(seed, fault_id, index) < 0.5 else None
            for index in range(len(mine))
        ]
        assert mine == expected


def test_draws_are_spread_evenly() -> None:
    draws = [draw(0, "f1", index) for index in range(10_000)]
    assert all(0 <= each < 1 for each in draws)
    assert abs(sum(draws) / len(draws) - 0.5) < 0.01
    assert len(set(draws)) == len(draws)


@pytest.mark.parametrize(("probability", "fires"), [(0.0, False), (1.0, True)])
def test_never_is_never_and_always_is_always(probability: float, fires: bool) -> None:
    turned = Turned(Error(probability=probability, times=10_000))
    assert {each is not None for each in turned.fired([PIN] * 1_000)} == {fires}


def test_a_fault_ends_with_its_ttl() -> None:
    turned = Turned(Error(ttl=10, times=100))
    turned.seconds = 9.9
    assert turned.fired([PIN]) == ["f1"]
    turned.seconds = 10
    assert turned.fired([PIN]) == [None]
    assert turned.faults.active == []


def test_a_fault_that_has_ended_has_nothing_left() -> None:
    turned = Turned(Error(ttl=10, times=100))
    turned.seconds = 10
    (ended,) = turned.faults.all()
    assert ended.remaining == 0
    assert not any(fires for _, _, fires in ended.plan(5))


def test_a_spent_fault_is_still_shown() -> None:
    turned = Turned(Error())
    turned.fired([PIN])
    assert turned.faults.active == []
    (spent,) = turned.faults.all()
    assert (spent.id, spent.remaining, spent.fired) == ("f1", 0, 1)


def test_faults_are_bounded_and_spent_ones_make_room() -> None:
    turned = Turned(*[Error(match=Match(key="x"))] * 2, limits=Limits(faults=2))
    with pytest.raises(InvalidField, match="at most 2 faults, got 3"):
        turned.faults.add(Error())
    turned.fired([Request(("listV2",), ("x",), {})])
    assert turned.faults.add(Error()).id == "f3"
    assert len(turned.faults.all()) == 3


def test_as_many_spent_faults_are_shown_as_there_may_be_active_ones() -> None:
    turned = Turned(limits=Limits(faults=2))
    for _ in range(4):
        turned.faults.add(Error())
        turned.fired([PIN])
    assert [each.id for each in turned.faults.all()] == ["f3", "f4"]


def test_a_removed_fault_fires_no_more() -> None:
    turned = Turned(Error(), Error())
    first, second = turned.faults.all()
    turned.faults.remove(first)
    assert turned.faults.get("f1") is None
    assert turned.fired([PIN]) == ["f2"]
    turned.faults.remove(second)
    assert turned.faults.all() == []


def limited(turned: Turned, key: str, now: int) -> bool:
    request = Request(("listV2",), (key,), {})
    return turned.decide(request, now).firing is not None


def test_a_window_begins_with_its_first_request_and_is_each_keys_own() -> None:
    turned = Turned(RateLimited(requests=2, window=10))
    calls = [("a", 500), ("a", 600), ("b", 700), ("a", 10_499), ("a", 10_500)]
    over = [limited(turned, key, now) for key, now in calls]
    assert over == [False, False, False, True, False]


def test_what_is_left_of_a_window_is_rounded_up() -> None:
    turned = Turned(RateLimited(requests=1, window=10))
    limited(turned, "a", 0)
    firing = turned.decide(Request(("listV2",), ("a",), {}), 9_001).firing
    assert firing is not None
    assert firing.limit is not None
    assert (firing.limit.reset_seconds, firing.limit.remaining) == (1, 0)


def test_time_that_goes_back_begins_a_new_window() -> None:
    turned = Turned(RateLimited(requests=1, window=10))
    assert [limited(turned, "a", now) for now in (5_000, 1_000)] == [False, False]


@given(
    st.integers(1, 4),
    st.integers(1, 3),
    st.lists(st.integers(0, 1_500), min_size=1, max_size=40),
)
def test_no_window_lets_more_pass_than_its_limit(
    limit: int, window: int, gaps: list[int]
) -> None:
    turned = Turned(RateLimited(requests=limit, window=window, ttl=600))
    now, passed = 0, []
    for gap in gaps:
        now += gap
        if not limited(turned, "a", now):
            passed.append(now)
    start, count = passed[0], 0
    for time in passed:
        if time >= start + window * 1_000:
            start, count = time, 0
        count += 1
        assert count <= limit


def test_windows_of_many_keys_are_bounded() -> None:
    fault = RateLimited(requests=1, window=10)
    turned = Turned(fault, limits=Limits(limited_keys=2))
    assert not any(limited(turned, key, 0) for key in ("a", "b", "c"))
    assert limited(turned, "c", 0)
    assert not limited(turned, "a", 0)


@given(st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
def test_no_delay_is_longer_than_the_limit(first: float, second: float) -> None:
    wide = Delay(median=Published.fault_ms, sigma=10)
    assert 0 <= wide.milliseconds(first, second) <= Published.fault_ms
    assert 10 <= Delay(min=10, max=20).milliseconds(first, second) <= 20
    assert Delay(ms=5).milliseconds(first, second) == 5


def test_half_of_lognormal_delays_are_below_their_median() -> None:
    delays = [
        Delay(median=100, sigma=1).milliseconds(draw(0, "x", n), draw(0, "y", n))
        for n in range(10_000)
    ]
    assert abs(sum(each < 100 for each in delays) / len(delays) - 0.5) < 0.02


def test_lognormal_delays_are_spread_by_their_sigma() -> None:
    delay, first = Delay(median=100, sigma=2), 1 - exp(-0.5)
    found = [delay.milliseconds(first, second) for second in (0, 0.25, 0.5, 0.75)]
    assert found == pytest.approx([100 * exp(2), 100, 100 / exp(2), 100])


USED = replace(PIN, content=b"sent", is_on_new_connection=False)
NEW = replace(USED, is_on_new_connection=True)


def for_all(**fields: Any) -> Turned:
    return Turned(Fault.of("reset", connections="all", **fields))


def test_what_is_sent_again_meets_the_same_firing_and_is_not_counted() -> None:
    turned = for_all(times=2)
    first, again = turned.decide(USED).firing, turned.decide(NEW).firing
    assert first is again is not None
    (fault,) = turned.faults.all()
    assert (fault.matches, fault.fired, fault.remaining) == (1, 1, 1)


def test_resends_do_not_change_later_decisions() -> None:
    fields = {"probability": 0.5, "times": 100, "seed": 3}
    plain, resent = for_all(**fields), for_all(**fields)
    (fault,) = resent.faults.all()
    plan = [fires for _, _, fires in fault.plan(50)]
    assert [plain.decide(NEW).firing is not None for _ in range(50)] == plan
    for fires in plan:
        assert (resent.decide(USED).firing is not None) == fires
        if fires:
            assert resent.fired([USED, USED, NEW]) == ["f1"] * 3


def test_a_resend_comes_at_once_or_is_none() -> None:
    turned = for_all()
    assert turned.fired([USED]) == ["f1"]
    turned.seconds = DEFAULT_LIMITS.resend_seconds
    assert turned.fired([USED]) == [None]
    assert turned.faults.active == []


def test_a_spent_fault_lets_others_through_while_it_waits_for_a_resend() -> None:
    turned = for_all()
    other = replace(NEW, content=b"other")
    assert turned.fired([USED, other, NEW, NEW]) == ["f1", None, "f1", None]
    assert turned.faults.active == []


def test_resends_are_bounded() -> None:
    turned = Turned(
        Fault.of("reset", connections="all", times=9), limits=Limits(resends=2)
    )
    sent = [replace(USED, content=b"%d" % n) for n in range(4)]
    assert turned.fired(sent) == ["f1"] * 4
    assert [len(fault.resends) for fault in turned.faults.active] == [2]

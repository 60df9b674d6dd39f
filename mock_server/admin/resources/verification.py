"""`journal/verify`: have clients sent this, so often, in this order?

Where the answer depends on entries that the journal has dropped, or on bodies that it
has cut, it is no, and says why: nothing is guessed.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import nsmallest
from itertools import islice
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mock_server.admin.framework import AdminRoute, Call, Conflict
from mock_server.admin.resources import journal as criteria
from mock_server.admin.streaming import in_slices
from mock_server.domain.errors import InvalidField
from mock_server.domain.journal import Entry, Journal
from mock_server.domain.limits import Limits
from mock_server.domain.subset import Difference, differences
from mock_server.views import DifferenceView, NearMiss, Verified

# An answer that people read: more would hide what matters.
_NEAREST, _DIFFERENCES = 3, 20
Steps = Annotated[list[criteria.Criteria], Meta(max_length=Limits.verified_steps)]


class Verify(criteria.Criteria, kw_only=True):
    """Criteria and how many entries are to meet them, at least one by default; or
    several criteria that entries are to meet one after the other.
    """

    exactly: criteria.Count | UnsetType = UNSET
    at_least: criteria.Count | UnsetType = UNSET
    at_most: criteria.Count | UnsetType = UNSET
    in_order: Steps | UnsetType = UNSET


async def verify(call: Call) -> Verified | Conflict[Verified]:
    """`POST journal/verify`."""
    asked: Verify = call.body
    journal, facts = (
        call.sandbox.journal,
        criteria.facts_of(asked, call, "$"),
    )
    low, high = _bounds(asked)
    if asked.in_order is UNSET:
        found = await _verify_count(facts, journal, low, high)
    else:
        if facts or (low, high) != _bounds(Verify()):
            raise InvalidField("Expected inOrder alone, got other criteria too - at $")
        steps = [
            criteria.facts_of(each, call, f"$.inOrder[{number}]")
            for number, each in enumerate(asked.in_order)
        ]
        found = await _verify_order(steps, journal)
    return found if found.ok else Conflict(found)


def _bounds(asked: Verify) -> tuple[int, int | None]:
    """How many entries at least, and at most. Raises InvalidField."""
    low, high, exactly = (
        None if count is UNSET else count
        for count in (asked.at_least, asked.at_most, asked.exactly)
    )
    if exactly is not None:
        if (low, high) != (None, None):
            message = "Expected exactly, or atLeast and atMost, got both - at $.exactly"
            raise InvalidField(message)
        return exactly, exactly
    if low is not None and high is not None and low > high:
        message = f"Expected an atMost of at least {low}, got {high} - at $.atMost"
        raise InvalidField(message)
    if low is not None:
        return low, high
    return (1 if high is None else 0), high


async def _verify_count(
    facts: criteria.Facts, journal: Journal, low: int, high: int | None
) -> Verified:
    hits: list[Entry] = []
    others: list[Entry] = []
    async for entry in in_slices(journal.since(0)):
        (hits if criteria.meets(facts, entry) else others).append(entry)
    count = len(hits)
    doubt = await _doubt(facts, journal, others)
    # What is lost could only add hits: it is no doubt that there are enough.
    if doubt and (high is not None or count < low):
        return Verified(False, count, doubt, [])
    if count >= low and (high is None or count <= high):
        return Verified(True, count)
    message = f"Expected {_in_words(low, high)}, got {count}"
    # Of too many, the latest hits are shown; of too few, what came near.
    shown = hits[-_NEAREST:] if count > low else others
    return Verified(False, count, message, await _nearest(facts, shown))


def _in_words(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}"
    at_most = "" if high is None else f"at most {high}"
    at_least = f"at least {low}" if low else ""
    return " and ".join(each for each in (at_least, at_most) if each)


async def _verify_order(steps: Sequence[criteria.Facts], journal: Journal) -> Verified:
    left = deque(journal.since(0))
    for count, facts in enumerate(steps):
        passed = []
        # Each step goes on where the one before has stopped, so that all steps together
        # look at each entry once.
        async for entry in in_slices(_taken(left)):
            # The first is always good enough: it leaves most entries to later steps.
            if criteria.meets(facts, entry):
                break
            passed.append(entry)
        else:
            message = f"Expected an entry for $.inOrder[{count}] after the one before"
            doubt = await _doubt(facts, journal, passed)
            near = [] if doubt else await _nearest(facts, passed)
            return Verified(False, count, doubt or message, near)
    return Verified(True, len(steps))


def _taken(entries: deque[Entry]) -> Iterator[Entry]:
    while entries:
        yield entries.popleft()


async def _doubt(
    facts: criteria.Facts, journal: Journal, others: Sequence[Entry]
) -> str:
    """Why `others` may hide an entry that meets the criteria; "" if they do not."""
    if journal.dropped:
        return f"Expected a whole journal, got one that has dropped {journal.dropped}"
    if "body" not in facts:
        return ""
    cut, apart_from_body = 0, {**facts}
    del apart_from_body["body"]
    async for entry in in_slices(others):
        cut += entry.sent.is_cut and criteria.meets(apart_from_body, entry)
    return f"Expected whole bodies, got {cut} that the journal has cut" if cut else ""


async def _nearest(facts: criteria.Facts, entries: Sequence[Entry]) -> list[NearMiss]:
    """The entries with the fewest differences, the latest first among equals."""
    found = [
        NearMiss(
            entry.seq,
            [
                DifferenceView(each.path, each.expected, each.got)
                for each in islice(_differences(facts, entry), _DIFFERENCES)
            ],
        )
        async for entry in in_slices(entries)
    ]
    return nsmallest(
        _NEAREST, found, key=lambda each: (len(each.differences), -each.seq)
    )


def _differences(facts: criteria.Facts, entry: Entry) -> Iterator[Difference]:
    for name, fact in facts.items():
        yield from differences(fact, criteria.fact_of(name, entry), f"$.{name}")


ROUTES = (
    AdminRoute(
        "POST",
        "/journal/verify",
        verify,
        Verified,
        "Verify that clients have sent this so often, or in this order; 409 if not",
        body=Verify,
        further={409: Verified},
    ),
)

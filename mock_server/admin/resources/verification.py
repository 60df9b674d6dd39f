"""Verification: have clients sent this, so often, in this order? And what came near?"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import islice
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mock_server.admin.framework import AdminRoute, Call, Input
from mock_server.admin.sending import in_slices
from mock_server.api.journal_view import body_of
from mock_server.api.journaling import violations
from mock_server.api.response import Response
from mock_server.domain.errors import InvalidField
from mock_server.domain.journal import Entry, Journal
from mock_server.domain.limits import LIMITS
from mock_server.domain.matching import Difference, differences, holds
from mock_server.views import DifferenceView, NearMiss, Verified

OperationName = Literal["updateHistory", "listV2"]


class Criteria(Input, omit_defaults=True, kw_only=True):
    """Facts of an entry; `key` is the redacted form, `body` a subset of the body."""

    operation: OperationName | UnsetType = UNSET
    status: Annotated[int, Meta(ge=0, le=999)] | UnsetType = UNSET
    member: str | UnsetType = UNSET
    key: str | UnsetType = UNSET
    violations: bool | UnsetType = UNSET
    body: dict[str, Any] | UnsetType = UNSET


Wanted = Mapping[str, object]


def wanted_by(criteria: Criteria) -> Wanted:
    """The facts that criteria name, as plain data."""
    named = (each.name for each in msgspec.structs.fields(Criteria))
    facts = {name: getattr(criteria, name) for name in named}
    return {name: fact for name, fact in facts.items() if fact is not UNSET}


def misses(wanted: Wanted, entry: Entry) -> Iterator[Difference]:
    """Where an entry is not as wanted; nothing is looked at that is not asked for."""
    for name, fact in wanted.items():
        yield from differences(fact, _fact(name, entry), f"$.{name}")


def meets(wanted: Wanted, entry: Entry) -> bool:
    """Whether an entry is as wanted."""
    return all(holds(fact, _fact(name, entry)) for name, fact in wanted.items())


def is_doubtful(wanted: Wanted, entry: Entry) -> bool:
    """Whether an entry could be as wanted, but too little is kept to say so."""
    if "body" not in wanted or not entry.is_cut:
        return False
    return meets({name: fact for name, fact in wanted.items() if name != "body"}, entry)


def _fact(name: str, entry: Entry) -> object:
    if name == "body":
        return body_of(entry)
    if name == "violations":
        return next(violations(entry), None) is not None
    return getattr(entry, name)


Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]


_NEAREST = 3
_DIFFERENCES = 20


class Verify(Criteria, kw_only=True):
    """Criteria and how many entries are to meet them, at least one by default; or
    several criteria that entries are to meet one after the other.
    """

    exactly: Count | UnsetType = UNSET
    at_least: Count | UnsetType = UNSET
    at_most: Count | UnsetType = UNSET
    in_order: (
        Annotated[list[Criteria], Meta(max_length=LIMITS.verified_steps)] | UnsetType
    ) = UNSET


async def verify(call: Call) -> Response:
    """`POST journal/verify`: 200 if it is so, 409 if not."""
    asked: Verify = call.body
    journal, wanted = call.sandbox.journal, wanted_by(asked)
    low, high = _bounds(asked)
    if asked.in_order is UNSET:
        found = await _counted(wanted, journal, low, high)
    else:
        if wanted or (low, high) != _bounds(Verify()):
            raise InvalidField("Expected inOrder alone, got other criteria too - at $")
        found = await _ordered([wanted_by(each) for each in asked.in_order], journal)
    return Response(200 if found.ok else 409, msgspec.json.encode(found))


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


async def _counted(
    wanted: Wanted, journal: Journal, low: int, high: int | None
) -> Verified:
    hits: list[Entry] = []
    others: list[Entry] = []
    async for entry in in_slices(journal.since(0)):
        (hits if meets(wanted, entry) else others).append(entry)
    count = len(hits)
    doubt = await _doubt(wanted, journal, others)
    if doubt and (high is not None or count < low):
        return Verified(False, count, doubt, [])
    if count >= low and (high is None or count <= high):
        return Verified(True, count)
    message = f"Expected {_words(low, high)}, got {count}"
    near = hits[-_NEAREST:] if count > low else others
    return Verified(False, count, message, await _near(wanted, near))


async def _doubt(wanted: Wanted, journal: Journal, others: Sequence[Entry]) -> str:
    """Why it cannot be known how many there were, which must not be guessed."""
    if journal.dropped:
        return f"Expected a whole journal, got one that has dropped {journal.dropped}"
    cut = 0
    async for entry in in_slices(others):
        cut += is_doubtful(wanted, entry)
    return f"Expected whole bodies, got {cut} that the journal has cut" if cut else ""


def _words(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}"
    at_most = "" if high is None else f"at most {high}"
    at_least = f"at least {low}" if low else ""
    return " and ".join(each for each in (at_least, at_most) if each)


async def _ordered(steps: Sequence[Wanted], journal: Journal) -> Verified:
    left = deque(journal.since(0))
    for count, wanted in enumerate(steps):
        passed = []
        async for entry in in_slices(_taken(left)):
            if meets(wanted, entry):
                break
            passed.append(entry)
        else:
            message = f"Expected an entry for $.inOrder[{count}] after the one before"
            doubt = await _doubt(wanted, journal, passed)
            near = [] if doubt else await _near(wanted, passed)
            return Verified(False, count, doubt or message, near)
    return Verified(True, len(steps))


def _taken(entries: deque[Entry]) -> Iterator[Entry]:
    while entries:
        yield entries.popleft()


async def _near(wanted: Wanted, entries: Sequence[Entry]) -> list[NearMiss]:
    """The entries with the fewest differences, the latest first among equals."""
    found = [
        NearMiss(
            entry.seq,
            [
                DifferenceView(each.path, each.expected, each.got)
                for each in islice(misses(wanted, entry), _DIFFERENCES)
            ],
        )
        async for entry in in_slices(entries)
    ]
    return nsmallest(
        _NEAREST, found, key=lambda each: (len(each.differences), -each.seq)
    )


ROUTES = (
    AdminRoute(
        "POST",
        "/journal/verify",
        verify,
        Verified,
        "Whether clients have sent this so often, or in this order; 409 if not",
        body=Verify,
        further={409: Verified},
    ),
)

"""Verification: have clients sent this, so often, in this order? And what came near?"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from itertools import islice
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mock_server.admin.criteria import (
    Count,
    Criteria,
    Wanted,
    is_doubtful,
    meets,
    misses,
    wanted_by,
)
from mock_server.admin.route import AdminRoute, Call
from mock_server.api.answers import Answer
from mock_server.api.entries import View
from mock_server.domain.errors import InvalidField
from mock_server.domain.journal import Entry, Journal
from mock_server.domain.limits import LIMITS

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


class DifferenceView(View):
    """A place where an entry is not as wanted; `got` is "nothing" if it lacks it."""

    path: str
    expected: Any
    got: Any


class NearMiss(View):
    """An entry that came near, and where it differs."""

    seq: int
    differences: list[DifferenceView]


class Verified(View, omit_defaults=True):
    """Whether it is so, and how many entries meet the criteria (or steps are met).

    If it is not, `message` says why and `nearest` which entries came near.
    """

    ok: bool
    count: int
    message: str = ""
    nearest: list[NearMiss] | UnsetType = UNSET


def verify(call: Call) -> Answer:
    """`POST journal/verify`: 200 if it is so, 409 if not."""
    asked: Verify = call.body
    journal, wanted = call.sandbox.journal, wanted_by(asked)
    low, high = _bounds(asked)
    if asked.in_order is UNSET:
        found = _counted(wanted, journal, low, high)
    else:
        if wanted or (low, high) != _bounds(Verify()):
            raise InvalidField("Expected inOrder alone, got other criteria too - at $")
        found = _ordered([wanted_by(each) for each in asked.in_order], journal)
    return Answer(200 if found.ok else 409, msgspec.json.encode(found))


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


def _counted(wanted: Wanted, journal: Journal, low: int, high: int | None) -> Verified:
    hits: list[Entry] = []
    others: list[Entry] = []
    for entry in journal.since(0):
        (hits if meets(wanted, entry) else others).append(entry)
    count = len(hits)
    doubt = _doubt(wanted, journal, others)
    if doubt and (high is not None or count < low):
        return Verified(False, count, doubt, [])
    if count >= low and (high is None or count <= high):
        return Verified(True, count)
    message = f"Expected {_words(low, high)}, got {count}"
    near = hits[-_NEAREST:] if count > low else others
    return Verified(False, count, message, _near(wanted, near))


def _doubt(wanted: Wanted, journal: Journal, others: Sequence[Entry]) -> str:
    """Why it cannot be known how many there were, which must not be guessed."""
    if journal.dropped:
        return f"Expected a whole journal, got one that has dropped {journal.dropped}"
    cut = sum(is_doubtful(wanted, entry) for entry in others)
    return f"Expected whole bodies, got {cut} that the journal has cut" if cut else ""


def _words(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}"
    at_most = "" if high is None else f"at most {high}"
    at_least = f"at least {low}" if low else ""
    return " and ".join(each for each in (at_least, at_most) if each)


def _ordered(steps: Sequence[Wanted], journal: Journal) -> Verified:
    entries = list(journal.since(0))
    at = 0
    for count, wanted in enumerate(steps):
        left = entries[at:]
        found = next((n for n, each in enumerate(left) if meets(wanted, each)), None)
        if found is None:
            message = f"Expected an entry for $.inOrder[{count}] after the one before"
            doubt = _doubt(wanted, journal, left)
            near = [] if doubt else _near(wanted, left)
            return Verified(False, count, doubt or message, near)
        at += found + 1
    return Verified(True, len(steps))


def _near(wanted: Wanted, entries: Sequence[Entry]) -> list[NearMiss]:
    """The entries with the fewest differences, the latest first among equals."""

    def distance(entry: Entry) -> tuple[int, int]:
        few = islice(misses(wanted, entry), _DIFFERENCES)
        return sum(1 for _ in few), -entry.seq

    return [
        NearMiss(
            entry.seq,
            [
                DifferenceView(each.path, each.expected, each.got)
                for each in islice(misses(wanted, entry), _DIFFERENCES)
            ],
        )
        for entry in nsmallest(_NEAREST, entries, key=distance)
    ]


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

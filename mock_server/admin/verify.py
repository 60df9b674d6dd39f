"""Verification: have clients sent this, so often, in this order? And what came near?"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nsmallest
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from mock_server.admin.criteria import Count, Criteria, Wanted, misses, wanted_by
from mock_server.admin.route import AdminRoute, Call
from mock_server.api.answers import Answer
from mock_server.api.entries import View
from mock_server.domain.errors import InvalidField
from mock_server.domain.journal import Entry, Journal

_NEAREST = 3
_DIFFERENCES = 20


class Verify(Criteria, kw_only=True):
    """Criteria and how many entries are to meet them, at least one by default; or
    several criteria that entries are to meet one after the other.
    """

    exactly: Count | UnsetType = UNSET
    at_least: Count | UnsetType = UNSET
    at_most: Count | UnsetType = UNSET
    in_order: list[Criteria] | UnsetType = UNSET


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
    journal = call.sandbox.journal
    if asked.in_order is UNSET:
        found = _counted(asked, journal)
    else:
        if any(_given(asked, name) for name in ("exactly", "at_least", "at_most")) or (
            wanted_by(asked)
        ):
            message = "Expected inOrder alone, got other criteria too - at $"
            raise InvalidField(message)
        found = _ordered([wanted_by(each) for each in asked.in_order], journal)
    return Answer(200 if found.ok else 409, msgspec.json.encode(found))


def _given(asked: Verify, name: str) -> bool:
    return getattr(asked, name) is not UNSET


def _counted(asked: Verify, journal: Journal) -> Verified:
    wanted, entries = wanted_by(asked), list(journal.since(0))
    hits = [each for each in entries if next(misses(wanted, each), None) is None]
    low, high = _bounds(asked)
    count = len(hits)
    if journal.dropped and (high is not None or count < low):
        return _unsure(journal, count)
    if count >= low and (high is None or count <= high):
        return Verified(True, count)
    message = f"Expected {_words(low, high)}, got {count}"
    if count > low:
        return Verified(False, count, message, _near(wanted, hits[-_NEAREST:]))
    others = [each for each in entries if each not in hits]
    return Verified(False, count, message, _near(wanted, others))


def _bounds(asked: Verify) -> tuple[int, int | None]:
    """How many entries at least, and at most."""
    if asked.exactly is not UNSET:
        return asked.exactly, asked.exactly
    high = None if asked.at_most is UNSET else asked.at_most
    if asked.at_least is not UNSET:
        return asked.at_least, high
    return (1 if high is None else 0), high


def _words(low: int, high: int | None) -> str:
    if low == high:
        return f"exactly {low}"
    at_most = "" if high is None else f"at most {high}"
    at_least = f"at least {low}" if low else ""
    return " and ".join(each for each in (at_least, at_most) if each)


def _ordered(steps: Sequence[Wanted], journal: Journal) -> Verified:
    entries = journal.since(0)
    for count, wanted in enumerate(steps):
        left = list(entries)
        at = next((i for i, each in enumerate(left) if not _misses(wanted, each)), None)
        if at is None and journal.dropped:
            return _unsure(journal, count)
        if at is None:
            message = f"Expected an entry for $.inOrder[{count}] after the one before"
            return Verified(False, count, message, _near(wanted, left))
        entries = iter(left[at + 1 :])
    return Verified(True, len(steps))


def _misses(wanted: Wanted, entry: Entry) -> bool:
    return next(misses(wanted, entry), None) is not None


def _unsure(journal: Journal, count: int) -> Verified:
    """What is no longer kept cannot be counted, and must not be guessed."""
    message = f"Expected a whole journal, got one that has dropped {journal.dropped}"
    return Verified(False, count, message, [])


def _near(wanted: Wanted, entries: Sequence[Entry]) -> list[NearMiss]:
    """The entries with the fewest differences, the latest first among equals."""
    found = [
        NearMiss(
            entry.seq,
            [
                DifferenceView(each.path, each.expected, each.got)
                for each in islice(misses(wanted, entry), _DIFFERENCES)
            ],
        )
        for entry in entries
    ]
    return nsmallest(
        _NEAREST, found, key=lambda miss: (len(miss.differences), -miss.seq)
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

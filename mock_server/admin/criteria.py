"""What entries of the journal can be asked by, and where one differs from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mock_server.admin.route import Input
from mock_server.api.entries import body_of
from mock_server.api.violations import violations
from mock_server.domain.journal import Entry
from mock_server.domain.matching import Difference, differences, holds

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

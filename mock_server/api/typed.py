"""Plain data as a type says, or the first mistake in the words of all errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec
from msgspec import Struct

from mock_server.api.departures import as_number, number_fields
from mock_server.domain.errors import InvalidField
from mock_server.fixture.check import mistakes
from mock_server.fixture.integers import with_integers
from mock_server.fixture.problems import dotted

T = TypeVar("T", bound=Struct)


def typed(
    fields: Mapping[str, object],
    kind: type[T],
    root: str = "$",
    *,
    strict: bool = True,
) -> T:
    """An object as a type says; unless `strict`, numbers and booleans may be texts.

    Raises InvalidField for the first mistake.
    """
    try:
        return msgspec.convert(fields, kind, strict=strict)
    except msgspec.ValidationError as error:
        found = dict(fields)
        if not strict:
            numbers = number_fields(kind)
            found |= {name: as_number(found[name]) for name in numbers & found.keys()}
        for mistake in mistakes(found, kind):
            at = root + dotted(mistake.path)[1:]
            raise InvalidField(f"{mistake.message} - at {at}") from None
        message = str(error)
    try:
        return with_integers(fields, kind)
    except msgspec.ValidationError:
        raise InvalidField(message) from None

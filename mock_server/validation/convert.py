"""Plain data as a type says, or the first mistake in the words of all errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

import msgspec
from msgspec import Struct, inspect

from mock_server.domain.errors import InvalidField
from mock_server.validation.walk import bare, dotted, kind_for, mistakes, whole

T = TypeVar("T")


def with_integers(value: object, kind: type[T]) -> T:
    """A JSON value as a type says, 3.0 being an integer where one is wanted.

    Raises ValidationError.
    """
    return msgspec.convert(_walk(value, inspect.type_info(kind)), kind)


def _walk(value: object, wanted: inspect.Type) -> object:
    match bare(wanted), value:
        case inspect.UnionType() as union, _:
            kind = kind_for(value, union)
            return value if kind is None else _walk(value, kind)
        case inspect.IntType(), float():
            return whole(value)
        case inspect.ListType(item_type=kind), list():
            return [_walk(each, kind) for each in value]
        case inspect.DictType(value_type=kind), dict():
            return {name: _walk(each, kind) for name, each in value.items()}
        case inspect.StructType(fields=fields), dict():
            found = dict(value)
            for field in fields:
                if field.encode_name in found:
                    name = field.encode_name
                    found[name] = _walk(found[name], field.type)
            return found
    return value


S = TypeVar("S", bound=Struct)


def convert(
    fields: Mapping[str, object],
    kind: type[S],
    root: str = "$",
    *,
    strict: bool = True,
) -> S:
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


_DIGITS = re.compile("[0-9]{1,400}")


def as_number(value: object) -> object:
    """Integers in a string or with a zero fraction as integers; else the value."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def number_fields(kind: type[Struct]) -> frozenset[str]:
    """The names of a type's fields that hold integers."""
    info = inspect.type_info(kind)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    return frozenset(each.encode_name for each in fields if is_number_field(each))


def is_number_field(field: inspect.Field) -> bool:
    kinds = getattr(field.type, "types", (field.type,))
    return any(isinstance(bare(kind), inspect.IntType) for kind in kinds)

"""Finds every way in which plain data is not what a type of `document` says.

msgspec converts good documents at C speed but stops at the first mistake; this walk
over the same types is only for documents that it refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeGuard

from msgspec import UNSET, Struct, inspect

from mock_server.domain.errors import describe_value, did_you_mean

Path = tuple[str | int, ...]
"""Keys and indices from the top of a document down to a value."""


def dotted(path: Path) -> str:
    """The path as error messages write it: `$.datasets[0].name`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "$" + "".join(parts)


def bare(wanted: inspect.Type) -> inspect.Type:
    """The type without what only describes it."""
    return wanted.type if isinstance(wanted, inspect.Metadata) else wanted


def whole(value: object) -> object:
    """Numbers without a zero fraction: in JSON, 3.0 is an integer."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def kind_for(value: object, wanted: inspect.UnionType) -> inspect.Type | None:
    """The first of several types that a value can be meant for."""
    number = whole(value)
    for kind in kinds(wanted):
        if isinstance(number, python_type(kind)):
            return kind
    return None


def kinds(wanted: inspect.UnionType) -> list[inspect.Type]:
    """What a value can be; that it can also be left out is no kind."""
    found = (bare(kind) for kind in wanted.types)
    return [kind for kind in found if not isinstance(kind, inspect.CustomType)]


def python_type(wanted: inspect.Type) -> type | tuple[type, ...]:
    """What a value of a simple type is in Python."""
    return _PYTHON_TYPES.get(type(wanted), type(UNSET))


_PYTHON_TYPES: dict[type, type | tuple[type, ...]] = {
    inspect.AnyType: object,
    inspect.StrType: str,
    inspect.IntType: int,
    inspect.FloatType: (int, float),
    inspect.BoolType: bool,
    inspect.NoneType: type(None),
    inspect.ListType: list,
    inspect.DictType: dict,
    inspect.StructType: dict,
    inspect.LiteralType: str,
}


_SURROGATE = "Expected Unicode text, got a lone surrogate"


class Mistake(Struct, frozen=True):
    """A message for the value at a path, or for the key that leads to it.

    `lacks` are required fields that the mapping at the path does not have, all of
    them (and any name) where it is no mapping; None where that is not the mistake.
    """

    path: Path
    message: str
    at_key: bool = False
    lacks: tuple[str, ...] | None = None


def mistakes(value: object, wanted: type) -> Iterator[Mistake]:
    """Every mistake in `value`, read as the type `wanted`."""
    yield from _walk(value, inspect.type_info(wanted), ())


def _walk(value: object, wanted: inspect.Type, path: Path) -> Iterator[Mistake]:
    wanted = bare(wanted)
    if isinstance(wanted, inspect.UnionType):
        yield from _walk_union(value, wanted, path)
    elif isinstance(wanted, inspect.StructType) and isinstance(value, dict):
        yield from _walk_fields(value, wanted, path)
    elif isinstance(wanted, inspect.DictType) and isinstance(value, dict):
        for key, item in value.items():
            if not is_unicode(key):
                yield Mistake((*path, key), _SURROGATE, at_key=True)
            yield from _walk(item, wanted.value_type, (*path, key))
    elif isinstance(wanted, inspect.ListType) and isinstance(value, list):
        if wanted.max_length is not None and len(value) > wanted.max_length:
            message = f"Expected at most {wanted.max_length} items, got {len(value)}"
            yield Mistake(path, message)
        for index, item in enumerate(value):
            yield from _walk(item, wanted.item_type, (*path, index))
    elif isinstance(wanted, inspect.StructType):
        names = {each.encode_name for each in wanted.fields if each.required}
        lacks = tuple(names | ({each.name for each in wanted.fields} & {"name"}))
        yield Mistake(path, _message(value, wanted), lacks=lacks)
    elif not fits(value, wanted):
        yield Mistake(path, _message(value, wanted))


def _walk_union(
    value: object, wanted: inspect.UnionType, path: Path
) -> Iterator[Mistake]:
    kind = kind_for(value, wanted)
    if kind is not None and not isinstance(value, bool):
        yield from _walk(value, kind, path)
    else:
        words_of_all = describe_type(wanted)
        hint = _hint(value, words_of_all)
        yield Mistake(
            path, f"Expected {words_of_all}, got {describe_value(value)}{hint}"
        )


def _walk_fields(
    value: dict[str, object], wanted: inspect.StructType, path: Path
) -> Iterator[Mistake]:
    known = {field.encode_name: field for field in wanted.fields}
    for key, item in value.items():
        if key in known:
            yield from _walk(item, known[key].type, (*path, key))
        else:
            hint = did_you_mean(key, known)
            yield Mistake((*path, key), f"unknown field {key!r}{hint}", at_key=True)
    for name, field in known.items():
        if field.required and name not in value:
            message = f"Expected the field {name!r} here, got none"
            yield Mistake(path, message, lacks=(name,))


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8: it holds no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def fits(value: object, wanted: inspect.Type) -> bool:
    """Whether a value is what a simple type, or one of several, says."""
    wanted = bare(wanted)
    if isinstance(wanted, inspect.UnionType):
        return any(fits(value, kind) for kind in kinds(wanted))
    if isinstance(wanted, inspect.IntType):
        value = whole(value)
    if not isinstance(value, python_type(wanted)):
        return False
    match wanted:
        case inspect.LiteralType(values=values):
            return value in values
        case inspect.IntType(ge=low, le=high) | inspect.FloatType(ge=low, le=high):
            return _is_number(value) and _in_range(value, low, high)
        case inspect.StrType(min_length=low, max_length=high) if isinstance(value, str):
            fitting = (low or 0) <= len(value) <= (high or len(value))
            matching = re.search(wanted.pattern, value) if wanted.pattern else True
            return is_unicode(value) and fitting and bool(matching)
        case inspect.ListType(item_type=kind) if isinstance(value, list):
            low, high = wanted.min_length or 0, wanted.max_length
            fitting = low <= len(value) <= (len(value) if high is None else high)
            return fitting and all(fits(item, kind) for item in value)
    return True


def _is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _in_range(value: float, low: float | None, high: float | None) -> bool:
    return (low is None or value >= low) and (high is None or value <= high)


def _message(value: object, wanted: inspect.Type) -> str:
    if isinstance(value, str) and not is_unicode(value):
        return _SURROGATE
    expected = describe_type(wanted)
    message = f"Expected {expected}, got {describe_value(value)}"
    if isinstance(wanted, inspect.LiteralType):
        return message + did_you_mean(str(value), [str(item) for item in wanted.values])
    return message + _hint(value, expected)


def _hint(value: object, expected: str) -> str:
    wants_text = expected.startswith("a string") and isinstance(value, int | float)
    return ": quote it" if wants_text else ""


def describe_type(wanted: inspect.Type) -> str:
    """A type in the words of error messages."""
    match bare(wanted):
        case inspect.UnionType() as union:
            return " or ".join(describe_type(kind) for kind in kinds(union))
        case inspect.StrType(min_length=int(low), max_length=int(high)):
            return f"a string of {low} to {high} characters"
        case inspect.StrType(max_length=int(high)):
            return f"a string of up to {high} characters"
        case inspect.StrType(pattern=str(pattern)):
            return f"a string like {pattern}"
        case inspect.StrType():
            return "a string"
        case inspect.IntType(ge=int(low), le=int(high)):
            return f"an integer from {low} to {high}"
        case inspect.IntType(ge=int(low)):
            return f"an integer of at least {low}"
        case inspect.IntType():
            return "an integer"
        case inspect.FloatType(ge=low, le=high):
            return f"a number from {low:g} to {high:g}"
        case inspect.BoolType():
            return "true or false"
        case inspect.NoneType():
            return "null"
        case inspect.ListType(item_type=kind, max_length=int(high)) if isinstance(
            bare(kind), inspect.StrType
        ):
            return f"an array of at most {high} strings"
        case inspect.ListType():
            return "an array"
        case inspect.LiteralType(values=values):
            return " or ".join(str(value) for value in values)
    return "an object"

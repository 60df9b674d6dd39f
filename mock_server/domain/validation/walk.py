"""Find every mistake in plain data that should be of a msgspec type.

msgspec converts valid data fast, but stops at the first mistake, with a message of its
own. For data that msgspec refused, these functions walk the same types, as
`msgspec.inspect` returns them. They know the types that this project uses: structs,
arrays, objects, unions, literals, and strings and numbers with inclusive bounds.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any, Literal, TypeVar, Union

import msgspec
from msgspec import UNSET, Meta, Struct, inspect

from mock_server.domain.messages import (
    as_ms,
    cut,
    describe_value,
    did_you_mean,
    nearest,
)

K = TypeVar("K", str, int)
Path = tuple[str | int, ...]
"""Keys and indices from the top of a document to a value."""


def dotted(path: Path) -> str:
    """Return the path as in messages: `$.datasets[0].name`; long keys are cut."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{cut(part)}" for part in path)
    return "$" + "".join(parts)


class Mistake(Struct, frozen=True):
    """A mistake in the value at a path, or if `is_at_key` in the last key of the path.

    `missing` are the names of missing required fields: one field for an object, all
    required fields if the value is not an object, and None for other mistakes.
    """

    path: Path
    message: str
    is_at_key: bool = False
    missing: tuple[str, ...] | None = None


@lru_cache(128)  # there are fewer types, and each takes up to a millisecond
def type_info(expected: type) -> inspect.Type:
    """Return the description of a type."""
    return inspect.type_info(expected)


def mistakes(value: object, expected: type) -> Iterator[Mistake]:
    """Yield every mistake in `value` as data of the type `expected`, in document order.

    There is no mistake if and only if `convert.with_integers` converts the value.
    Tagged unions and exclusive bounds are not supported.
    """
    yield from mistakes_of(value, type_info(expected), ())


def mistakes_of(value: object, expected: inspect.Type, path: Path) -> Iterator[Mistake]:
    """Yield the mistakes in a value; `path` is its place."""
    base_type = without_metadata(expected)
    match base_type, value:
        case inspect.UnionType(), _ if kind := alternative_for(value, base_type):
            yield from mistakes_of(value, kind, path)
        case inspect.UnionType(), _:
            yield Mistake(path, _message(value, expected))
        case inspect.StructType(), dict():
            yield from _walk_fields(value, base_type, path)
        case inspect.StructType(fields=fields), _:
            required = tuple(each.encode_name for each in fields if each.required)
            yield Mistake(path, _message(value, expected), missing=required)
        case inspect.DictType(value_type=kind), dict():
            # A JSON escape may be half of a surrogate pair, which is not valid Unicode.
            for key, item in _items_to_walk([*value.items()], kind):
                if not is_unicode(key):
                    yield Mistake((*path, key), SURROGATE, is_at_key=True)
                yield from mistakes_of(item, kind, (*path, key))
        case inspect.ListType(item_type=kind), list():
            if not _has_length(value, base_type):
                yield Mistake(path, _length_message(value, base_type))
            # In an array that is too long, check the items up to the maximum.
            items = [*enumerate(value[: base_type.max_length])]
            for index, item in _items_to_walk(items, kind):
                yield from mistakes_of(item, kind, (*path, index))
        case _ if not is_valid(value, expected):
            yield Mistake(path, _message(value, expected))


_PARTS = 16
"""Number of parts of an array or object that are checked quickly, each as a whole."""


def _items_to_walk(
    items: list[tuple[K, object]], expected: inspect.Type
) -> Iterator[tuple[K, object]]:
    """Yield key (or index) and value of each item that may have mistakes.

    A quick check finds most parts without mistakes. Any other part is divided again,
    because walking many items takes long.
    """
    size = max(len(items) // _PARTS, _PARTS)
    for start in range(0, len(items), size):
        part = items[start : start + size]
        # A quick check of one item would repeat those of its own arrays and objects.
        if len(part) == 1 or not _converts(dict(part), expected):
            is_small = len(part) <= _PARTS
            yield from part if is_small else _items_to_walk(part, expected)


def _converts(items: Mapping[K, object], expected: inspect.Type) -> bool:
    """Return True if a quick, incomplete check finds no mistake in values of a type."""
    kind: Any = dict[Any, _python_type(expected)]  # type: ignore[misc]
    try:
        try:
            msgspec.convert(items, kind)
        except msgspec.ValidationError as error:
            if "got `float`" not in str(error):
                return False
            msgspec.convert(_with_integers(items), kind)  # 3.0 counts as an integer
        msgspec.json.encode(items)  # raises for a lone surrogate
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return False
    return True


# Plain data has no subtypes of these types, and a look-up is faster than `isinstance`.
_MAY_CHANGE = frozenset((dict, list, float))


def _with_integers(value: Any) -> Any:
    """Return plain data with all numbers such as 3.0 as integers."""
    if type(value) not in _MAY_CHANGE:
        return value
    if isinstance(value, dict):
        return {
            name: _with_integers(each) if type(each) in _MAY_CHANGE else each
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [*map(_with_integers, value)]
    return integral_as_int(value)


def _python_type(expected: inspect.Type) -> Any:
    """Return the type that a description describes: the inverse of `type_info`."""
    match without_metadata(expected):
        case inspect.StructType(cls=kind) | inspect.CustomType(cls=kind):
            return kind
        case inspect.UnionType(types=kinds):
            return Union[tuple(map(_python_type, kinds))]  # noqa: UP007
        case inspect.LiteralType(values=values):
            return Literal[values]
        case inspect.ListType(item_type=kind, min_length=low, max_length=high):
            meta = Meta(min_length=low, max_length=high)
            return Annotated[list[_python_type(kind)], meta]  # type: ignore[misc]
        case inspect.DictType(value_type=kind):
            return dict[str, _python_type(kind)]  # type: ignore[misc]
        case inspect.StrType(min_length=low, max_length=high, pattern=pattern):
            return Annotated[
                str, Meta(min_length=low, max_length=high, pattern=pattern)
            ]
        case inspect.IntType(ge=low, le=high):
            return Annotated[int, Meta(ge=low, le=high)]
        case inspect.FloatType(ge=low, le=high):
            return Annotated[float, Meta(ge=low, le=high)]
        case other:
            return _PLAIN_TYPES[type(other)]


_PLAIN_TYPES = {
    inspect.AnyType: Any,
    inspect.BoolType: bool,
    inspect.NoneType: None,
}


_LISTED_FIELDS = 24
_HINTED_FIELDS = 100
"""Maximum number of unknown fields of an object that get a hint."""


@lru_cache(64)  # a document may have thousands of unknown fields
def _all_fields_hint(struct: type[Struct]) -> str:
    """Return the hint ` (there are ms, ttl)`, or "" for too many fields.

    If the type of a field is a described object, the description is added.
    """
    names = []
    info = type_info(struct)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    for each in fields:
        name, words = each.encode_name, describe_type(each.type)
        is_described = words.startswith("an object ") and words != "an object or null"
        names.append(f"{name}: {words}" if is_described else name)
    is_short = 0 < len(fields) <= _LISTED_FIELDS
    return f" (there are {', '.join(names)})" if is_short else ""


def _walk_fields(
    value: dict[str, object], expected: inspect.StructType, path: Path
) -> Iterator[Mistake]:
    known = {field.encode_name: field for field in expected.fields}
    unknown_field_hint = getattr(expected.cls, "unknown_field_hint", lambda *_: "")
    known_hint, unknown = "", 0
    for key, item in value.items():
        if key in known:
            yield from mistakes_of(item, known[key].type, (*path, key))
        elif expected.forbid_unknown_fields:
            hint, unknown = "", unknown + 1
            if unknown <= _HINTED_FIELDS:
                hint = unknown_field_hint(key, value) or did_you_mean(key, known)
                hint = hint or _higher_hint(item, known) or _deeper_hint(key, known)
                hint = hint or _all_fields_hint(expected.cls)
            # Give a hint that applies to several fields only at the first one.
            message = f"unknown field {cut(key)!r}{hint if hint != known_hint else ''}"
            known_hint = hint if "did you mean" not in hint else known_hint
            yield Mistake((*path, key), message, is_at_key=True)
    for name, field in known.items():
        if field.required and name not in value:
            message = f"Expected the field {name!r} here, got none"
            yield Mistake(path, message, missing=(name,))


def _deeper_hint(key: str, known: Mapping[str, inspect.Field]) -> str:
    """Return ` (write "match": {"question": ...})` if `key` belongs one level deeper.

    Return "" otherwise.
    """
    for name, field in known.items():
        kinds = getattr(without_metadata(field.type), "types", (field.type,))
        for kind in map(without_metadata, kinds):
            fields = kind.fields if isinstance(kind, inspect.StructType) else ()
            if any(each.encode_name == key for each in fields):
                return f' (write "{name}": {{"{key}": ...}})'
    return ""


def _higher_hint(item: object, known: Collection[str]) -> str:
    """Return ` (write status, json here)` if fields in `item` belong one level higher.

    Return "" otherwise.
    """
    names = islice(item, _LISTED_FIELDS) if isinstance(item, dict) else ()
    matches = [each if each in known else nearest(each, known) for each in names]
    if "text" in known and isinstance(item, dict) and isinstance(item.get("body"), str):
        matches = ["text" if each == "json" else each for each in matches]
    names_text = ", ".join(dict.fromkeys(filter(None, matches)))
    return f" (write {names_text} here, without it)" if names_text else ""


def is_valid(value: object, expected: inspect.Type) -> bool:
    """Return True if a value has a type; check bounds and items of arrays, too.

    Fields of objects are not checked: use `mistakes` for them.
    """
    expected = without_metadata(expected)
    if isinstance(expected, inspect.UnionType):
        return any(is_valid(value, kind) for kind in alternatives(expected))
    if isinstance(expected, inspect.IntType):
        value = integral_as_int(value)
    if not _is_instance(value, expected):
        return False
    match expected, value:
        case inspect.LiteralType(values=values), _:
            return value in values
        case inspect.IntType() | inspect.FloatType(), int() | float():
            low, high = expected.ge, expected.le
            return (low is None or value >= low) and (high is None or value <= high)
        case inspect.StrType(), str():
            # As in JSON Schema, a pattern may match anywhere in the string.
            matches = expected.pattern is None or re.search(expected.pattern, value)
            return is_unicode(value) and _has_length(value, expected) and bool(matches)
        case inspect.ListType(item_type=kind), list():
            fitting = all(is_valid(item, kind) for item in value)
            return fitting and _has_length(value, expected)
    return True


def size_as_json(value: object) -> int | None:
    """Return the size of plain data as JSON, in bytes; None for a lone surrogate."""
    try:
        return len(msgspec.json.encode(value))
    except UnicodeEncodeError:
        return None


def is_unicode(text: str) -> bool:
    """Return True if the text is valid UTF-8: it has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def without_metadata(expected: inspect.Type) -> inspect.Type:
    """Return a type without its description (`Meta`)."""
    return expected.type if isinstance(expected, inspect.Metadata) else expected


def alternatives(union: inspect.UnionType) -> list[inspect.Type]:
    """Return the types of a union, in order, without `UnsetType`."""
    # The only custom type here is UnsetType: a field that may be missing.
    kinds = map(without_metadata, union.types)
    return [kind for kind in kinds if not isinstance(kind, inspect.CustomType)]


def alternative_for(value: object, union: inspect.UnionType) -> inspect.Type | None:
    """Return the first type of a union that fits a value, ignoring bounds, or None."""
    number = integral_as_int(value)
    kinds = (
        each for each in union.types if _is_instance(number, without_metadata(each))
    )
    return next(kinds, None)


def as_number(value: object) -> object:
    """Return digits in a string, or a number like 3.0, as an integer; else `value`."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return integral_as_int(value)


def as_boolean(value: object) -> object:
    """Return `true` and `false` in a string as a boolean; else `value`."""
    with suppress(msgspec.ValidationError):
        return msgspec.convert(value, bool, strict=False)
    return value


def integral_as_int(value: object) -> object:
    """Return a number such as 3.0 as an integer, and any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_instance(value: object, expected: inspect.Type) -> bool:
    if isinstance(value, bool):  # an int in Python, but no number in JSON
        return isinstance(expected, inspect.BoolType | inspect.AnyType)
    # No value is an instance of a type that is not listed.
    return isinstance(value, _PYTHON_TYPES.get(type(expected), type(UNSET)))


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


def _has_length(
    value: str | list[object], expected: inspect.StrType | inspect.ListType
) -> bool:
    low, high = expected.min_length, expected.max_length
    return (low or 0) <= len(value) <= (len(value) if high is None else high)


# No field takes more digits, which are slow to read.
_DIGITS = re.compile("[0-9]{1,400}")
SURROGATE = "Expected Unicode text, got a lone surrogate"


def _length_message(value: list[object], kind: inspect.ListType) -> str:
    low, high = kind.min_length or 0, kind.max_length or 0
    most = f"at most {_count_text(high, 'item')}"
    expected = f"at least {_count_text(low, 'item')}" if len(value) < low else most
    return f"Expected {expected}, got {len(value)}"


def _count_text(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _message(value: object, kind: inspect.Type) -> str:
    if isinstance(value, str) and not is_unicode(value):
        return SURROGATE
    expected = describe_type(kind)
    is_secret = isinstance(kind, inspect.Metadata) and (kind.extra or {}).get("secret")
    got = "something else" if is_secret else describe_value(value)
    message = f"Expected {expected}, got {got}"
    if isinstance(kind, inspect.LiteralType):
        return message + did_you_mean(str(value), [str(item) for item in kind.values])
    if expected.startswith("a string") and isinstance(value, int | float):
        return f"{message}: quote it"  # in YAML, `name: 5` is no string
    if isinstance(value, str) and is_valid(as_number(value), kind):
        return f"{message}: write it without quotes"
    in_ms = as_ms(value) if isinstance(value, str) else value
    if in_ms != value and "milliseconds" in expected:
        return f"{message}: write {in_ms}"
    if "an object" in expected and isinstance(value, str) and value[:1] == "{":
        return f"{message}: write an object, not its text"
    if isinstance(value, dict) and (expected == "an array" or is_valid([value], kind)):
        return f"{message}: write [ … ] around it"
    text = describe_value(value).removeprefix("the string ")
    if value and text.endswith('"') and is_valid([value], kind):  # a short one
        items = '", "'.join(text.replace(", ", ",").split(","))
        return f"{message}: write it as a list: [{items}]"
    return message


def describe_type(expected: inspect.Type) -> str:
    """Describe a type for a message: `a string of 1 to 256 characters`.

    `Meta(extra={"expected": "a time"})` gives a type its own description.
    """
    match expected:
        case inspect.Metadata(extra={"expected": str(words)}):
            return words
        case inspect.Metadata():
            return describe_type(expected.type)
        case inspect.UnionType(types=types):
            kinds = (kind for kind in types if not isinstance(kind, inspect.CustomType))
            return " or ".join(map(describe_type, kinds))
        case inspect.StrType(min_length=int(low), max_length=int(high)):
            return f"a string of {low} to {high} characters"
        case inspect.StrType(max_length=int(high)):
            return f"a string of up to {high} characters"
        case inspect.StrType(min_length=int(low)):
            return f"a string of at least {_count_text(low, 'character')}"
        case inspect.StrType(pattern=str(pattern)):
            return f"a string like {pattern}"
        case inspect.StrType():
            return "a string"
        case inspect.IntType() | inspect.FloatType() as number:
            return _describe_number(number)
        case inspect.BoolType():
            return "true or false"
        case inspect.NoneType():
            return "null"
        case inspect.ListType() as array:
            return _describe_array(array)
        case inspect.LiteralType(values=values):
            return " or ".join(str(value) for value in values)
    return "an object"


def _describe_number(expected: inspect.IntType | inspect.FloatType) -> str:
    noun = "an integer" if isinstance(expected, inspect.IntType) else "a number"
    form = "d" if isinstance(expected, inspect.IntType) else "g"
    low, high = expected.ge, expected.le
    if low is not None and high is not None:
        return f"{noun} from {low:{form}} to {high:{form}}"
    if low is not None:
        return f"{noun} of at least {low:{form}}"
    return noun if high is None else f"{noun} of at most {high:{form}}"


def _describe_array(expected: inspect.ListType) -> str:
    is_of_strings = isinstance(without_metadata(expected.item_type), inspect.StrType)
    if is_of_strings and expected.max_length is not None:
        return f"an array of at most {expected.max_length} strings"
    return "an array"

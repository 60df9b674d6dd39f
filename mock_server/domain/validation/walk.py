"""Finds every mistake in plain data that is to be of a msgspec type.

msgspec converts valid data at C speed, but stops at the first mistake and words it in
its own way. These functions walk through the same types, as `msgspec.inspect` gives
them, and are meant for data that msgspec has refused. They know what the types of this
project use: structs, arrays, objects, unions, literals, and strings and numbers with
inclusive bounds. They convert nothing; `convert` does.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice

import msgspec
from msgspec import UNSET, Struct, inspect

from mock_server.domain.messages import cut, describe_value, did_you_mean, nearest

Path = tuple[str | int, ...]
"""Keys and indices from the top of a document down to a value."""


def dotted(path: Path) -> str:
    """The path as error messages write it: `$.datasets[0].name`; long keys are cut."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{cut(part)}" for part in path)
    return "$" + "".join(parts)


class Mistake(Struct, frozen=True):
    """What is wrong with the value at a path, or with the key that leads to it.

    `missing` names the required fields that the value lacks: one for an object, all
    of them for what is no object; it is None if the mistake is another one.
    """

    path: Path
    message: str
    at_key: bool = False
    missing: tuple[str, ...] | None = None


def mistakes(value: object, wanted: type) -> Iterator[Mistake]:
    """Every mistake in `value` as data of the type `wanted`, in document order.

    There is none exactly if `convert.with_integers` converts the value; only tagged
    unions and exclusive bounds are beyond this.
    """
    yield from mistakes_of(value, inspect.type_info(wanted), ())


def mistakes_of(value: object, wanted: inspect.Type, path: Path) -> Iterator[Mistake]:
    """As `mistakes`, for the value at a path."""
    plain = without_metadata(wanted)
    match plain, value:
        case inspect.UnionType(), _ if kind := alternative_for(value, plain):
            yield from mistakes_of(value, kind, path)
        case inspect.UnionType(), _:
            yield Mistake(path, _message(value, wanted))
        case inspect.StructType(), dict():
            yield from _walk_fields(value, plain, path)
        case inspect.StructType(fields=fields), _:
            required = tuple(each.encode_name for each in fields if each.required)
            yield Mistake(path, _message(value, wanted), missing=required)
        case inspect.DictType(value_type=kind), dict():
            # JSON can escape half a surrogate pair, which no UTF-8 can hold.
            for key, item in value.items():
                if not is_unicode(key):
                    yield Mistake((*path, key), _SURROGATE, at_key=True)
                if not isinstance(kind, inspect.AnyType):  # nothing is wrong there
                    yield from mistakes_of(item, kind, (*path, key))
        case inspect.ListType(item_type=kind), list():
            if not _has_length(value, plain):
                yield Mistake(path, _length_message(value, plain))
            # Of what is too long, the items that may be there are looked at.
            for index, item in _doubtful(value[: plain.max_length], kind):
                yield from mistakes_of(item, kind, (*path, index))
        case _ if not is_valid(value, wanted):
            yield Mistake(path, _message(value, wanted))


_MANY_ITEMS = 100


def _doubtful(
    items: list[object], wanted: inspect.Type
) -> Iterator[tuple[int, object]]:
    """The items of an array in which something may be wrong, and where they are.

    Of many most are seen to be as is wanted at a quick look: to walk through 49,000
    structs, as a body may have, takes 170 ms.
    """
    every = enumerate(items)
    if len(items) < _MANY_ITEMS:
        return every
    match wanted:
        case inspect.StructType(cls=kind):
            return ((at, item) for at, item in every if not _converts(item, kind))
        case inspect.DictType(value_type=inspect.AnyType()):
            objects = [item for item in items if isinstance(item, dict)]
            if is_unicode("".join(chain.from_iterable(objects))):
                return ((at, it) for at, it in every if not isinstance(it, dict))
    return every


def _converts(value: object, kind: type[Struct]) -> bool:
    """Whether a value is a struct, by a quick look that does not see all."""
    try:
        msgspec.convert(value, kind)
        msgspec.json.encode(value)  # raises for a lone surrogate
    except (msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return False
    return True


_FEW_FIELDS = 24


@lru_cache(64)  # a document may have thousands of unknown fields
def _all_of(of: type[Struct]) -> str:
    """` (there are ms, ttl)`: what there is, where it is not too much to read.

    Where an object has words of its own, what it looks like is said too.
    """
    names = []
    info = inspect.type_info(of)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    for each in fields:
        name, words = each.encode_name, describe_type(each.type)
        is_told = words.startswith("an object ") and words != "an object or null"
        names.append(f"{name}: {words}" if is_told else name)
    is_short = 0 < len(fields) <= _FEW_FIELDS
    return f" (there are {', '.join(names)})" if is_short else ""


def _walk_fields(
    value: dict[str, object], wanted: inspect.StructType, path: Path
) -> Iterator[Mistake]:
    known = {field.encode_name: field for field in wanted.fields}
    meant_by = getattr(wanted.cls, "meant_by", lambda *_: "")
    told = ""
    for key, item in value.items():
        if key in known:
            yield from mistakes_of(item, known[key].type, (*path, key))
        elif wanted.forbid_unknown_fields:
            hint = meant_by(key, value) or did_you_mean(key, known)
            hint = hint or _inside(item, known) or _deeper(key, known)
            hint = hint or _all_of(wanted.cls)
            # What holds for several fields is said at the first of them.
            message = f"unknown field {cut(key)!r}{hint if hint != told else ''}"
            told = hint if "did you mean" not in hint else told
            yield Mistake((*path, key), message, at_key=True)
    for name, field in known.items():
        if field.required and name not in value:
            message = f"Expected the field {name!r} here, got none"
            yield Mistake(path, message, missing=(name,))


def _deeper(key: str, known: Mapping[str, inspect.Field]) -> str:
    """` (write "match": {"question": ...})`: where a field stands one level deeper."""
    for name, field in known.items():
        kinds = getattr(without_metadata(field.type), "types", (field.type,))
        for kind in map(without_metadata, kinds):
            fields = kind.fields if isinstance(kind, inspect.StructType) else ()
            if any(each.encode_name == key for each in fields):
                return f' (write "{name}": {{"{key}": ...}})'
    return ""


def _inside(item: object, known: Collection[str]) -> str:
    """` (write status, json here)`: fields that stand one level too deep, if any."""
    names = islice(item, _FEW_FIELDS) if isinstance(item, dict) else ()
    found = [each if each in known else nearest(each, known) for each in names]
    if "text" in known and isinstance(item, dict) and isinstance(item.get("body"), str):
        found = ["text" if each == "json" else each for each in found]
    there = ", ".join(dict.fromkeys(filter(None, found)))
    return f" (write {there} here, without it)" if there else ""


def is_valid(value: object, wanted: inspect.Type) -> bool:
    """Whether a value is of a type: its bounds, and the items of an array, included.

    Of objects only that they are objects is checked; `mistakes` looks into them.
    """
    wanted = without_metadata(wanted)
    if isinstance(wanted, inspect.UnionType):
        return any(is_valid(value, kind) for kind in alternatives(wanted))
    if isinstance(wanted, inspect.IntType):
        value = integral_as_int(value)
    if not _is_instance(value, wanted):
        return False
    match wanted, value:
        case inspect.LiteralType(values=values), _:
            return value in values
        case inspect.IntType() | inspect.FloatType(), int() | float():
            low, high = wanted.ge, wanted.le
            return (low is None or value >= low) and (high is None or value <= high)
        case inspect.StrType(), str():
            # As JSON Schema has it, a pattern may match anywhere in the string.
            matches = wanted.pattern is None or re.search(wanted.pattern, value)
            return is_unicode(value) and _has_length(value, wanted) and bool(matches)
        case inspect.ListType(item_type=kind), list():
            fitting = all(is_valid(item, kind) for item in value)
            return fitting and _has_length(value, wanted)
    return True


def is_unicode(text: str) -> bool:
    """Whether the text can be written as UTF-8: it holds no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def without_metadata(wanted: inspect.Type) -> inspect.Type:
    """The type itself, of one that is annotated with what only describes it."""
    return wanted.type if isinstance(wanted, inspect.Metadata) else wanted


def alternatives(union: inspect.UnionType) -> list[inspect.Type]:
    """The types of a union, in order, without `UnsetType`: no value is of that."""
    # The one custom type here is UnsetType: a field that may be left out.
    found = map(without_metadata, union.types)
    return [kind for kind in found if not isinstance(kind, inspect.CustomType)]


def alternative_for(value: object, union: inspect.UnionType) -> inspect.Type | None:
    """The first type of a union that a value can be meant for, whatever its bounds."""
    number = integral_as_int(value)
    found = (k for k in union.types if _is_instance(number, without_metadata(k)))
    return next(found, None)


def as_number(value: object) -> object:
    """The integer in a string of digits or in a number like 3.0; else the value."""
    if isinstance(value, str) and _DIGITS.fullmatch(value):
        return int(value)
    return integral_as_int(value)


def integral_as_int(value: object) -> object:
    """A number such as 3.0 as the integer that it is to JSON; else the value."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_instance(value: object, wanted: inspect.Type) -> bool:
    if isinstance(value, bool):  # to Python an int, to JSON no number
        return isinstance(wanted, inspect.BoolType | inspect.AnyType)
    # Nothing is an instance of a type that is not listed.
    return isinstance(value, _PYTHON_TYPES.get(type(wanted), type(UNSET)))


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
    value: str | list[object], wanted: inspect.StrType | inspect.ListType
) -> bool:
    low, high = wanted.min_length, wanted.max_length
    return (low or 0) <= len(value) <= (len(value) if high is None else high)


# More digits are no number that any field takes, and slow to read.
_DIGITS = re.compile("[0-9]{1,400}")
_SURROGATE = "Expected Unicode text, got a lone surrogate"


def _length_message(value: list[object], wanted: inspect.ListType) -> str:
    low, high = wanted.min_length or 0, wanted.max_length or 0
    most = f"at most {_counted(high, 'item')}"
    expected = f"at least {_counted(low, 'item')}" if len(value) < low else most
    return f"Expected {expected}, got {len(value)}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _message(value: object, wanted: inspect.Type) -> str:
    if isinstance(value, str) and not is_unicode(value):
        return _SURROGATE
    expected = describe_type(wanted)
    message = f"Expected {expected}, got {describe_value(value)}"
    if isinstance(wanted, inspect.LiteralType):
        return message + did_you_mean(str(value), [str(item) for item in wanted.values])
    if expected.startswith("a string") and isinstance(value, int | float):
        return f"{message}: quote it"  # in YAML, `name: 5` is no string
    if isinstance(value, str) and is_valid(as_number(value), wanted):
        return f"{message}: write it without quotes"
    if "an object" in expected and isinstance(value, str) and value[:1] == "{":
        return f"{message}: write it without quotes"
    if expected == "an array" and isinstance(value, dict):
        return f"{message}: write [ … ] around it"
    text = describe_value(value).removeprefix("the string ")
    if value and text.endswith('"') and is_valid([value], wanted):  # a short one
        items = '", "'.join(text.replace(", ", ",").split(","))
        return f"{message}: write it as a list: [{items}]"
    return message


def describe_type(wanted: inspect.Type) -> str:
    """A type in the words of error messages: `a string of 1 to 256 characters`.

    A type may have its own, as `Meta(extra={"expected": "a time"})`.
    """
    match wanted:
        case inspect.Metadata(extra={"expected": str(words)}):
            return words
        case inspect.Metadata():
            return describe_type(wanted.type)
        case inspect.UnionType(types=types):
            kinds = (kind for kind in types if not isinstance(kind, inspect.CustomType))
            return " or ".join(map(describe_type, kinds))
        case inspect.StrType(min_length=int(low), max_length=int(high)):
            return f"a string of {low} to {high} characters"
        case inspect.StrType(max_length=int(high)):
            return f"a string of up to {high} characters"
        case inspect.StrType(min_length=int(low)):
            return f"a string of at least {_counted(low, 'character')}"
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


def _describe_number(wanted: inspect.IntType | inspect.FloatType) -> str:
    noun = "an integer" if isinstance(wanted, inspect.IntType) else "a number"
    form = "d" if isinstance(wanted, inspect.IntType) else "g"
    low, high = wanted.ge, wanted.le
    if low is not None and high is not None:
        return f"{noun} from {low:{form}} to {high:{form}}"
    if low is not None:
        return f"{noun} of at least {low:{form}}"
    return noun if high is None else f"{noun} of at most {high:{form}}"


def _describe_array(wanted: inspect.ListType) -> str:
    is_of_strings = isinstance(without_metadata(wanted.item_type), inspect.StrType)
    if is_of_strings and wanted.max_length is not None:
        return f"an array of at most {wanted.max_length} strings"
    return "an array"

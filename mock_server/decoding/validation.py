"""Conversion of plain data to types, which reports each mistake with its position.

It goes on after a mistake that `Place.report` only notes: then all are found at once.
`type_in_words` describes the expected type: `a whole number from 400 to 599 or null`.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Self, TypeGuard, Union, get_args, get_origin

import msgspec
from msgspec import Meta, Struct, UnsetType, structs

from mock_server.errors import InvalidField
from mock_server.text.redaction import is_secret
from mock_server.text.wording import closest_word, did_you_mean, value_in_words
from mock_server.timing.clock import A_TIME, ms_of
from mock_server.timing.system_time import RealTime

INVALID = object()
"""Stands for a value that could not be converted."""
MAX_COMPARED = 100
"""The most sent names that are compared with the name of a missing field."""
JsonPath = tuple[str | int, ...]
TYPE_WORDS: dict[Any, str] = {
    Any: "any value",
    bool: "true or false",
    bytes: "a text in base64",
    RealTime.Datetime: A_TIME,
    dict: "an object",
    float: "a number",
    int: "a whole number",
    list: "a list",
    NoneType: "null",
    str: "a text",
    tuple: "a list",
}
LENGTH_UNITS: dict[Any, str] = {str: " characters", list: " items", tuple: " items"}
"""The unit of the length of a text or a list."""
MAX_OR = 5
"""The most names that a message joins with `or`."""


class FieldError(ValueError):
    """A mistake in one field of an object, which the object's own check has found."""

    def __init__(self, message: str, field: str) -> None:
        super().__init__(message)
        self.field = field


class Place(Struct, frozen=True, eq=False, kw_only=True):
    """The position of a value in a request. The first reported mistake refuses the request."""

    path: JsonPath = ()
    is_strict: bool = True
    """Whether only a number is a number, as in JSON; in a query, the text "5" is one, too."""
    sent_names: Sequence[str] = ()
    """The names of all sent fields: a missing field may be among them, misspelled."""

    @property
    def problem_count(self) -> int:
        """How many mistakes were noted: none here, where the first one is raised."""
        return 0

    @property
    def is_secret(self) -> bool:
        """Whether the field has the name of a secret: the journal shows the message."""
        return bool(self.path) and is_secret(str(self.path[-1]))

    def below(self, *steps: str | int) -> Self:
        return structs.replace(self, path=self.path + steps)

    def report(self, expected: str, suggestion: str = "", *, at_key: bool = False) -> None:
        """Report a mistake in the value, or with `at_key` in its key. Raises InvalidField."""
        path = self.path[:-1] if at_key else self.path
        raise InvalidField(expected, where=json_path(path), suggestion=suggestion)

    def source_text(self, value: Any) -> str:
        """A number or a boolean as JSON."""
        return msgspec.json.encode(value).decode()


def json_path(path: JsonPath) -> str:
    """A path as text: `$.apps[0].id`."""
    text = "$"
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}"
    return text


def convert_or_report(value: Any, type_: Any, place: Place) -> Any:
    """Convert a value to a type, without its wrong values, which are reported; else INVALID."""
    cause: BaseException | None = None
    try:
        instance = msgspec.convert(value, type_, strict=place.is_strict)
        if isinstance(instance, datetime):
            ms_of(instance)
        return instance
    except (msgspec.ValidationError, ValueError) as error:
        # What `__post_init__` raised, if it was called: its message says what was expected.
        cause = error.__cause__
    # A mistake in a part of the value is reported there, not for the whole value.
    count_before = place.problem_count
    remains = _convert_content(value, [*map(plain_type, union_members(type_))], place)
    if place.problem_count > count_before:
        return remains
    if cause is None:
        _report_wrong(value, type_, place)
        return INVALID
    if isinstance(cause, FieldError):
        place = place.below(cause.field)
    place.report(str(cause).removeprefix("Expected "))
    return INVALID


def _convert_content(value: Any, types: list[Any], place: Place) -> Any:
    """An object or an array without its wrong values, which are reported; else INVALID."""
    structs_of_union = [*filter(is_struct, types)]
    if isinstance(value, dict) and structs_of_union:
        return _convert_struct(value, structs_of_union, place)
    for type_ in types:
        if isinstance(value, dict) and get_origin(type_) is dict:
            return _convert_dict(value, type_, place)
        if isinstance(value, list) and get_origin(type_) in (tuple, list):
            return _convert_list(value, get_args(type_)[0], place)
    return INVALID


def _convert_struct(value: dict[str, Any], types: list[type[Struct]], place: Place) -> Any:
    type_ = _find_struct(value, types, place)
    if type_ is None:
        return INVALID
    config = type_.__struct_config__
    fields = {it.encode_name: it for it in structs.fields(type_)}
    known_names = {*fields, config.tag_field}
    unknown_names = [name for name in value if name not in known_names]
    if config.forbid_unknown_fields:
        for name in unknown_names:
            _report_unknown(name, [*fields], place.below(name))
    # A missing field may be among the unknown ones, misspelled.
    other_names = [*unknown_names, *place.sent_names][:MAX_COMPARED]
    arguments: dict[str, Any] = {}
    for field in fields.values():
        item = _convert_field(value, field, other_names, place)
        if item is not INVALID:
            arguments[field.name] = item
    # A required field may be INVALID, or fields may contradict each other.
    try:
        return type_(**arguments)
    except (TypeError, ValueError):
        return INVALID


def _convert_field(
    value: dict[str, Any], field: structs.FieldInfo, other_names: list[str], place: Place
) -> Any:
    """The converted field of an object; INVALID if it is missing or wrong."""
    name = field.encode_name
    item = INVALID
    if name in value:
        item = convert_or_report(value[name], field.type, place.below(name))
    elif field.required:
        _report_missing(name, other_names, place.below(name))
    # An object is kept without a required text: other entries may refer to the object.
    if item is INVALID and field.required and field.type is str:
        return ""
    return item


def _report_unknown(name: str, fields: list[str], place: Place) -> None:
    """Report an unknown field; a similar one may be meant."""
    suggestion = did_you_mean(name, fields) or f" (fields: {', '.join(fields)})"
    place.report(f"no field {name!r}", suggestion, at_key=True)


def _report_missing(name: str, other_names: list[str], place: Place) -> None:
    """Report a missing required field; a similar sent name may be meant."""
    expected = f"the field {name!r}, which is missing"
    closest = closest_word(name, [it for it in other_names if it != name])
    if closest is not None:
        expected += f", got {closest!r}"
    place.report(expected)


def _find_struct(
    value: dict[str, Any], types: list[type[Struct]], place: Place
) -> type[Struct] | None:
    """The struct for an object: the only one, or the one of its tag; None for a wrong tag."""
    config = types[0].__struct_config__
    if len(types) == 1 and config.tag_field not in value:
        return types[0]
    tag_field = str(config.tag_field)
    tags = {str(it.__struct_config__.tag): it for it in types}
    tag = value.get(tag_field)
    if tag_field not in value:
        place.below(tag_field).report(f"the field {tag_field!r}, {alternatives_in_words([*tags])}")
    elif not isinstance(tag, str) or tag not in tags:
        suggestion = getattr(types[0], "TAG_SUGGESTIONS", {}).get(str(tag), "")
        _report_wrong(tag, Literal[tuple(tags)], place.below(tag_field), suggestion)
    return tags.get(str(tag))


def _convert_dict(value: dict[str, Any], type_: Any, place: Place) -> Any:
    key_type, item_type = get_args(type_)
    for key in value:
        try:
            msgspec.convert(key, key_type)
        except msgspec.ValidationError:
            _report_wrong(key, key_type, place.below(key), at_key=True)
    items = {
        key: convert_or_report(item, item_type, place.below(key)) for key, item in value.items()
    }
    return {key: item for key, item in items.items() if item is not INVALID}


def _convert_list(value: list[Any], type_: Any, place: Place) -> Any:
    items = [convert_or_report(item, type_, place.below(index)) for index, item in enumerate(value)]
    first_type = plain_type(union_members(type_)[0])
    # An empty text or object replaces an INVALID one, so that the others keep their indexes.
    if first_type is str:
        return tuple("" if it is INVALID else it for it in items)
    if not is_struct(first_type):
        return tuple(it for it in items if it is not INVALID)
    required = [it.name for it in structs.fields(first_type) if it.required]
    for index, item in enumerate(items):
        if item is INVALID:
            items[index] = first_type(**dict.fromkeys(required, ""))
    return tuple(items)


def _report_wrong(
    value: Any, type_: Any, place: Place, suggestion: str = "", *, at_key: bool = False
) -> None:
    """Report a value of a wrong type, with a suggestion that helps to correct it."""
    types = [*map(plain_type, union_members(type_))]
    expected = type_in_words(type_)
    got = value_in_words(value)
    # A number in place of a text lacks quotes, as 1.50 does for a version.
    if str in types and isinstance(value, int | float):
        number = place.source_text(value)
        with suppress(msgspec.ValidationError):
            msgspec.convert(number, type_)
            got = f'{number}, which needs quotes: "{number}"'
    if not place.is_secret:
        expected += f", got {got}"
    # The value may be misspelled, if the type lists texts.
    arguments = chain.from_iterable(map(get_args, types))
    texts = [it for it in arguments if isinstance(it, str)]
    place.report(expected, suggestion or did_you_mean(value, texts), at_key=at_key)


def type_in_words(type_: Any) -> str:
    """The values of a type in words. A pattern is described by the text of its `Meta`."""
    types = [it for it in union_members(type_) if it is not UnsetType]
    # Several structs are `an object`, which is said once.
    words = dict.fromkeys(map(_one_in_words, types))
    return " or ".join(words)


def alternatives_in_words(names: Sequence[object]) -> str:
    """Alternatives in words: `before or after`; more than MAX_OR as `one of a, b, c`."""
    texts = [str(it) or "an empty text" for it in names]
    if len(texts) > MAX_OR:
        return f"one of {', '.join(texts)}"
    return " or ".join(texts)


def union_members(type_: Any) -> list[Any]:
    """The types of a union, each with its annotations; any other type alone."""
    plain = plain_type(type_)
    if get_origin(plain) not in (Union, UnionType):
        return [type_]
    return [*chain.from_iterable(map(union_members, get_args(plain)))]


def plain_type(type_: Any) -> Any:
    """A type without annotations."""
    if get_origin(type_) is Annotated:
        return get_args(type_)[0]
    return type_


def is_struct(type_: object) -> TypeGuard[type[Struct]]:
    return isinstance(type_, type) and issubclass(type_, Struct)


def _one_in_words(type_: Any) -> str:
    plain = plain_type(type_)
    if get_origin(plain) is Literal:
        return alternatives_in_words(get_args(plain))
    if is_struct(plain):
        return TYPE_WORDS[dict]
    plain = get_origin(plain) or plain
    words = TYPE_WORDS[plain]
    for annotation in getattr(type_, "__metadata__", ()):
        if isinstance(annotation, Meta):
            words = annotation.description or words + _bounds_in_words(annotation, plain)
    return words


def _bounds_in_words(meta: Meta, type_: Any) -> str:
    """The bounds of a number, ` from 1 to 30`, or of a length, ` of at most 5 items`."""
    unit = LENGTH_UNITS.get(type_, "")
    limits = (
        *(("at least", meta.ge), ("at least", meta.min_length)),
        *(("more than", meta.gt), ("at most", meta.le), ("at most", meta.max_length)),
    )
    bounds = {name: f"{it:.15g}" for name, it in limits if it is not None}
    if not bounds:
        return ""
    if bounds.keys() == {"at least", "at most"}:
        start = " of" if unit else " from"
        return f"{start} {' to '.join(bounds.values())}{unit}"
    words = [f"{name} {number}" for name, number in bounds.items()]
    return f" of {' and '.join(words)}{unit}"

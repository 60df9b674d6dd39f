"""What becomes of the fields of a request in a release of FastGPT that has no schema for it.

JavaScript, and Mongoose, by which FastGPT writes to its database, make of each value what they can.
A cast is a function that does so with the value of one field, UNSET if it is missing. Its result is
what the operation gets: a value that it cannot take either fails there, UNSET leaves the field out,
which then has its default, and a kind of refusal refuses the request.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from msgspec import UNSET

from mock_server.errors import FailedField, Refusal
from mock_server.text.javascript import is_truthy, js_number, js_string

Cast = Callable[[Any], Any]
NO_ID = "[no id]"
"""A text that cannot be an id, in place of a value that cannot: the database refuses it."""
BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def is_given_and_truthy(value: Any) -> bool:
    """Whether a value is sent, and true in JavaScript."""
    return value is not UNSET and is_truthy(value)


def unless(is_special: Callable[[Any], bool], result: Any, cast: Cast) -> Cast:
    """A special value has a result of its own."""

    def cast_others(value: Any) -> Any:
        if is_special(value):
            return result
        return cast(value)

    return cast_others


def unchanged(value: Any) -> Any:
    return value


def is_null(value: Any) -> bool:
    return value is None


def is_missing(value: Any) -> bool:
    return value is UNSET


def is_missing_or_falsy(value: Any) -> bool:
    return not is_given_and_truthy(value)


# What Mongoose makes of a value. Null counts as missing.

null_as_missing = unless(is_null, UNSET, unchanged)
"""Null is missing."""


def text(value: Any) -> Any:
    """A number and a boolean become texts."""
    if isinstance(value, int | float):
        return js_string(value)
    return null_as_missing(value)


def number(value: Any) -> Any:
    """A text and a boolean may be numbers; an empty text is missing."""
    if value == "":
        return UNSET
    if not isinstance(value, str | bool):
        return null_as_missing(value)
    result = js_number(value)
    if result.is_integer():
        return int(result)
    return value


def boolean(value: Any) -> Any:
    """`"yes"`, `"1"` and 1 are true, `"no"`, `"0"` and 0 false."""
    if isinstance(value, int | float | str):
        return BOOLEANS.get(js_string(value), value)
    return null_as_missing(value)


def texts(value: Any) -> Any:
    """A list of texts; a value that is not true is missing."""
    if is_given_and_truthy(value) and isinstance(value, list):
        return [*map(text, value)]
    return falsy_as_missing(unchanged)(value)


def fail_unless(cast: Cast, types: Any, values: Collection[Any] = ()) -> Cast:
    """A value fails that is not of these types, or none of these values, once it is cast."""

    def cast_or_fail(value: Any) -> Any:
        result = cast(value)
        is_right = isinstance(result, types) and (result in values or not values)
        if is_right or result is UNSET:
            return result
        return FailedField

    return cast_or_fail


# What FastGPT's own code makes of a value

truthiness = unless(is_missing, UNSET, is_truthy)
"""True for all that is true in JavaScript."""
interpolated = unless(is_missing, "undefined", js_string)
"""The text that a template has for the value."""


def dropped(value: Any) -> Any:
    """Nobody looks at the value."""
    return UNSET


def identifier(value: Any) -> Any:
    """The id of an object; a value that is not true means none."""
    if value is UNSET or isinstance(value, str):
        return value
    if is_truthy(value):
        return NO_ID
    return None


def object_id(value: Any) -> Any:
    """As `identifier`, but a number becomes an id, which no object has."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and value:
        return "0" * 24
    return identifier(value)


def tag_ids(value: Any) -> Any:
    """A list of ids, or one alone; what has no length is missing."""
    if isinstance(value, list):
        return [*map(text, value)]
    if value is None:
        return value
    if isinstance(value, str) and value:
        return [value]
    return UNSET


def known_types(known: Collection[str]) -> Cast:
    """A type, or a list of types, of which those count that are known; null if none remains."""

    def cast(value: Any) -> Any:
        names = value
        if not isinstance(value, list):
            names = [value]
        known_names = [it for it in map(text, names) if it in known]
        if len(known_names) == 1:
            return known_names[0]
        return known_names or None

    return falsy_as_missing(cast)


def list_as_empty_text(value: Any) -> Any:
    """A list is a text of bytes."""
    if isinstance(value, list):
        return ""
    return value


def non_null_id(refusal: type[Refusal]) -> Cast:
    """The id of an object; null and a missing one are refused, and an empty one is no id."""
    cast = unless(is_missing, refusal, lambda value: identifier(value) or NO_ID)
    return unless(is_null, refusal, cast)


def required(refusal: type[Refusal], cast: Cast = null_as_missing) -> Cast:
    """A value without which the request is refused."""
    return unless(is_missing_or_falsy, refusal, cast)


def required_id(refusal: type[Refusal]) -> Cast:
    """The id of an object, without which the request is refused."""
    return required(refusal, identifier)


def falsy_as_missing(cast: Cast) -> Cast:
    """A value that is not true is missing."""
    return unless(is_missing_or_falsy, UNSET, cast)


def drop_unless(types: Any, cast: Cast = null_as_missing, values: Collection[Any] = ()) -> Cast:
    """A value is missing that is not of these types, or none of these values, once it is cast."""

    def cast_or_drop(value: Any) -> Any:
        result = fail_unless(cast, types, values)(value)
        if result is FailedField:
            return UNSET
        return result

    return cast_or_drop


def with_default(default: Any, cast: Cast = text) -> Cast:
    """A missing value has a default."""
    return unless(is_missing, default, cast)


def null_as(null: str, cast: Cast = text) -> Cast:
    """Null has a text of its own."""
    return unless(is_null, null, cast)


def refused(refusal: type[Refusal]) -> Cast:
    """Any value is refused."""
    return unless(is_missing, UNSET, lambda value: refusal)


def items_of(casts: Mapping[str, Cast]) -> Cast:
    """A list of objects with these fields; another item but null has none."""

    def item(value: Any) -> Any:
        if isinstance(value, dict):
            return cast_fields(value, casts)
        return value and {}

    def cast(value: Any) -> Any:
        if isinstance(value, list):
            return [*map(item, value)]
        return value

    return cast


def cast_fields(fields: Mapping[str, Any], casts: Mapping[str, Cast]) -> dict[str, Any]:
    """The fields as their casts make them."""
    result = {**fields, **{name: it(fields.get(name, UNSET)) for name, it in casts.items()}}
    return {name: value for name, value in result.items() if value is not UNSET}

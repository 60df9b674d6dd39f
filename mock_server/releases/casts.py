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
from mock_server.text.javascript import is_truthy, number_of, text_of

Cast = Callable[[Any], Any]
NO_ID = "[no id]"
"""A text that cannot be an id, in place of a value that cannot: the database refuses it."""
BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def is_given(value: Any) -> bool:
    """Whether a value is sent, and true in JavaScript."""
    return value is not UNSET and is_truthy(value)


# What Mongoose makes of a value. Null counts as missing.


def if_null(value: Any) -> Any:
    """Null is missing."""
    return UNSET if value is None else value


def text(value: Any) -> Any:
    """A number and a boolean become texts."""
    return text_of(value) if isinstance(value, int | float) else if_null(value)


def number(value: Any) -> Any:
    """A text and a boolean may be numbers; an empty text is missing."""
    if value == "" or not isinstance(value, str | bool):
        return UNSET if value == "" else if_null(value)
    found = number_of(value)
    return int(found) if found.is_integer() else value


def boolean(value: Any) -> Any:
    """`"yes"`, `"1"` and 1 are true, `"no"`, `"0"` and 0 false."""
    is_plain = isinstance(value, int | float | str)
    return BOOLEANS.get(text_of(value), value) if is_plain else if_null(value)


def texts(value: Any) -> Any:
    """A list of texts; a value that is not true is missing."""
    if not is_given(value):
        return UNSET
    return [*map(text, value)] if isinstance(value, list) else value


def checked(cast: Cast, kinds: Any, values: Collection[Any] = ()) -> Cast:
    """A value fails that is not of these types, or none of these values, once it is cast."""

    def cast_or_fail(value: Any) -> Any:
        made = cast(value)
        is_right = isinstance(made, kinds) and (made in values or not values)
        return made if is_right or made is UNSET else FailedField

    return cast_or_fail


# What FastGPT's own code makes of a value


def flag(value: Any) -> Any:
    """True for all that is true in JavaScript."""
    return value if value is UNSET else is_truthy(value)


def dropped(value: Any) -> Any:
    """Nobody looks at the value."""
    return UNSET


def template(value: Any) -> Any:
    """The text that a template has for the value, `undefined` for a missing one."""
    return "undefined" if value is UNSET else text_of(value)


def identifier(value: Any) -> Any:
    """The id of an object; a value that is not true means none."""
    if value is UNSET or isinstance(value, str):
        return value
    return NO_ID if is_truthy(value) else None


def object_id(value: Any) -> Any:
    """As `identifier`, but a number is made an id, which no object has."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "0" * 24 if is_number and value else identifier(value)


def tag_ids(value: Any) -> Any:
    """A list of ids, or one alone; what has no length is missing."""
    if isinstance(value, list) or value is None:
        return value and [*map(text, value)]
    return [value] if isinstance(value, str) and value else UNSET


def types(known: Collection[str]) -> Cast:
    """A type, or a list of types, of which those count that are known; null if none remains."""

    def cast(value: Any) -> Any:
        names = value if isinstance(value, list) else [value]
        found = [it for it in map(text, names) if it in known]
        if not is_given(value):
            return UNSET
        return found[0] if len(found) == 1 else found or None

    return cast


def bytes_of(value: Any) -> Any:
    """A list is a text of bytes."""
    return "" if isinstance(value, list) else value


def id_unless_null(kind: type[Refusal]) -> Cast:
    """The id of an object; null and a missing one are refused, and an empty one is no id."""
    return lambda value: kind if value in (None, UNSET) else identifier(value) or NO_ID


def needed(kind: type[Refusal], cast: Cast = if_null) -> Cast:
    """A value without which the request is refused."""
    return lambda value: cast(value) if is_given(value) else kind


def id_or(kind: type[Refusal]) -> Cast:
    """The id of an object, without which the request is refused."""
    return needed(kind, identifier)


def if_true(cast: Cast) -> Cast:
    """A value that is not true is missing."""
    return lambda value: cast(value) if is_given(value) else UNSET


def only(kinds: Any, cast: Cast = if_null, values: Collection[Any] = ()) -> Cast:
    """A value is missing that is not of these types, or none of these values, once it is cast."""

    def cast_or_drop(value: Any) -> Any:
        made = checked(cast, kinds, values)(value)
        return UNSET if made is FailedField else made

    return cast_or_drop


def otherwise(default: Any, cast: Cast = text) -> Cast:
    """A missing value has a default."""
    return lambda value: default if value is UNSET else cast(value)


def text_or(null: str, cast: Cast = text) -> Cast:
    """Null has a text of its own."""
    return lambda value: null if value is None else cast(value)


def refused(kind: type[Refusal]) -> Cast:
    """Any value is refused."""
    return lambda value: value if value is UNSET else kind


def items_of(casts: Mapping[str, Cast]) -> Cast:
    """A list of objects with these fields; another item but null has none."""

    def item(value: Any) -> Any:
        return value and (cast_fields(value, casts) if isinstance(value, dict) else {})

    return lambda value: [*map(item, value)] if isinstance(value, list) else value


def cast_fields(fields: Mapping[str, Any], casts: Mapping[str, Cast]) -> dict[str, Any]:
    """The fields as their casts make them."""
    made = {**fields, **{name: it(fields.get(name, UNSET)) for name, it in casts.items()}}
    return {name: value for name, value in made.items() if value is not UNSET}

"""What becomes of the fields of a request in a release of FastGPT that has no schema for it.

JavaScript, and Mongoose, by which FastGPT writes to its database, make of each value what they can.
A cast is a function that does so with the value of one field, UNSET if it is missing. UNSET as its
result leaves the field out, which then has its default.
"""

from collections.abc import Callable, Collection, Mapping
from math import isnan
from typing import Any

from msgspec import UNSET

from mock_server.errors import FailedField, InvalidField, Refusal
from mock_server.text.javascript import is_truthy, number_of, text_of

Cast = Callable[[Any], Any]
NO_ID = "[no id]"
"""A text that cannot be an id, in place of a value that cannot: the database refuses it."""
BOOLEANS = {
    **dict.fromkeys(("true", "1", "yes"), True),
    **dict.fromkeys(("false", "0", "no"), False),
}


class CannotCast(Exception):
    """A value that fails, or is refused with another `kind` of refusal."""

    def __init__(self, expected: str, kind: type[Refusal] = FailedField) -> None:
        super().__init__(expected)
        self.expected = expected
        self.kind = kind
        self.field = ""
        """The field with the value, once it is known."""


# What Mongoose makes of a value. Null counts as missing.


def text(value: Any) -> Any:
    """A number and a boolean become texts; a list and an object fail."""
    if value is None or value is UNSET:
        return UNSET
    if isinstance(value, dict | list):
        raise CannotCast("a text, a number or a boolean")
    return text_of(value)


def number(value: Any) -> Any:
    """A text may be a number; an empty one is missing, any other fails, and so does a list."""
    if value is UNSET or value is None or value == "":
        return UNSET
    found = number_of(value)
    if isinstance(value, list) or isnan(found):
        raise CannotCast("a number")
    return int(found) if found.is_integer() else found


def boolean(value: Any) -> Any:
    """`"yes"`, `"1"` and 1 are true, `"no"`, `"0"` and 0 false; other values fail."""
    if value is None or value is UNSET:
        return UNSET
    found = BOOLEANS.get(text_of(value))
    if found is None or isinstance(value, list):
        raise CannotCast("a boolean")
    return found


def texts(value: Any) -> Any:
    """A list of texts; a value that is not true is missing, any other fails."""
    if value is UNSET or not is_truthy(value):
        return UNSET
    if not isinstance(value, list):
        raise CannotCast("a list of texts")
    return [*map(text, value)]


def one_of(*values: str) -> Cast:
    """Another text fails."""

    def cast(value: Any) -> Any:
        found = text(value)
        if found is not UNSET and found not in values:
            raise CannotCast(" or ".join(values))
        return found

    return cast


def text_or(null: str, cast: Cast = text) -> Cast:
    """Null has a text of its own."""
    return lambda value: null if value is None else cast(value)


def required_text(value: Any) -> Any:
    """The model of the database needs the text: an empty one and null fail."""
    if value is None or value == "":
        raise CannotCast("a text that is not empty")
    return text(value)


# What FastGPT's own code makes of a value


def flag(value: Any) -> Any:
    """True for all that is true in JavaScript."""
    return value if value is UNSET else is_truthy(value)


def dropped(value: Any) -> Any:
    """Nobody looks at the value."""
    return UNSET


def plain_text(value: Any) -> Any:
    """Only a text can be searched; null is missing."""
    if value is UNSET or value is None or isinstance(value, str):
        return UNSET if value is None else value
    raise CannotCast("a text")


def if_null(value: Any) -> Any:
    """Null is missing."""
    return UNSET if value is None else value


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
    """A list of ids, or one alone; null fails, and what has no length is missing."""
    if value is None:
        raise CannotCast("a list of the ids of tags")
    if isinstance(value, str) and value:
        return [value]
    return [*map(text, value)] if isinstance(value, list) else UNSET


def search_key(value: Any) -> Any:
    """A value that is not true is missing; only a text can be searched."""
    return if_true(plain_text)(value)


def types(known: Collection[str]) -> Cast:
    """A type, or a list of types, of which those count that are known, if any are given.

    If none remains, nothing is found.
    """

    def cast(value: Any) -> Any:
        if value is UNSET or not is_truthy(value):
            return UNSET
        names = [text(it) for it in (value if isinstance(value, list) else [value])]
        found = [it for it in names if it in known]
        if known and not found:
            raise CannotCast("a type that objects have", InvalidField)
        return found if known else (names or [""])[0]

    return cast


def bytes_of(value: Any) -> Any:
    """A list is a text of bytes."""
    return "" if isinstance(value, list) else value


def needed(kind: type[Refusal]) -> Cast:
    """A value without which the request is refused."""

    def cast(value: Any) -> Any:
        if value is UNSET or not is_truthy(value):
            raise CannotCast("a value", kind)
        return value

    return cast


def id_unless_null(kind: type[Refusal]) -> Cast:
    """The id of an object; null and a missing one are refused, and an empty one is no id."""

    def cast(value: Any) -> Any:
        if value is None or value is UNSET:
            raise CannotCast("an id", kind)
        return identifier(value) or NO_ID

    return cast


def id_or(kind: type[Refusal]) -> Cast:
    """The id of an object, without which the request is refused."""

    def cast(value: Any) -> Any:
        if value is UNSET or not is_truthy(value):
            raise CannotCast("an id", kind)
        return identifier(value)

    return cast


def if_true(cast: Cast) -> Cast:
    """A value that is not true is missing."""
    return lambda value: cast(value) if value is not UNSET and is_truthy(value) else UNSET


def if_right(cast: Cast) -> Cast:
    """A value that cannot be cast is missing."""

    def cast_or_drop(value: Any) -> Any:
        try:
            return cast(value)
        except CannotCast:
            return UNSET

    return cast_or_drop


def only(kind: type) -> Cast:
    """A value of another type is missing."""
    return lambda value: value if isinstance(value, kind) else UNSET


def otherwise(default: Any, cast: Cast = text) -> Cast:
    """A missing value has a default."""
    return lambda value: default if value is UNSET else cast(value)


def refused(kind: type[Refusal]) -> Cast:
    """Any value is refused."""

    def cast(value: Any) -> Any:
        if value is not UNSET:
            raise CannotCast("no such field", kind)
        return UNSET

    return cast


def items_of(casts: Mapping[str, Cast]) -> Cast:
    """A list of objects with these fields; another item has none, and null fails."""

    def cast(value: Any) -> Any:
        if not isinstance(value, list) or None in value:
            raise CannotCast("a list of objects")
        return [cast_fields(it, casts) if isinstance(it, dict) else {} for it in value]

    return cast


def cast_fields(fields: Mapping[str, Any], casts: Mapping[str, Cast]) -> dict[str, Any]:
    """The fields as their casts make them. Raises CannotCast."""
    made = {**fields}
    for name, cast in casts.items():
        try:
            made[name] = cast(fields.get(name, UNSET))
        except CannotCast as error:
            error.field = name
            raise
    return {name: value for name, value in made.items() if value is not UNSET}

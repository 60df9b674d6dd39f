"""Where a body departs from the spec, and which choice tolerates that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from msgspec import inspect

from mock_server.api.bodies import RequestFields
from mock_server.domain.choices import Choices
from mock_server.domain.errors import cut, describe_value
from mock_server.domain.journal import Violation
from mock_server.validation.convert import as_number, is_number_field
from mock_server.validation.walk import describe_type, fits

_WHEN_MISSING = {"offset": "offset_missing", "top": "top_missing"}


def extension_fields(section: str, choices: Choices) -> frozenset[str]:
    """The fields beyond an operation's spec that these choices have a meaning for."""
    fields: set[str] = set()
    if section == "4.1" and choices.top_missing == "ignore":
        fields |= {"title", "customTitle"}
    if section == "4.2" and choices.offset_missing == "accept":
        fields.add("pageNum")
    if section == "4.2" and choices.list_filters == "honour":
        fields |= {"selectFolder", "filterTags"}
    return frozenset(fields)


def tolerated(departure: Violation, choices: Choices) -> bool:
    """Whether the choices in force let a departure pass."""
    match departure.name:
        case "page_size_over_limit":
            return choices.page_size_over_limit == "clamp"
        case "numeric_strings":
            return choices.numeric_strings == "accept"
        case "offset_missing":
            return choices.offset_missing == "accept"
        case "top_missing":
            return choices.top_missing == "ignore"
        case "unknown_fields":
            field = departure.path.removeprefix("$.")
            known = extension_fields(departure.section, choices)
            return choices.unknown_fields == "ignore" or field in known
        case "parent_empty_string":
            return True  # both of its values are answers
    return False


def find_violations(
    body: Mapping[str, object], kind: type[RequestFields], section: str
) -> Iterator[Violation]:
    """Every way in which a JSON object is not what the spec says."""
    yield from unknown_fields(body, kind, section)
    yield from departures_of_known(body, kind, section)


def unknown_fields(
    body: Mapping[str, object], kind: type[RequestFields], section: str
) -> Iterator[Violation]:
    """The fields that the spec does not have."""
    fields = _fields(kind)
    expected = f"Expected only the fields {', '.join(fields)}, got "
    for name in body:
        if name not in fields:
            yield _at(name, "unknown_fields", section, expected + describe_value(name))


def departures_of_known(
    body: Mapping[str, object], kind: type[RequestFields], section: str
) -> Iterator[Violation]:
    """What is not as the spec says of the fields that it has."""
    fields = _fields(kind)
    for name, field in fields.items():
        if name in body:
            yield from _in_field(field, body[name], section)
        elif field.required:
            choice = _WHEN_MISSING.get(name, "invalid_field")
            yield _at(name, choice, section, _expected(field, "nothing"))


def _in_field(field: inspect.Field, value: object, section: str) -> Iterator[Violation]:
    name, number = field.encode_name, value
    message = _expected(field, describe_value(value))
    if is_number_field(field):
        number = as_number(value)
        if isinstance(value, str) and number is not value:
            yield _at(name, "numeric_strings", section, message)
    if not fits(number, field.type):
        over = name == "pageSize" and isinstance(number, int) and number > 0
        over = over and not isinstance(number, bool)
        choice = "page_size_over_limit" if over else "invalid_field"
        yield _at(name, choice, section, message)
    if name == "parentId" and value == "":
        message = 'Expected null or the _id of a folder, got the string ""'
        yield _at(name, "parent_empty_string", section, message)


def _expected(field: inspect.Field, got: str) -> str:
    return f"Expected {describe_type(field.type)}, got {got}"


def _at(name: str, choice: str, section: str, message: str) -> Violation:
    path = f"$.{cut(name)}"
    return Violation(choice, section, path, f"{message} - at {path}")


@cache
def _fields(kind: type[RequestFields]) -> Mapping[str, inspect.Field]:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)  # noqa: S101 - all bodies are
    return {field.encode_name: field for field in info.fields}

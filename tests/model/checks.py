"""What the fields of related routes have to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Check = Callable[[Any], bool]


@dataclass(frozen=True)
class Field:
    """One field of a request."""

    is_valid: Check
    is_required: bool = False
    is_idle: bool = False


def check(given: Mapping[str, Any], fields: Mapping[str, Field]) -> bool:
    """Whether all that is needed is given, and everything is valid."""
    return all(
        field.is_valid(given[name]) if name in given else not field.is_required
        for name, field in fields.items()
    )


def text(value: Any) -> bool:
    return isinstance(value, str)


def some_text(value: Any) -> bool:
    return text(value) and value != ""


def text_or(valid: Check) -> Check:
    return lambda value: text(value) or valid(value)


def anything(_: Any) -> bool:
    return True


def flag(value: Any) -> bool:
    return isinstance(value, bool)


def whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def at_least(least: int, most: int = 2**53) -> Check:
    return lambda value: whole(value) and least <= value <= most


def number(value: Any) -> bool:
    return whole(value) or isinstance(value, float)


def number_or_flag(value: Any) -> bool:
    return number(value) or flag(value)


def paging_number(value: Any) -> bool:
    return text(value) or number(value)


def nullable(valid: Check) -> Check:
    return lambda value: value is None or valid(value)


def one_of(*values: str) -> Check:
    return lambda value: isinstance(value, str) and value in values


def many(valid: Check, least: int = 0, most: int = 1000) -> Check:
    return lambda value: (
        isinstance(value, list)
        and least <= len(value) <= most
        and all(map(valid, value))
    )


def mapping(value: Any) -> bool:
    return isinstance(value, dict)


def with_fields(**checks: Check) -> Check:
    """An object whose fields are valid, those that there are."""
    return lambda value: (
        mapping(value)
        and all(
            name not in value or valid(value[name]) for name, valid in checks.items()
        )
    )


def index(value: Any) -> bool:
    return (
        with_fields(text=text, type=one_of("default", "custom"))(value)
        and "text" in value
    )

"""One field of a body: what it is to be, and what its departures are called."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from msgspec import Meta, inspect
from msgspec.structs import replace

from mock_server.api.operations.near_fields import meant_by_unknown
from mock_server.domain.choices import Choices
from mock_server.domain.errors import cut, describe_value
from mock_server.domain.journal import HONOURED, IGNORED, Violation
from mock_server.domain.limits import Limits
from mock_server.domain.tolerance import remedies, tolerated, tolerates
from mock_server.validation.convert import is_number_field
from mock_server.validation.walk import (
    as_number,
    describe_type,
    dotted,
    integral_as_int,
    is_valid,
    mistakes_of,
    without_metadata,
)


def departures(
    *,
    missing: str = "",
    without: str = IGNORED,
    text: str = "",
    over: str = "",
    most: str = "",
    empty: tuple[str, str] | None = None,
) -> Meta:
    """What departures of a field from the spec are called, beside its type.

    `missing`: a required field is not there; `without` is then the effect. `text`: a
    number comes as digits in a string. `over`: a number is over the maximum of the
    spec; the choice `most` has the largest that is served. `empty`: a string is empty;
    with it goes what is expected instead. A name is that of the choice that may
    tolerate the departure; any other departure is `invalid_field`, which none
    tolerates.
    """
    named = {"missing": missing, "text": text, "over": over, "empty": empty}
    return Meta(extra=named | {"without": without, "most": most})


SECRET = Meta(extra={"is_secret": True})
"""Marks a field that messages do not repeat."""


def extension(
    choice: str, *, instead_of: str | None = None, effect: str = HONOURED
) -> Meta:
    """Marks a field that the spec does not have, but a tolerant value of a choice.

    Where it stands `instead_of` another field, it is read only if that is missing.
    `effect` is what becomes of it where it is read.
    """
    about = {"choice": choice, "instead_of": instead_of, "effect": effect}
    return Meta(extra=about)


class Field:
    """One field of a body: its type, and what its departures are called."""

    def __init__(self, field: inspect.Field, section: str) -> None:
        self.name = field.encode_name
        self.attribute = field.name
        self.is_required = field.required
        self._type = field.type
        self._section = section
        self._is_number = is_number_field(field)
        # Where a string is as good as a number, digits are nothing to convert.
        takes_text = self._is_number and is_valid("1", field.type)
        self._as_number = integral_as_int if takes_text else as_number
        extra = _extra(field.type)
        self._missing = extra.get("missing") or "invalid_field"
        self._without: str = extra.get("without", IGNORED)
        self._text = extra.get("text") or "invalid_field"
        self._over = extra.get("over") or "invalid_field"
        self._most: str = extra.get("most", "")
        self.empty: tuple[str, str] | None = extra.get("empty")
        self.choice: str = extra.get("choice", "")
        self.instead_of: str | None = extra.get("instead_of")
        self.effect: str = extra.get("effect", HONOURED)
        self._is_secret: bool = extra.get("is_secret", False)

    def missing(
        self, choices: Choices, *, has_another: bool, unknown: str | None = None
    ) -> Violation:
        """The violation of a body that lacks the field, or has another in its place.

        `unknown` is a field of the body that may be meant for it.
        """
        effect = HONOURED if has_another else self._without
        departure = self._departure(self._missing, "nothing", effect)
        hint = meant_by_unknown(unknown, self.name)
        if hint:
            departure = replace(departure, message=departure.message + hint)
        return judged(departure, choices)

    def read(self, given: object, choices: Choices) -> tuple[object, list[Violation]]:
        """A value, numbers as integers where they can be, and where it departs."""
        value = self._as_number(given) if self._is_number else given
        got, found = "another value" if self._is_secret else describe_value(given), []
        # A string of digits is a number by now; any other is of the wrong type.
        if self._is_number and isinstance(given, str) and value is not given:
            departure = self._departure(self._text, got, expected=self._served(choices))
            found.append(judged(departure, choices))
        if isinstance(given, list | dict) and not self._is_number:
            return value, self._inside(given)
        if not is_valid(value, self._type):
            # The least that is allowed is 0 or 1: what is positive is over the maximum.
            # A boolean is an int to Python, but not to JSON.
            is_over = type(value) is int and value > 0
            invalid = self._departure(
                "invalid_field", got, expected=self._served(choices)
            )
            found.append(
                self._too_large(value, got, choices)
                if is_over
                else judged(invalid, choices)
            )
        if given == "" and self.empty is not None:
            name, expected = self.empty
            departure = self._departure(name, got, expected=expected)
            found.append(judged(departure, choices))
        return value, found

    def _too_large(self, value: Any, got: str, choices: Choices) -> Violation:
        """The violation of a number over the maximum, which the spec has."""
        departure = self._departure(self._over, got, expected=self._served(choices))
        if not self._most:
            return judged(departure, choices)
        most = getattr(choices, self._most)
        if value <= most:
            # Served, though the spec has a smaller number.
            return self._departure(self._over, got)
        if tolerates(choices, self._over):
            return replace(departure, effect=f"counted as {most}")
        larger = [
            f"{self._most}={most}"
            for most in tolerated(self._most)
            if isinstance(most, int) and value <= most
        ]
        return departure.refused(*remedies(choices, self._over), *larger)

    def _served(self, choices: Choices) -> str:
        """What is served, in words: that may be larger numbers than the spec has."""
        if not self._most:
            return describe_type(self._type)
        kinds = map(without_metadata, getattr(self._type, "types", (self._type,)))
        number = next(each for each in kinds if isinstance(each, inspect.IntType))
        return describe_type(replace(number, le=getattr(choices, self._most)))

    def _inside(self, given: object) -> list[Violation]:
        """The mistakes in an array or an object, with their places."""
        found = mistakes_of(given, self._type, (cut(self.name),))
        places = ((each.message, dotted(each.path)) for each in found)
        # One more than are told, so that it shows that there are more.
        return [
            Violation("invalid_field", self._section, path, f"{message} - at {path}")
            for message, path in islice(places, Limits.told_problems + 1)
        ]

    def _departure(
        self, name: str, got: str, effect: str = HONOURED, expected: str = ""
    ) -> Violation:
        expected = expected or describe_type(self._type)
        reason = f"{expected}, got {got}"
        return violation_of(self.name, name, self._section, reason, effect)


def _extra(kind: inspect.Type) -> Mapping[str, Any]:
    """What `departures` or `extension` says, alone or within a union."""
    for each in getattr(kind, "types", (kind,)):
        if isinstance(each, inspect.Metadata) and each.extra:
            return each.extra
    return {}


def violation_of(
    field: str, name: str, section: str, reason: str, effect: str
) -> Violation:
    """A departure of a field, by its name, with what was expected and what came."""
    path = f"$.{cut(field)}"
    return Violation(name, section, path, f"Expected {reason} - at {path}", effect)


def judged(departure: Violation, choices: Choices) -> Violation:
    """A departure that is refused, with what would serve it, unless it is tolerated."""
    if tolerates(choices, departure.name):
        return departure
    return departure.refused(*remedies(choices, departure.name))

"""What the body of an operation is to be, and how one is read that departs from it.

A body on contract is decoded in one step, at C speed. Any other is read field by field:
that gives its values and its departures at the same time. What no choice tolerates is
refused; the journal lists every departure, whether or not it was tolerated.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct, inspect
from msgspec.structs import replace

from mock_server.api.errors import BadJson
from mock_server.api.request import check_integers, read_json
from mock_server.domain.choices import (
    Choices,
    remedies,
    table,
    tolerated,
    tolerates,
    with_choices,
)
from mock_server.domain.errors import InvalidField, cut, describe_value
from mock_server.domain.journal import HONOURED, IGNORED, REFUSED, Violation
from mock_server.validation.convert import is_number_field
from mock_server.validation.walk import (
    as_number,
    describe_type,
    dotted,
    integral_as_int,
    is_valid,
    mistakes_of,
)


class RequestFields(Struct, rename="camel", forbid_unknown_fields=True):
    """The fields of a body as the spec has them; there are no others."""


F = TypeVar("F", bound=RequestFields)

_DOCUMENTED = Choices()

NOT_ON_CONTRACT = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a decoder raises for a body that is not as the spec says."""


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

    def missing(self, choices: Choices, *, has_another: bool) -> Violation:
        """The violation of a body that lacks the field, or has another in its place."""
        effect = HONOURED if has_another else self._without
        return _judged(self._departure(self._missing, "nothing", effect), choices)

    def read(self, given: object, choices: Choices) -> tuple[object, list[Violation]]:
        """A value, numbers as integers where they can be, and where it departs."""
        value = self._as_number(given) if self._is_number else given
        got, found = "another value" if self._is_secret else describe_value(given), []
        # A string of digits is a number by now; any other is of the wrong type.
        if self._is_number and isinstance(given, str) and value is not given:
            found.append(_judged(self._departure(self._text, got), choices))
        if isinstance(given, list | dict):
            return value, self._inside(given)
        if not is_valid(value, self._type):
            # The least that is allowed is 0 or 1: what is positive is over the maximum.
            # A boolean is an int to Python, but not to JSON.
            is_over = type(value) is int and value > 0
            found.append(
                self._too_large(value, got, choices)
                if is_over
                else _judged(self._departure("invalid_field", got), choices)
            )
        if given == "" and self.empty is not None:
            name, expected = self.empty
            departure = self._departure(name, got, expected=expected)
            found.append(_judged(departure, choices))
        return value, found

    def _too_large(self, value: Any, got: str, choices: Choices) -> Violation:
        """The violation of a number over the maximum, which the spec has."""
        departure = self._departure(self._over, got)
        if not self._most:
            return _judged(departure, choices)
        most = getattr(choices, self._most)
        if value <= most:
            return departure
        if tolerates(choices, self._over):
            return replace(departure, effect=f"counted as {most}")
        larger = [
            f"{self._most}={most}"
            for most in tolerated(self._most)
            if isinstance(most, int) and value <= most
        ]
        return departure.refused(*remedies(choices, self._over), *larger)

    def _inside(self, given: object) -> list[Violation]:
        """The first mistake in an array or an object, with its place."""
        mistake = next(mistakes_of(given, self._type, (cut(self.name),)), None)
        if mistake is None:
            return []
        path = dotted(mistake.path)
        message = f"{mistake.message} - at {path}"
        return [Violation("invalid_field", self._section, path, message)]

    def _departure(
        self, name: str, got: str, effect: str = HONOURED, expected: str = ""
    ) -> Violation:
        expected = expected or describe_type(self._type)
        reason = f"{expected}, got {got}"
        return _violation(self.name, name, self._section, reason, effect)


class Contract(Generic[F]):
    """The body of one operation: as `section` of the spec says, and beyond it.

    `fields` is the type that the spec describes; `extensions` are fields that choices
    have a meaning for.
    """

    def __init__(
        self,
        section: str,
        fields: type[F],
        extensions: type[RequestFields] | None = None,
    ) -> None:
        self.section = section
        self.fields = fields
        self._extensions_type = extensions

    def read(self, content: bytes, choices: Choices) -> dict[str, Any]:
        """The values of a body of which every departure is tolerated, by field.

        What is missing is not among them. Raises BadJson, and InvalidField for the
        first departure that the choices in force do not tolerate.
        """
        body = read_json(content)
        # Before the fields: it holds for unknown ones too, however deep.
        check_integers(content, body)
        values, violations = self._examine(body, self._fields, choices)
        extended = self.extension_fields(choices, body)
        further, _ = self._examine(body, extended, choices)
        mistakes = self._mistakes(body, extended, choices)
        unknown: Iterable[Violation] = ()
        if choices.unknown_fields == "reject":
            # Otherwise a hundred thousand unknown fields are not even named.
            unknown = self._unknown(body, choices)
        for violation in chain(unknown, violations, mistakes):
            if violation.effect == REFUSED:
                raise InvalidField(violation.message)
        return values | further

    def find_violations(
        self, content: bytes, choices: Choices = _DOCUMENTED
    ) -> Iterator[Violation]:
        """Every departure of a body from the spec, and its effect with these choices.

        The effect is that on a request that is not refused for another reason.
        """
        # Nearly all are on contract, and whoever reads a journal asks about thousands.
        try:
            if not self._has_empty(self.decoder.decode(content)):
                return
        except NOT_ON_CONTRACT:
            pass
        try:
            body = read_json(content)
            check_integers(content, body)
        except (BadJson, InvalidField) as refusal:
            path = refusal.message.rpartition(" - at ")[2]
            yield Violation("invalid_field", self.section, path, refusal.message)
        else:
            # Whatever choices read: to the spec `pageNum` is an unknown field too.
            yield from self._unknown(body, choices)
            yield from self._examine(body, self._fields, choices)[1]

    def _mistakes(
        self,
        body: Mapping[str, object],
        extended: Mapping[str, Field],
        choices: Choices,
    ) -> Iterator[Violation]:
        """What is wrong with the fields that choices, not the spec, have a meaning for.

        A value of the choice that has none for such a field may serve the body.
        """
        for name, field in extended.items():
            for each in self._examine(body, {name: field}, choices)[1]:
                if each.name != "invalid_field":
                    yield each
                    continue
                others = [
                    f"{field.choice}={value}"
                    for value in table()[field.choice].values
                    if self._serves(body, with_choices(choices, {field.choice: value}))
                ]
                yield each.refused(*others)

    def _serves(self, body: Mapping[str, object], choices: Choices) -> bool:
        """Whether every departure of a body is tolerated."""
        fields = {**self._fields, **self.extension_fields(choices, body)}
        found: Iterable[Violation] = self._examine(body, fields, choices)[1]
        if choices.unknown_fields == "reject":
            found = chain(found, self._unknown(body, choices))
        return not any(each.effect == REFUSED for each in found)

    def extension_fields(
        self, choices: Choices, body: Container[str]
    ) -> dict[str, Field]:
        """The fields of a body that these choices, not the spec, have a meaning for."""
        return {
            name: field
            for name, field in self._extensions.items()
            if name in body and tolerates(choices, field.choice)
        }

    def _examine(
        self, body: Mapping[str, object], fields: Mapping[str, Field], choices: Choices
    ) -> tuple[dict[str, object], list[Violation]]:
        """The values of these fields in a body, and where they depart."""
        values: dict[str, object] = {}
        violations = []
        for name, field in fields.items():
            # For most fields it is None, which no body has.
            if name in body and field.instead_of not in body:
                values[name], found = field.read(body[name], choices)
                violations += found
            elif field.is_required:
                others = self._extensions.items()
                has_another = any(
                    each.instead_of == name and other in body for other, each in others
                )
                violations.append(field.missing(choices, has_another=has_another))
        return values, violations

    def _unknown(
        self, body: Mapping[str, object], choices: Choices
    ) -> Iterator[Violation]:
        """The fields of a body that the spec does not have, also where choices do.

        None if the type of the body is open to further fields.
        """
        if not self.fields.__struct_config__.forbid_unknown_fields:
            return
        expected = f"only the fields {', '.join(self._fields)}"
        for name in body:
            if name not in self._fields:
                got = f"the field {describe_value(name).removeprefix('the string ')}"
                departure = _violation(
                    name,
                    "unknown_fields",
                    self.section,
                    f"{expected}, got {got}",
                    IGNORED,
                )
                yield self._judged_unknown(departure, name, body, choices)

    def _judged_unknown(
        self,
        departure: Violation,
        name: str,
        body: Mapping[str, object],
        choices: Choices,
    ) -> Violation:
        """An unknown field's departure with its effect: a choice may read the field."""
        field = self._extensions.get(name)
        if field is None:
            return _judged(departure, choices)
        is_used = field.instead_of not in body
        if tolerates(choices, field.choice):
            return replace(departure, effect=field.effect) if is_used else departure
        if tolerates(choices, departure.name):
            return departure
        mistakes = field.read(body[name], choices)[1] if is_used else ()
        is_wrong = any(each.effect == REFUSED for each in mistakes)
        others = () if is_wrong else remedies(choices, field.choice)
        return departure.refused(*remedies(choices, departure.name), *others)

    def _has_empty(self, decoded: F) -> bool:
        """Whether a field is empty that may not be, though its type allows it."""
        return any(
            getattr(decoded, field.attribute) == ""
            for field in self._fields.values()
            if field.empty is not None
        )

    # Made when first needed: few bodies depart, and importing is to be quick. All
    # decoders together take 2 ms.
    @cached_property
    def decoder(self) -> msgspec.json.Decoder[F]:
        """Decodes a body on contract; raises NOT_ON_CONTRACT for any other."""
        return msgspec.json.Decoder(self.fields)

    @cached_property
    def _fields(self) -> Mapping[str, Field]:
        return _fields(self.fields, self.section)

    @cached_property
    def _extensions(self) -> Mapping[str, Field]:
        kind = self._extensions_type
        return {} if kind is None else _fields(kind, self.section)


def _fields(kind: type[RequestFields], section: str) -> dict[str, Field]:
    info = inspect.type_info(kind)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    return {each.encode_name: Field(each, section) for each in fields}


def _extra(kind: inspect.Type) -> Mapping[str, Any]:
    """What `departures` or `extension` says, alone or within a union."""
    for each in getattr(kind, "types", (kind,)):
        if isinstance(each, inspect.Metadata) and each.extra:
            return each.extra
    return {}


def _violation(
    field: str, name: str, section: str, reason: str, effect: str
) -> Violation:
    path = f"$.{cut(field)}"
    return Violation(name, section, path, f"Expected {reason} - at {path}", effect)


def _judged(departure: Violation, choices: Choices) -> Violation:
    """A departure that is refused, with what would serve it, unless it is tolerated."""
    if tolerates(choices, departure.name):
        return departure
    return departure.refused(*remedies(choices, departure.name))

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

from mock_server.api.errors import BadJson
from mock_server.api.request import check_integers, read_json
from mock_server.domain.choices import Choices, tolerates
from mock_server.domain.errors import InvalidField, cut, describe_value
from mock_server.domain.journal import Violation
from mock_server.validation.convert import is_number_field
from mock_server.validation.walk import as_number, describe_type, is_valid


class RequestFields(Struct, rename="camel", forbid_unknown_fields=True):
    """The fields of a body as the spec has them; there are no others."""


F = TypeVar("F", bound=RequestFields)

NOT_ON_CONTRACT = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a decoder raises for a body that is not as the spec says."""


def departures(
    *,
    missing: str = "",
    text: str = "",
    over: str = "",
    empty: tuple[str, str] | None = None,
) -> Meta:
    """What departures of a field from the spec are called, beside its type.

    `missing`: a required field is not there. `text`: a number comes as digits in a
    string. `over`: a number is over the maximum. `empty`: a string is empty; with it
    goes what is expected instead. A name is that of the choice that may tolerate the
    departure; any other departure is `invalid_field`, which none tolerates.
    """
    return Meta(extra={"missing": missing, "text": text, "over": over, "empty": empty})


def extension(choice: str, *, instead_of: str | None = None) -> Meta:
    """Marks a field that the spec does not have, but a tolerant value of a choice.

    Where it stands `instead_of` another field, it is read only if that is missing.
    """
    return Meta(extra={"choice": choice, "instead_of": instead_of})


class Field:
    """One field of a body: its type, and what its departures are called."""

    def __init__(self, field: inspect.Field, section: str) -> None:
        self.name = field.encode_name
        self.attribute = field.name
        self.is_required = field.required
        self._type = field.type
        self._section = section
        self._is_number = is_number_field(field)
        extra = _extra(field.type)
        self._missing = extra.get("missing") or "invalid_field"
        self._over = extra.get("over") or "invalid_field"
        self._text = extra.get("text") or "invalid_field"
        self.empty: tuple[str, str] | None = extra.get("empty")
        self.choice: str = extra.get("choice", "")
        self.instead_of: str | None = extra.get("instead_of")

    def missing(self) -> Violation:
        """The violation of a body that lacks the field."""
        return self._violation(self._missing, describe_type(self._type), "nothing")

    def read(self, given: object) -> tuple[object, list[Violation]]:
        """A value, numbers as integers where they can be, and where it departs."""
        value = as_number(given) if self._is_number else given
        found = []
        # A string of digits is a number by now; any other is of the wrong type.
        if self._is_number and isinstance(given, str) and value is not given:
            found.append(self._text)
        if not is_valid(value, self._type):
            # The least that is allowed is 0 or 1: what is positive is over the maximum.
            # A boolean is an int to Python, but not to JSON.
            is_over = type(value) is int and value > 0
            found.append(self._over if is_over else "invalid_field")
        violations = [
            self._violation(name, describe_type(self._type), describe_value(given))
            for name in found
        ]
        if given == "" and self.empty is not None:
            violations.append(self._violation(*self.empty, describe_value(given)))
        return value, violations

    def _violation(self, name: str, expected: str, got: str) -> Violation:
        return _violation(self.name, name, self._section, f"{expected}, got {got}")


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
        self.decoder = msgspec.json.Decoder(fields)
        """Decodes a body on contract; raises NOT_ON_CONTRACT for any other."""

    def read(self, content: bytes, choices: Choices) -> dict[str, Any]:
        """The values of a body of which every departure is tolerated, by field.

        What is missing is not among them. Raises BadJson, and InvalidField for the
        first departure that the choices in force do not tolerate.
        """
        body = read_json(content)
        # Before the fields: it holds for unknown ones too, however deep.
        check_integers(content, body)
        values, violations = self._examine(body, self._fields)
        extended = self.extension_fields(choices, body)
        further, mistakes = self._examine(body, extended)
        unknown: Iterable[Violation] = ()
        if choices.unknown_fields == "reject":
            # Otherwise a hundred thousand unknown fields are not even named.
            unknown = self._unknown(body, extended)
        for violation in chain(unknown, violations, mistakes):
            if not tolerates(choices, violation.name):
                raise InvalidField(violation.message)
        return values | further

    def find_violations(self, content: bytes) -> Iterator[Violation]:
        """Every departure of a body from the spec, whatever is tolerated."""
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
            yield from self._unknown(body, {})
            yield from self._examine(body, self._fields)[1]

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
        self, body: Mapping[str, object], fields: Mapping[str, Field]
    ) -> tuple[dict[str, object], list[Violation]]:
        """The values of these fields in a body, and where they depart."""
        values: dict[str, object] = {}
        violations = []
        for name, field in fields.items():
            # For most fields it is None, which no body has.
            if name in body and field.instead_of not in body:
                values[name], found = field.read(body[name])
                violations += found
            elif field.is_required:
                violations.append(field.missing())
        return values, violations

    def _unknown(
        self, body: Mapping[str, object], extended: Mapping[str, Field]
    ) -> Iterator[Violation]:
        """The fields of a body that neither the spec has, nor is among `extended`.

        None if the type of the body is open to further fields.
        """
        if not self.fields.__struct_config__.forbid_unknown_fields:
            return
        expected = f"only the fields {', '.join(self._fields)}"
        for name in body:
            if name not in self._fields and name not in extended:
                message = f"{expected}, got {describe_value(name)}"
                yield _violation(name, "unknown_fields", self.section, message)

    def _has_empty(self, decoded: F) -> bool:
        """Whether a field is empty that may not be, though its type allows it."""
        return any(
            getattr(decoded, field.attribute) == ""
            for field in self._fields.values()
            if field.empty is not None
        )

    # Looked at when first needed: few bodies depart, and importing is to be quick.
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


def _violation(field: str, name: str, section: str, expected: str) -> Violation:
    path = f"$.{cut(field)}"
    return Violation(name, section, path, f"Expected {expected} - at {path}")

"""The body of an operation by the spec, and how a body that violates it is read.

A valid body is decoded in one step, at C speed. Any other is read field by field, for
its values and its violations at the same time. A violation that no choice tolerates is
refused; the journal lists all of them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from mock_server.api.errors import BadJson
from mock_server.api.operations import nearest
from mock_server.api.operations.body_field import Field, judged, violation_of
from mock_server.api.request import check_integers, read_json
from mock_server.domain.choices.reading import remedies, tolerates
from mock_server.domain.choices.table import Choices, table, with_choices
from mock_server.domain.errors import InvalidField, InvalidFields, Refusal
from mock_server.domain.journal import IGNORED, REFUSED, Violation
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.messages import all_problems, describe_value
from mock_server.domain.objects.pending import AT_ONCE, Steps, made
from mock_server.domain.validation.convert import with_integers
from mock_server.domain.versions import facts_of


class RequestFields(Struct, rename="camel", forbid_unknown_fields=True):
    """The fields of a body by the spec; others are unknown."""

    def check(self) -> None:
        """Raise InvalidField if a rule beyond types is broken."""


F = TypeVar("F", bound=RequestFields)

_DOCUMENTED = Choices()

NOT_ON_CONTRACT = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of a decoder for a body that violates the spec."""


class Contract(Generic[F]):
    """The body of one operation, by `section` of the spec and by choices.

    `fields` is the type of the spec; `extensions` are fields that only choices give a
    meaning; `where` says where a missing field is looked for. Unless it `is_checked`,
    versions without schemas skip idle fields, and take null for absent. If it
    `is_strict`, versions with schemas refuse unknown fields under every choice.
    """

    def __init__(
        self,
        section: str,
        fields: type[F],
        extensions: type[RequestFields] | None = None,
        *,
        where: str = "",
        is_checked: bool = True,
        is_strict: bool = False,
    ) -> None:
        self.section, self._where = section, f" ({where})" if where else ""
        self._is_checked, self._is_strict = is_checked, is_strict
        self.is_closed = fields.__struct_config__.forbid_unknown_fields
        self.fields = fields
        self._extensions_type = extensions
        self.decoder = msgspec.json.Decoder(fields)
        """Decodes a valid body; raises NOT_ON_CONTRACT for any other."""

    def read(
        self, content: bytes, choices: Choices, ignored: list[str] | None = None
    ) -> F:
        """Return a body's fields, for an operation that ignores violations.

        Raises as `values`, and NotReady for a large body.
        """
        try:
            if len(content) <= DEFAULT_LIMITS.body_bytes:
                fields: F | None = self.decoder.decode(content)
            else:
                fields = made(self, content, self._reading(content))
        except NOT_ON_CONTRACT:
            fields = None
        if fields is None:
            values = self.values(content, choices, ignored)
            fields = with_integers(values, self.fields)
        if self.looks_at_all(choices):
            fields.check()
        return fields

    def _reading(self, content: bytes) -> Steps[F | None]:
        """Decode a large body in its own step; None if it violates the spec."""
        for _ in range(AT_ONCE):
            yield
        with suppress(*NOT_ON_CONTRACT):
            return self.decoder.decode(content)
        return None

    def values(
        self, content: bytes, choices: Choices, ignored: list[str] | None = None
    ) -> dict[str, Any]:
        """Return the values by field of a body whose violations are all tolerated.

        Missing fields are left out. The list `ignored` gets a hint if an ignored field
        resembles another. Raises BadJson, and InvalidField for all violations that the
        choices in force do not tolerate.
        """
        body = read_json(content)
        # Before the fields: the rule holds for unknown fields too, at any depth.
        check_integers(content, body)
        body = self._looked_at(body, choices)
        values, refused = self._read(body, choices)
        first = next(refused, None)
        if first is not None:
            reported = self._meant_for_missing(body, self._fields).values()
            others = nearest.ignored(body, self.names, [*reported])
            others = others if choices.unknown_fields == "ignore" else []
            raise InvalidFields(all_problems(chain([first], refused, others)))
        if ignored is not None:
            ignored += nearest.ignored(body, self.names)
        return values

    def looks_at_all(self, choices: Choices) -> bool:
        """Return whether the version in force checks all fields."""
        return self._is_checked or facts_of(choices.version).fields_are_checked

    def _refuses_unknown(self, choices: Choices) -> bool:
        return self._is_strict and facts_of(choices.version).fields_are_checked

    def _looked_at(
        self, body: dict[str, object], choices: Choices
    ) -> dict[str, object]:
        """Return the fields of a body that the version in force reads."""
        if self.looks_at_all(choices):
            return body
        known = self._fields
        return {
            name: value
            for name, value in body.items()
            if (field := known.get(name)) is None
            or not (field.about.is_idle or (value is None and field.may_be_dropped))
        }

    def name_unknown(self, refusal: Refusal, content: bytes) -> None:
        """Add to the refusal of a missing field the unknown field that may be meant."""
        name = getattr(refusal, "at", "").removeprefix("$.")
        if name in self._fields:
            body = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
            unknown = (each for each in body if each not in self.names)
            given = nearest.given_for({name} - body.keys(), unknown).get(name)
            refusal.message += nearest.meant_by_unknown(given, name)

    def find_violations(
        self, content: bytes, choices: Choices = _DOCUMENTED
    ) -> Iterator[Violation]:
        """Yield every violation of the spec by a body, and its effect by these choices.

        The effect is that on a request that is not refused for another reason.
        """
        # Nearly all bodies are valid, and a journal may have thousands.
        try:
            if self.is_closed and not self._has_empty(
                fields := self.decoder.decode(content)
            ):
                if self.looks_at_all(choices):
                    fields.check()
                return
        except InvalidField as refusal:
            yield Violation(
                "invalid_field", self.section, refusal.at, refusal.message, REFUSED
            )
            return
        except NOT_ON_CONTRACT:
            pass
        try:
            body = read_json(content)
            check_integers(content, body)
        except (BadJson, InvalidField) as refusal:
            at = refusal.at
            yield Violation("invalid_field", self.section, at, refusal.message)
        else:
            body = self._looked_at(body, choices)
            # Under any choices: to the spec `pageNum` is an unknown field too.
            yield from self._unknown(body, choices)
            yield from self._examine(body, self._fields, choices)[1]

    def _read(
        self, body: Mapping[str, object], choices: Choices
    ) -> tuple[dict[str, object], Iterator[str]]:
        """Return the values of a body by field, and the messages of refused fields."""
        # Beside the spec's fields, those that these choices add.
        extended = {
            name: field
            for name, field in self._extensions.items()
            if tolerates(choices, field.about.choice)
        }
        values, found = self._examine(body, {**self._fields, **extended}, choices)
        unknown: Iterable[Violation] = ()
        if choices.unknown_fields == "reject" or self._refuses_unknown(choices):
            # Otherwise a hundred thousand unknown fields would be listed in vain.
            unknown = self._unknown(body, choices)
        every = chain(unknown, found)
        return values, (each.message for each in every if each.effect == REFUSED)

    def _with_remedies(
        self,
        mistake: Violation,
        choice: str,
        body: Mapping[str, object],
        choices: Choices,
    ) -> Violation:
        """Return a mistake in a field that `choice` adds to the spec, with remedies.

        A value of the choice that ignores the field may serve the body.
        """
        if not choice or mistake.name != "invalid_field":
            return mistake
        served_by = []
        for value in table()[choice].values:
            other = with_choices(choices, {choice: value})
            is_read = tolerates(other, choice)
            if not is_read and next(self._read(body, other)[1], None) is None:
                served_by.append(f"{choice}={value}")
        return mistake.refused(*served_by)

    def _examine(
        self, body: Mapping[str, object], fields: Mapping[str, Field], choices: Choices
    ) -> tuple[dict[str, object], list[Violation]]:
        values: dict[str, object] = {}
        violations = []
        meant_for = self._meant_for_missing(body, fields)
        for name, field in fields.items():
            # `instead_of` is None for most fields, and no body has a field None.
            if name in body and field.about.instead_of not in body:
                values[name], found = field.read(body[name], choices)
                choice = field.about.choice
                for each in found:
                    violations.append(self._with_remedies(each, choice, body, choices))
            elif field.is_required:
                others = self._extensions.items()
                another = (
                    other
                    for other, each in others
                    if each.about.instead_of == name and other in body
                )
                missing = field.missing(
                    choices, another=next(another, ""), unknown=meant_for.get(name)
                )
                message = missing.message + self._where
                violations.append(replace(missing, message=message))
        return values, violations

    def _meant_for_missing(
        self, body: Mapping[str, object], fields: Mapping[str, Field]
    ) -> Mapping[str, str]:
        """Return the unknown field that each missing field is likely given as."""
        missing = [
            name
            for name, field in fields.items()
            if field.is_required and name not in body
        ]
        if not missing:
            return {}
        known = {*self._fields, *self._extensions}
        return nearest.given_for(missing, (name for name in body if name not in known))

    def _unknown(
        self, body: Mapping[str, object], choices: Choices
    ) -> Iterator[Violation]:
        """Yield the fields of a body that the spec lacks, even if choices add them.

        If the type is open to other fields, yield only misspelled missing fields.
        """
        expected = f"only the fields {', '.join(self._fields)}"
        missing = [name for name in self._fields if name not in body]
        plain = [nearest.letters(name) for name in missing]
        for name in body:
            is_meant = self.is_closed or nearest.letters(name) in plain
            if is_meant and name not in self._fields:
                got = f"the field {describe_value(name).removeprefix('the string ')}"
                reason = f"{expected}, got {got}"
                violation = violation_of(
                    name, "unknown_fields", self.section, reason, IGNORED
                )
                field = self._extensions.get(name)
                if self._refuses_unknown(choices):
                    yield violation.refused()
                elif field is None:
                    message = violation.message + nearest.meant(name, missing)
                    yield judged(replace(violation, message=message), choices)
                else:
                    yield _judged_extension(violation, field, body, choices)

    def _has_empty(self, decoded: F) -> bool:
        """Return whether a field, or what items need, is empty against the spec."""
        return any(
            getattr(decoded, field.attribute) == ""
            if field.about.empty is not None
            else not all(
                getattr(each, need) for each in getattr(decoded, field.attribute)
            )
            for field in self._fields.values()
            if (need := field.about.items_need) or field.about.empty is not None
        )

    @property
    def names(self) -> Collection[str]:
        """Return the names of all fields that the operation can read."""
        return [*self._fields, *self._extensions]

    def needs(self, name: str) -> bool:
        """Return whether a field is required."""
        return name in self._fields and self._fields[name].is_required

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


def _judged_extension(
    violation: Violation, field: Field, body: Mapping[str, object], choices: Choices
) -> Violation:
    is_used = field.about.instead_of not in body
    if tolerates(choices, field.about.choice):
        return replace(violation, effect=field.about.effect) if is_used else violation
    if tolerates(choices, violation.name):
        return violation
    mistakes = field.read(body[field.name], choices)[1] if is_used else ()
    is_wrong = any(each.effect == REFUSED for each in mistakes)
    others = () if is_wrong else remedies(choices, field.about.choice)
    return violation.refused(*remedies(choices, violation.name), *others)

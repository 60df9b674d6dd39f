"""What the body of an operation is to be, and how one is read that departs from it.

A body on contract is decoded in one step, at C speed. Any other is read field by field:
that gives its values and its departures at the same time. What no choice tolerates is
refused; the journal lists every departure, whether or not it was tolerated.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import chain, islice
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from mock_server.api.errors import BadJson
from mock_server.api.operations import nearest
from mock_server.api.operations.body_field import Field, idle_in, judged, violation_of
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
    """The fields of a body as the spec has them; there are no others."""

    def check(self) -> None:
        """Raise InvalidField for what types cannot say."""


F = TypeVar("F", bound=RequestFields)

_DOCUMENTED = Choices()
_TOLD = 5
"""Fields without effect that a hint names."""

NOT_ON_CONTRACT = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a decoder raises for a body that is not as the spec says."""


class Contract(Generic[F]):
    """The body of one operation: as `section` of the spec says, and beyond it.

    `fields` is the type that the spec describes; `extensions` are fields that choices
    have a meaning for; `where` says of one that is missing where it is looked for.
    Unless it `is_checked`, versions without schemas do not look at what is idle, and
    take null for nothing. If it `is_strict`, versions with schemas refuse unknown
    fields under every choice.
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
        """Decodes a body on contract; raises NOT_ON_CONTRACT for any other."""

    def read(
        self, content: bytes, choices: Choices, ignored: list[str] | None = None
    ) -> F:
        """The fields of a body, for an operation that no departure tells apart.

        Raises as `values`, and NotReady for a large one.
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
        """Decode a body by itself, before anything is done; None if it departs."""
        for _ in range(AT_ONCE):
            yield
        with suppress(*NOT_ON_CONTRACT):
            return self.decoder.decode(content)
        return None

    def values(
        self, content: bytes, choices: Choices, ignored: list[str] | None = None
    ) -> dict[str, Any]:
        """The values of a body of which every departure is tolerated, by field.

        What is missing is not among them. The list `ignored` gets what to say of a
        field that is, though it is likely meant for another. Raises BadJson, and
        InvalidField for all departures that the choices in force do not tolerate.
        """
        body = read_json(content)
        # Before the fields: it holds for unknown ones too, however deep.
        check_integers(content, body)
        body = self._looked_at(body, choices)
        values, refused = self._read(body, choices)
        first = next(refused, None)
        if first is not None:
            told = self._meant_for_missing(body, self._fields).values()
            others = nearest.ignored(body, self.names, [*told])
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
        """Return the fields of a body at which the version in force looks."""
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
        """Say in a refusal for want of a field which unknown one may be meant."""
        name = getattr(refusal, "at", "").removeprefix("$.")
        if name in self._fields:
            body = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
            unknown = (each for each in body if each not in self.names)
            given = nearest.given_for({name} - body.keys(), unknown).get(name)
            refusal.message += nearest.meant_by_unknown(given, name)

    def find_violations(
        self, content: bytes, choices: Choices = _DOCUMENTED
    ) -> Iterator[Violation]:
        """Every departure of a body from the spec, and its effect with these choices.

        The effect is that on a request that is not refused for another reason.
        """
        # Nearly all are on contract, and whoever reads a journal asks about thousands.
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
            # Whatever choices read: to the spec `pageNum` is an unknown field too.
            yield from self._unknown(body, choices)
            yield from self._examine(body, self._fields, choices)[1]

    def tell_idle(self, content: bytes | None) -> str:
        """Say which fields of a body change nothing here; nothing if it has none."""
        try:
            body = msgspec.json.decode(content or b"null")
        except NOT_ON_CONTRACT:
            return ""
        found = [*islice(idle_in(body, inspect.type_info(self.fields), ()), _TOLD + 1)]
        more = ["and more"] if len(found) > _TOLD else []
        told = ", ".join([*found[:_TOLD], *more])
        return f"known, without effect here: {told}" if told else ""

    def _read(
        self, body: Mapping[str, object], choices: Choices
    ) -> tuple[dict[str, object], Iterator[str]]:
        """The values of a body by field, and why it is refused, if it is."""
        # Beside the spec's, the fields that these choices have a meaning for.
        extended = {
            name: field
            for name, field in self._extensions.items()
            if tolerates(choices, field.about.choice)
        }
        values, found = self._examine(body, {**self._fields, **extended}, choices)
        unknown: Iterable[Violation] = ()
        if choices.unknown_fields == "reject" or self._refuses_unknown(choices):
            # Otherwise a hundred thousand unknown fields are not even named.
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
        """A mistake in a field, for which this choice has a meaning, not the spec.

        A value of the choice that has none for the field may serve the body.
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
            # For most fields it is None, which no body has.
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
        """By missing field the unknown one of a body that is likely meant for it."""
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
        """The fields of a body that the spec does not have, also where choices do.

        If its type is open to further fields, only what is a missing one but for case.
        """
        expected = f"only the fields {', '.join(self._fields)}"
        missing = [name for name in self._fields if name not in body]
        plain = [nearest.letters(name) for name in missing]
        for name in body:
            is_meant = self.is_closed or nearest.letters(name) in plain
            if is_meant and name not in self._fields:
                got = f"the field {describe_value(name).removeprefix('the string ')}"
                reason = f"{expected}, got {got}"
                departure = violation_of(
                    name, "unknown_fields", self.section, reason, IGNORED
                )
                field = self._extensions.get(name)
                if self._refuses_unknown(choices):
                    yield departure.refused()
                elif field is None:
                    message = departure.message + nearest.meant(name, missing)
                    yield judged(replace(departure, message=message), choices)
                else:
                    yield _judged_extension(departure, field, body, choices)

    def _has_empty(self, decoded: F) -> bool:
        """Whether a field is empty though its type allows it, or what items need."""
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
        """The names of all fields that the operation has a meaning for."""
        return [*self._fields, *self._extensions]

    def needs(self, name: str) -> bool:
        """Whether a field may not be left out."""
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
    departure: Violation, field: Field, body: Mapping[str, object], choices: Choices
) -> Violation:
    is_used = field.about.instead_of not in body
    if tolerates(choices, field.about.choice):
        return replace(departure, effect=field.about.effect) if is_used else departure
    if tolerates(choices, departure.name):
        return departure
    mistakes = field.read(body[field.name], choices)[1] if is_used else ()
    is_wrong = any(each.effect == REFUSED for each in mistakes)
    others = () if is_wrong else remedies(choices, field.about.choice)
    return departure.refused(*remedies(choices, departure.name), *others)

"""Reads an operation's body, valid or not, and finds its violations of the spec.

A valid body is decoded in one step, at C speed. Any other is read field by field, for
its values and its violations at the same time. A violation that no choice tolerates
fails the body; the journal lists all.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct, inspect

from mock_server.api.errors import BadJson
from mock_server.api.operations import nearest
from mock_server.api.operations.body_field import idle_in
from mock_server.api.operations.known_fields import KnownFields
from mock_server.api.request import check_counts, check_integers, read_json
from mock_server.domain.choices.reading import tolerates
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField, InvalidFields, Refusal
from mock_server.domain.journal import REFUSED, Violation
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.messages import all_problems
from mock_server.domain.objects.pending import AT_ONCE, Steps, made
from mock_server.domain.validation.convert import with_integers
from mock_server.domain.versions import facts_of


class RequestFields(Struct, rename="camel", forbid_unknown_fields=True):
    """The fields of a body by the spec; others are unknown."""

    def check(self) -> None:
        """Raise InvalidField if a rule beyond types is broken."""


F = TypeVar("F", bound=RequestFields)

_DOCUMENTED = Choices()
_TOLD = 5
"""Fields without effect that a hint names."""

NOT_ON_CONTRACT = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of a decoder for a body that violates the spec."""
_SHORT_BYTES = 4 * 1024
"""A body of so many bytes cannot have values that take long to decode."""


class Contract(Generic[F]):
    """The body of one operation, by `section` of the spec and by choices.

    `fields` is the type of the spec; `extensions` are fields that only choices give a
    meaning; `where` says where a missing field is looked for. Unless it `is_checked`,
    versions without schemas skip idle fields and treat null as absent. If it
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
        self.section, self.fields, self.where = section, fields, where
        self.known = KnownFields(section, fields, extensions, where, is_strict)
        self._is_checked = is_checked
        self.decoder = msgspec.json.Decoder(fields)
        """Decodes a valid body; raises NOT_ON_CONTRACT for any other."""

    def read(
        self, content: bytes, choices: Choices, ignored: list[str] | None = None
    ) -> F:
        """Return a body's fields, for an operation that ignores violations.

        Raises as `values`, and NotReady for a large body.
        """
        try:
            if len(content) <= _SHORT_BYTES:
                fields: F | None = self.decoder.decode(content)
            elif len(content) <= DEFAULT_LIMITS.body_bytes:
                check_counts(content)
                fields = self.decoder.decode(content)
            else:
                found = made(self, content, self._reading(content))
                if isinstance(found, Refusal):
                    raise found
                fields = found
        except NOT_ON_CONTRACT:
            fields = None
        if fields is None:
            values = self.values(content, choices, ignored)
            fields = with_integers(values, self.fields)
        if self.looks_at_all(choices):
            fields.check()
        return fields

    def _reading(self, content: bytes) -> Steps[F | Refusal | None]:
        """Check and decode a large body in two steps; None if it violates the spec."""
        for _ in range(AT_ONCE):
            yield
        with suppress(*NOT_ON_CONTRACT):
            try:
                check_counts(content)
            except BadJson as refusal:
                return refusal
            for _ in range(AT_ONCE):
                yield
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
        values, refused = self.known.read(body, choices)
        first = next(refused, None)
        if first is not None:
            own = self.known.fields
            reported = [
                given
                for name, given in self.known.meant_for_missing(body, own).items()
                if not tolerates(choices, own[name].about.missing)
            ]
            others = nearest.ignored(body, self.known.names, reported)
            others = others if choices.unknown_fields == "ignore" else []
            raise InvalidFields(all_problems(chain([first], refused, others)))
        if ignored is not None:
            ignored += nearest.ignored(body, self.known.names)
        return values

    def looks_at_all(self, choices: Choices) -> bool:
        """Return whether the version in force checks all fields."""
        return self._is_checked or facts_of(choices.version).fields_are_checked

    def _looked_at(
        self, body: dict[str, object], choices: Choices
    ) -> dict[str, object]:
        """Return the fields of a body that the version in force reads."""
        if self.looks_at_all(choices):
            return body
        known = self.known.fields
        return {
            name: value
            for name, value in body.items()
            if (field := known.get(name)) is None
            or not (field.about.is_idle or (value is None and field.may_be_dropped))
        }

    def name_unknown(self, refusal: Refusal, content: bytes) -> None:
        """Add to the refusal of a missing field the unknown field that may be meant."""
        name = getattr(refusal, "at", "").removeprefix("$.")
        if name in self.known.fields:
            body = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
            unknown = (each for each in body if each not in self.known.names)
            given = nearest.given_for({name} - body.keys(), unknown).get(name)
            refusal.message += nearest.meant_by_unknown(given, name)

    def find_violations(
        self, content: bytes, choices: Choices = _DOCUMENTED
    ) -> Iterator[Violation]:
        """Yield every violation of the spec by a body, and its effect by these choices.

        The effect assumes that the request is not refused for another reason.
        """
        # Nearly all bodies are valid, and a journal may have thousands.
        try:
            if len(content) > _SHORT_BYTES:
                check_counts(content)
            if self.known.is_closed and not self._has_empty(
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
        except (*NOT_ON_CONTRACT, BadJson):
            pass
        try:
            body = read_json(content)
            check_integers(content, body)
        except (BadJson, InvalidField) as refusal:
            at = refusal.at
            yield Violation("invalid_field", self.section, at, refusal.message)
        else:
            body = self._looked_at(body, choices)
            yield from self.known.departures(body, choices)

    def tell_idle(self, content: bytes | None) -> str:
        """Return a hint that names fields without effect; "" if all have one."""
        try:
            body = msgspec.json.decode(content or b"null")
        except NOT_ON_CONTRACT:
            return ""
        found = [*islice(idle_in(body, inspect.type_info(self.fields), ()), _TOLD + 1)]
        more = ["and more"] if len(found) > _TOLD else []
        named = ", ".join([*found[:_TOLD], *more])
        return f"known, without effect here: {named}" if named else ""

    @property
    def names(self) -> Collection[str]:
        """Return the names of all fields that the operation can read."""
        return self.known.names

    def needs(self, name: str) -> bool:
        """Return whether a field is required."""
        return name in self.known.fields and self.known.fields[name].is_required

    def _has_empty(self, decoded: F) -> bool:
        """Return whether a field, or a field of its items, is empty and must not be."""
        return any(
            getattr(decoded, field.attribute) == ""
            if field.about.empty is not None
            else not all(
                getattr(each, need) for each in getattr(decoded, field.attribute)
            )
            for field in self.known.fields.values()
            if (need := field.about.items_need) or field.about.empty is not None
        )

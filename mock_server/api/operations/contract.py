"""What the body of an operation is to be, and how one is read that departs from it.

A body on contract is decoded in one step, at C speed. Any other is read field by field:
that gives its values and its departures at the same time. What no choice tolerates is
refused; the journal lists every departure, whether or not it was tolerated.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from mock_server.api.errors import BadJson
from mock_server.api.operations import nearest
from mock_server.api.operations.known_fields import KnownFields
from mock_server.api.request import check_integers, read_json
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField, InvalidFields, Refusal
from mock_server.domain.journal import REFUSED, Violation
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.messages import all_problems
from mock_server.domain.objects.pending import AT_ONCE, Steps, made
from mock_server.domain.validation.convert import with_integers
from mock_server.domain.versions import facts_of


class RequestFields(Struct, rename="camel", forbid_unknown_fields=True):
    """The fields of a body as the spec has them; there are no others."""

    def check(self) -> None:
        """Raise InvalidField for what types cannot say."""


F = TypeVar("F", bound=RequestFields)

_DOCUMENTED = Choices()

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
        self.section, self.fields = section, fields
        self.known = KnownFields(section, fields, extensions, where, is_strict)
        self._is_checked = is_checked
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
        values, refused = self.known.read(body, choices)
        first = next(refused, None)
        if first is not None:
            told = self.known.meant_for_missing(body, self.known.fields).values()
            others = nearest.ignored(body, self.known.names, [*told])
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
        """Return the fields of a body at which the version in force looks."""
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
        """Say in a refusal for want of a field which unknown one may be meant."""
        name = getattr(refusal, "at", "").removeprefix("$.")
        if name in self.known.fields:
            body = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
            unknown = (each for each in body if each not in self.known.names)
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
            yield from self.known.departures(body, choices)

    @property
    def names(self) -> Collection[str]:
        """The names of all fields that the operation has a meaning for."""
        return self.known.names

    def needs(self, name: str) -> bool:
        """Whether a field may not be left out."""
        return name in self.known.fields and self.known.fields[name].is_required

    def _has_empty(self, decoded: F) -> bool:
        """Whether a field is empty though its type allows it, or what items need."""
        return any(
            getattr(decoded, field.attribute) == ""
            if field.about.empty is not None
            else not all(
                getattr(each, need) for each in getattr(decoded, field.attribute)
            )
            for field in self.known.fields.values()
            if (need := field.about.items_need) or field.about.empty is not None
        )

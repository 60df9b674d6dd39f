"""Reads the body of an operation, valid or not, and finds its violations of the spec.

A valid body is decoded in one fast step. Any other body is read field by field; this
finds its values and its violations in one pass. A body is refused for each violation
that the choices in force do not tolerate; the journal lists all violations.
"""

from collections.abc import Collection, Iterator
from contextlib import suppress
from itertools import chain, islice
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from mock_server.api.errors import BadJson
from mock_server.api.operations import nearest
from mock_server.api.operations.body_field import fields_without_effect
from mock_server.api.operations.known_fields import KnownFields
from mock_server.api.request import check_counts, check_integers, read_json
from mock_server.domain.choices.reading import tolerates
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField, InvalidFields, Refusal
from mock_server.domain.journal import REFUSED, Violation
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.messages import all_problems
from mock_server.domain.objects.pending import FIRST_STEPS, Steps, compute
from mock_server.domain.validation import walk
from mock_server.domain.validation.convert import with_integers
from mock_server.domain.versions import facts_of


class RequestFields(Struct, rename="camel", forbid_unknown_fields=True):
    """The fields that the spec allows in a body."""

    def check(self) -> None:
        """Raise InvalidField if the fields break a rule that types cannot express."""


F = TypeVar("F", bound=RequestFields)

_DOCUMENTED = Choices()
_MAX_HINTED = 5
"""Maximum number of fields without effect that a hint names."""

DECODE_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors of a decoder for a body that violates the spec."""
_SHORT_BYTES = 4 * 1024
"""A body of at most this size is always fast to decode."""


class Contract(Generic[F]):
    """Reads the bodies of one operation, and finds their violations.

    `section` is the section of the spec that violations cite, `fields` the type of the
    spec. `extensions` are fields that are read only with some choices; `fields_hint`
    says where fields are read. If `is_always_checked` is False, a version that
    does not check all fields skips fields without effect, and takes null in an optional
    field for a missing field. If `is_strict`, versions that check all fields refuse
    unknown fields under every choice.
    """

    def __init__(
        self,
        section: str,
        fields: type[F],
        extensions: type[RequestFields] | None = None,
        *,
        fields_hint: str = "",
        is_always_checked: bool = True,
        is_strict: bool = False,
    ) -> None:
        self.section, self.fields, self.fields_hint = section, fields, fields_hint
        self.known_fields = KnownFields(
            section, fields, extensions, fields_hint, is_strict
        )
        self._is_always_checked = is_always_checked
        self.decoder = msgspec.json.Decoder(fields)
        """Decodes a valid body; raises DECODE_ERRORS for any other."""

    def read(
        self, content: bytes, choices: Choices, ignored: list[str] | None = None
    ) -> F:
        """Return the fields of a body; violations that choices tolerate are ignored.

        `ignored` gets hints, as in `values`. Raises BadJson, InvalidField, and NotReady
        while a large body is being decoded.
        """
        hints: list[str] = []
        if len(content) > Published.free_body_bytes:
            # The application has checked the counts of a body as large as this.
            steps = self._read_in_steps(content, choices)
            fields, hints = compute(self, (content, choices), steps)
        else:
            is_short = len(content) <= _SHORT_BYTES
            try:
                if not is_short:
                    check_counts(content)
                fields = self.decoder.decode(content)
                if is_short and ignored is not None:
                    hints = self.known_fields.typo_hints(content)
            except DECODE_ERRORS:
                values = self.values(content, choices, hints, is_checked=not is_short)
                fields = with_integers(values, self.fields, is_checked=True)
        if ignored is not None:
            ignored += hints
        if self.checks_all_fields(choices):
            fields.check()
        return fields

    def _read_in_steps(
        self, content: bytes, choices: Choices
    ) -> Steps[tuple[F, list[str]]]:
        """Return the fields of a large body, and hints at ignored ones."""
        hints: list[str] = []
        for _ in range(FIRST_STEPS):
            yield
        with suppress(*DECODE_ERRORS):
            return self.decoder.decode(content), hints
        yield
        values = self.values(content, choices, hints, is_checked=True)
        yield
        return with_integers(values, self.fields, is_checked=True), hints

    def values(
        self,
        content: bytes,
        choices: Choices,
        ignored: list[str] | None = None,
        *,
        is_checked: bool = False,
    ) -> dict[str, Any]:
        """Return the values of a body by field; violations may be tolerated.

        Missing fields are left out. If an ignored field resembles a known one, a hint
        is added to the list `ignored`. `is_checked` is that of `read_json`.

        Raises BadJson, and one InvalidField that names all violations that the choices
        in force do not tolerate.
        """
        body = read_json(content, is_checked=is_checked)
        # The rule on integers holds for unknown fields too, at any depth.
        check_integers(content, body)
        body = self._checked_fields(body, choices)
        values, refused = self.known_fields.read(body, choices)
        first = next(refused, None)
        if first is not None:
            fields = self.known_fields.fields
            misnamed_fields = self.known_fields.misnamed_fields(body, fields)
            reported = [
                meaning
                for name, meaning in misnamed_fields.items()
                if not tolerates(choices, fields[name].rules.missing_violation)
            ]
            hints = nearest.ignored_hints(body, self.known_fields.names, reported)
            hints = hints if choices.unknown_fields == "ignore" else []
            raise InvalidFields(all_problems(chain([first], refused, hints)))
        if ignored is not None:
            ignored += nearest.ignored_hints(body, self.known_fields.names)
        return values

    def checks_all_fields(self, choices: Choices) -> bool:
        """Return whether the version in force checks all fields."""
        return self._is_always_checked or facts_of(choices.version).fields_are_checked

    def _checked_fields(
        self, body: dict[str, object], choices: Choices
    ) -> dict[str, object]:
        """Return the fields of a body that the version in force checks."""
        if self.checks_all_fields(choices):
            return body
        fields = self.known_fields.fields
        return {
            name: value
            for name, value in body.items()
            if (field := fields.get(name)) is None
            or not (field.rules.is_idle or (value is None and field.may_be_dropped))
        }

    def suggest_unknown(self, refusal: Refusal, content: bytes) -> None:
        """Add a suggestion to the refusal of a missing field.

        It names an unknown field of the body that is likely meant for the missing one.
        """
        name = getattr(refusal, "place", "").removeprefix("$.")
        if name in self.known_fields.fields:
            body = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
            unknown = (each for each in body if each not in self.known_fields.names)
            likely_name = nearest.misnamed_fields({name} - body.keys(), unknown).get(
                name
            )
            refusal.message += nearest.likely_hint(likely_name, name)

    def find_violations(
        self,
        content: bytes,
        choices: Choices = _DOCUMENTED,
        *,
        is_refused: bool = False,
    ) -> Iterator[Violation]:
        """Yield every violation of a body, with its effect under `choices`.

        The effect assumes that the request is not refused for another reason.
        `is_refused` is True if the request was refused for any reason.
        """
        # A fast check first: nearly all bodies of a journal are valid. Decode a large
        # one only once.
        is_large = len(content) > DEFAULT_LIMITS.body_bytes
        can_check_fast = self.known_fields.is_closed and not (is_large and is_refused)
        try:
            is_checked = len(content) > Published.free_body_bytes and not is_refused
            if len(content) > _SHORT_BYTES and not (is_checked or is_large):
                check_counts(content)
            if can_check_fast and not self._has_empty_text(
                fields := self.decoder.decode(content)
            ):
                if self.checks_all_fields(choices):
                    fields.check()
                return
        except InvalidField as refusal:
            yield Violation(
                "invalid_field", self.section, refusal.place, refusal.message, REFUSED
            )
            return
        except BadJson as refusal:
            place = refusal.place
            yield Violation("invalid_field", self.section, place, refusal.message)
            return
        except DECODE_ERRORS:
            pass
        try:
            body = read_json(content, is_checked=len(content) > _SHORT_BYTES)
            check_integers(content, body)
        except (BadJson, InvalidField) as refusal:
            place = refusal.place
            yield Violation("invalid_field", self.section, place, refusal.message)
        else:
            body = self._checked_fields(body, choices)
            yield from self.known_fields.find_violations(body, choices)

    def hint_at_idle(self, content: bytes | None) -> str:
        """Return a hint that names the body's fields without effect; "" if none."""
        try:
            body = msgspec.json.decode(content or b"null")
        except DECODE_ERRORS:
            return ""
        paths = fields_without_effect(body, walk.type_info(self.fields), ())
        named = [*islice(paths, _MAX_HINTED + 1)]
        rest = ["and more"] if len(named) > _MAX_HINTED else []
        names = ", ".join([*named[:_MAX_HINTED], *rest])
        return f"known, without effect here: {names}" if names else ""

    @property
    def names(self) -> Collection[str]:
        """Return the names of all fields that the operation can read."""
        return self.known_fields.names

    def requires(self, name: str) -> bool:
        """Return whether a field is required."""
        field = self.known_fields.fields.get(name)
        return field is not None and field.is_required

    def _has_empty_text(self, decoded: F) -> bool:
        """Return whether a field, or a field of its items, is empty but must not be."""
        return any(
            getattr(decoded, field.attribute) == ""
            if field.rules.empty_violation is not None
            else not all(
                getattr(each, need) for each in getattr(decoded, field.attribute)
            )
            for field in self.known_fields.fields.values()
            if (need := field.rules.item_text)
            or field.rules.empty_violation is not None
        )

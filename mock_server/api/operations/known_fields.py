"""The fields that an operation can read, and the violations of a body in its fields.

Reading field by field is slow, so only a body that the decoder refuses is read here.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain

import msgspec
from msgspec import Struct, inspect
from msgspec.structs import replace

from mock_server.api.operations import nearest
from mock_server.api.operations.body_field import Field, judge, violation_of
from mock_server.domain.choices.choosing import with_choices
from mock_server.domain.choices.reading import remedies, tolerates
from mock_server.domain.choices.table import Choices, table
from mock_server.domain.journal import IGNORED, REFUSED, Violation
from mock_server.domain.messages import describe_value
from mock_server.domain.versions import facts_of


class KnownFields:
    """The fields of one operation: those of the spec, and those that choices add."""

    def __init__(
        self,
        section: str,
        spec_type: type[Struct],
        extensions: type[Struct] | None,
        fields_hint: str,
        is_strict: bool,
    ) -> None:
        """The arguments are those of `Contract`."""
        self._section = section
        self._fields_hint = f" ({fields_hint})" if fields_hint else ""
        self._spec_type, self._added_type = spec_type, extensions
        self._is_strict = is_strict
        self.is_closed = spec_type.__struct_config__.forbid_unknown_fields

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """The fields of the spec, by name."""
        return _fields(self._spec_type, self._section)

    @cached_property
    def _extensions(self) -> Mapping[str, Field]:
        return (
            {} if self._added_type is None else _fields(self._added_type, self._section)
        )

    @property
    def names(self) -> Collection[str]:
        """The names of all fields that the operation can read."""
        return [*self.fields, *self._extensions]

    def typo_hints(self, content: bytes) -> list[str]:
        """Return a hint at a field of a valid body with a misspelled name, or []."""
        if self.is_closed:
            return []
        body = msgspec.json.decode(content, type=dict[str, msgspec.Raw])
        if body.keys() <= self.fields.keys():
            return []
        missing = [each for each in self.names if each not in body]
        return nearest.ignored_hints(nearest.typos(body, self.names), missing)

    def _refuses_unknown(self, choices: Choices) -> bool:
        return self._is_strict and facts_of(choices.version).fields_are_checked

    def find_violations(
        self, body: Mapping[str, object], choices: Choices
    ) -> Iterator[Violation]:
        """Yield every violation of a body, with its effect under these choices."""
        # To the spec, a field that only choices add (`pageNum`) is unknown too.
        yield from self._unknown(body, choices)
        yield from self._read_fields(body, self.fields, choices)[1]

    def read(
        self, body: Mapping[str, object], choices: Choices
    ) -> tuple[dict[str, object], Iterator[str]]:
        """Return the values of a body by field, and the messages of its refusals."""
        # The fields of the spec, and those that these choices add.
        extended = {
            name: field
            for name, field in self._extensions.items()
            if tolerates(choices, field.rules.adding_choice)
        }
        values, mistakes = self._read_fields(body, {**self.fields, **extended}, choices)
        unknown: Iterable[Violation] = ()
        if choices.unknown_fields == "reject" or self._refuses_unknown(choices):
            # If unknown fields are ignored, a body may have 100,000: skip them all.
            unknown = self._unknown(body, choices)
        violations = chain(unknown, mistakes)
        return values, (each.message for each in violations if each.effect == REFUSED)

    def _with_choice_hints(
        self,
        violation: Violation,
        choice: str,
        body: Mapping[str, object],
        choices: Choices,
    ) -> Violation:
        """Return a violation in a field that `choice` adds, with hints.

        The hints name the values of the choice under which the field is ignored, and
        the rest of the body is accepted.
        """
        if not choice or violation.name != "invalid_field":
            return violation
        accepting = []
        for value in table()[choice].values:
            other_choices = with_choices(choices, {choice: value})
            is_read = tolerates(other_choices, choice)
            if not is_read and next(self.read(body, other_choices)[1], None) is None:
                accepting.append(f"{choice}={value}")
        return violation.refused(*accepting)

    def _read_fields(
        self, body: Mapping[str, object], fields: Mapping[str, Field], choices: Choices
    ) -> tuple[dict[str, object], list[Violation]]:
        """Return the values of these fields in a body, and their violations."""
        values: dict[str, object] = {}
        violations = []
        misnamed_fields = self.misnamed_fields(body, fields)
        for name, field in fields.items():
            # `replaced_field` is None for most fields, and never in `body` then.
            if name in body and field.rules.replaced_field not in body:
                values[name], mistakes = field.read(body[name], choices)
                choice = field.rules.adding_choice
                for each in mistakes:
                    violations.append(
                        self._with_choice_hints(each, choice, body, choices)
                    )
            elif field.is_required:
                extensions = self._extensions.items()
                substitutes = (
                    extension
                    for extension, each in extensions
                    if each.rules.replaced_field == name and extension in body
                )
                substitute, unknown = next(substitutes, ""), misnamed_fields.get(name)
                missing = field.missing(choices, substitute=substitute, unknown=unknown)
                message = missing.message + self._fields_hint
                if missing.effect == REFUSED:
                    message += self._extension_hint(missing.name, body)
                violations.append(replace(missing, message=message))
        return values, violations

    def _extension_hint(self, choice: str, body: Mapping[str, object]) -> str:
        """Return a hint that `choice` adds fields which the body has, else ""."""
        names = [
            name
            for name, field in self._extensions.items()
            if name in body
            and field.rules.adding_choice == choice
            and field.rules.replaced_field is None
        ]
        return f" (that choice also reads {' and '.join(names)})" if names else ""

    def misnamed_fields(
        self, body: Mapping[str, object], fields: Mapping[str, Field]
    ) -> Mapping[str, str]:
        """Return, for missing fields, the unknown field that is likely meant."""
        missing = [
            name
            for name, field in fields.items()
            if field.is_required and name not in body
        ]
        if not missing:
            return {}
        known = {*self.fields, *self._extensions}
        return nearest.misnamed_fields(
            missing, (name for name in body if name not in known)
        )

    def _unknown(
        self, body: Mapping[str, object], choices: Choices
    ) -> Iterator[Violation]:
        """Yield a violation for each field of a body that the spec does not have.

        If the type is open to further fields, yield only misspelled names of missing
        ones.
        """
        expected = f"only the fields {', '.join(self.fields)}"
        missing = [name for name in self.fields if name not in body]
        for name in body if self.is_closed else nearest.typos(body, self.fields):
            if name not in self.fields:
                got = f"the field {describe_value(name).removeprefix('the string ')}"
                reason = f"{expected}, got {got}"
                violation = violation_of(
                    name, "unknown_fields", self._section, reason, IGNORED
                )
                field = self._extensions.get(name)
                if self._refuses_unknown(choices):
                    yield violation.refused()
                elif field is None:
                    message = violation.message + nearest.similar_hint(name, missing)
                    yield judge(replace(violation, message=message), choices)
                else:
                    yield _judge_extension(violation, field, body, choices)


def _fields(struct: type[Struct], section: str) -> dict[str, Field]:
    info = inspect.type_info(struct)
    fields = info.fields if isinstance(info, inspect.StructType) else ()
    return {each.encode_name: Field(each, section) for each in fields}


def _judge_extension(
    violation: Violation, field: Field, body: Mapping[str, object], choices: Choices
) -> Violation:
    """Return the violation of a field that a choice adds, with its effect and hints."""
    is_used = field.rules.replaced_field not in body
    if tolerates(choices, field.rules.adding_choice):
        effect = field.rules.added_effect if is_used else violation.effect
        return replace(violation, effect=effect)
    if tolerates(choices, violation.name):
        return violation
    mistakes = field.read(body[field.name], choices)[1] if is_used else ()
    is_wrong = any(each.effect == REFUSED for each in mistakes)
    extensions = () if is_wrong else remedies(choices, field.rules.adding_choice)
    return violation.refused(*remedies(choices, violation.name), *extensions)

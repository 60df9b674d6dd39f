"""One field of a body: its type, and the names of its violations."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec import Meta, Struct, inspect
from msgspec.structs import replace

from mock_server.api.operations.nearest import likely_hint, misnamed_fields
from mock_server.domain.choices.reading import remedies, tolerant_values, tolerates
from mock_server.domain.choices.table import Choices
from mock_server.domain.journal import HONOURED, IGNORED, Violation
from mock_server.domain.limits import Published
from mock_server.domain.messages import cut, describe_value, quoted
from mock_server.domain.validation import walk
from mock_server.domain.validation.convert import accepts


class FieldRules(Struct, frozen=True):
    """Names of the violations that a field can have, and other facts about the field.

    `missing_violation` names the violation if a required field is absent; its effect is
    `missing_effect`. `text_violation` names that of a number sent as a string of
    digits, `max_violation` that of a number over the spec's maximum; the choice
    `max_choice` sets the largest number. `empty_violation` has the name for an
    empty string, and the expected value in words. Each name is that of the choice that
    may tolerate the violation; all other violations are `invalid_field`, which no
    choice tolerates.

    A field that only the choice `adding_choice` adds to the spec has the effect
    `added_effect` when it is read; it is read only if the field `replaced_field` is
    missing. Messages do not repeat the value if `is_secret`. `hint` says where to find
    a missing value, `other_values_hint` which operation takes other values. Objects of
    an array are left out if their field `item_text` is missing or empty. A field that
    `is_idle` is checked, and changes nothing, unless it `is_credential`: then it
    identifies the caller.
    """

    missing_violation: str = "invalid_field"
    missing_effect: str = IGNORED
    text_violation: str = "invalid_field"
    max_violation: str = "invalid_field"
    max_choice: str = ""
    empty_violation: tuple[str, str] | None = None
    adding_choice: str = ""
    replaced_field: str | None = None
    added_effect: str = HONOURED
    is_secret: bool = False
    hint: str = ""
    other_values_hint: str = ""
    item_text: str = ""
    is_idle: bool = False
    is_credential: bool = False

    @property
    def is_without_effect(self) -> bool:
        """Return whether the field is known and changes nothing."""
        return self.is_idle and not self.is_credential

    def meta(self) -> Meta:
        """Return these facts as metadata for the field's type."""
        description = "Known, without effect" if self.is_without_effect else None
        return Meta(extra={"rules": self}, description=description)


class Field:
    """One field of a body: its type, and the names of its violations."""

    def __init__(self, field: inspect.Field, section: str) -> None:
        self.name = field.encode_name
        self.attribute = field.name
        self.is_required = field.required
        self._type = field.type
        self._section = section
        self._is_number = accepts(field, inspect.IntType)
        # A version that does not check all fields takes null here for a missing field.
        self.may_be_dropped = not (field.required or walk.is_valid(None, field.type))
        # If the type allows strings beside numbers, digits need no conversion.
        takes_text = self._is_number and walk.is_valid("1", field.type)
        self._as_number = walk.integral_as_int if takes_text else walk.as_number
        self.rules = _rules_of(field.type)

    def missing(
        self, choices: Choices, *, substitute: str = "", unknown: str | None = None
    ) -> Violation:
        """Return the violation of a body that lacks the field.

        The body may have the field `substitute` instead. `unknown` is a field of the
        body that is likely meant for the missing one.
        """
        effect = HONOURED if substitute else self.rules.missing_effect
        got, expected = "nothing", ""
        if substitute:
            got = f"the field {quoted(substitute)}"
            expected = (
                f"the field {quoted(self.name)}, {walk.describe_type(self._type)}"
            )
        name = self.rules.missing_violation
        violation = self._violation(name, got, expected, effect)
        hint = f" ({self.rules.hint})" if self.rules.hint else ""
        message = violation.message + likely_hint(unknown, self.name) + hint
        return judge(replace(violation, message=message), choices)

    def read(self, raw: object, choices: Choices) -> tuple[object, list[Violation]]:
        """Return the value of a field and its violations.

        A string of digits, or a float without fraction, becomes an integer.
        """
        value = self._as_number(raw) if self._is_number else raw
        if isinstance(raw, list | dict) and not self._is_number:
            return value, self._inner_violations(raw) or self._item_violations(raw)
        is_valid = walk.is_valid(value, self._type)
        # A string of digits is a number by now; any other has the wrong type.
        is_text = self._is_number and isinstance(raw, str) and value is not raw
        is_empty = raw == "" and self.rules.empty_violation is not None
        if is_valid and not is_text and not is_empty:
            return value, []
        got = "another value" if self.rules.is_secret else describe_value(raw)
        # The minimum is 0 or 1, so an invalid positive number is over the maximum. A
        # boolean is an int to Python, but not to JSON.
        is_large = not is_valid and type(value) is int and value > 0
        expected = self._allowed_values(choices)
        names = [(self.rules.text_violation, expected)] if is_text else []
        if not is_valid and not is_large:
            names.append(("invalid_field", expected))
        if is_empty and self.rules.empty_violation is not None:
            names.append(self.rules.empty_violation)
        violations = (self._violation(name, got, each) for name, each in names)
        result = [judge(self._with_hint(each), choices) for each in violations]
        if is_large:
            result.append(self._over_maximum(value, got, choices))
        return value, result

    def _with_hint(self, violation: Violation) -> Violation:
        hint = (
            f" ({self.rules.other_values_hint})" if self.rules.other_values_hint else ""
        )
        return replace(violation, message=violation.message + hint)

    def _over_maximum(self, value: Any, got: str, choices: Choices) -> Violation:
        """Return the violation of a number over the spec's maximum."""
        violation = self._violation(
            self.rules.max_violation, got, self._allowed_values(choices)
        )
        if not self.rules.max_choice:
            return judge(violation, choices)
        maximum = getattr(choices, self.rules.max_choice)
        if value <= maximum:
            # A choice allows this number, though the spec's maximum is smaller.
            return self._violation(self.rules.max_violation, got)
        if tolerates(choices, self.rules.max_violation):
            return replace(violation, effect=f"counted as {maximum}")
        larger = [
            f"{self.rules.max_choice}={each}"
            for each in tolerant_values(self.rules.max_choice)
            if isinstance(each, int) and value <= each
        ]
        return violation.refused(*remedies(choices, self.rules.max_violation), *larger)

    def _allowed_values(self, choices: Choices) -> str:
        """Return the values that the choices allow, in words."""
        if not self.rules.max_choice:
            return walk.describe_type(self._type)
        types = map(walk.without_metadata, getattr(self._type, "types", (self._type,)))
        int_type = next(each for each in types if isinstance(each, inspect.IntType))
        return walk.describe_type(
            replace(int_type, le=getattr(choices, self.rules.max_choice))
        )

    def _inner_violations(self, raw: object) -> list[Violation]:
        mistakes = walk.mistakes_of(raw, self._type, (cut(self.name),))
        places = ((each.message, walk.dotted(each.path)) for each in mistakes)
        # One more than messages list, to show that there are more.
        return [
            Violation("invalid_field", self._section, path, f"{message} - at {path}")
            for message, path in islice(places, Published.told_problems + 1)
        ]

    def _item_violations(self, raw: Any) -> list[Violation]:
        """Return a violation for each item of an array that lacks `item_text`."""
        name, result = self.rules.item_text, []
        for index, item in enumerate(raw if name else ()):
            if not item.get(name):
                got = describe_value(item[name]) if name in item else "nothing"
                place = f"{self.name}[{index}].{name}"
                reason = f"a text that is not empty, got {got}"
                missing = violation_of(
                    place, "invalid_field", self._section, reason, IGNORED
                )
                unknown = misnamed_fields({name} - item.keys(), item).get(name)
                message = missing.message + likely_hint(unknown, name)
                result.append(replace(missing, message=message))
        return result

    def _violation(
        self, name: str, got: str, expected: str = "", effect: str = HONOURED
    ) -> Violation:
        expected = expected or walk.describe_type(self._type)
        reason = f"{expected}, got {got}"
        return violation_of(self.name, name, self._section, reason, effect)


def fields_without_effect(
    value: object, value_type: inspect.Type, path: walk.Path
) -> Iterator[str]:
    """Yield the paths of the fields in `value` that are known, but have no effect.

    `path` is that of `value`.
    """
    match walk.without_metadata(value_type), value:
        case inspect.UnionType() as union, _:
            if option := walk.alternative_for(value, union):
                yield from fields_without_effect(value, option, path)
        case inspect.StructType(fields=fields), dict():
            for each in fields:
                name, place = each.encode_name, (*path, each.encode_name)
                if name in value and _rules_of(each.type).is_without_effect:
                    yield walk.dotted(place)
                elif name in value:
                    yield from fields_without_effect(value[name], each.type, place)
        case inspect.ListType(item_type=item_type), list():
            for index, item in enumerate(value):
                yield from fields_without_effect(item, item_type, (*path, index))


def _rules_of(field_type: inspect.Type) -> FieldRules:
    for each in getattr(field_type, "types", (field_type,)):
        extra = each.extra if isinstance(each, inspect.Metadata) else None
        if extra and "rules" in extra:
            rules: FieldRules = extra["rules"]
            return rules
    return FieldRules()


def violation_of(
    field: str, name: str, section: str, reason: str, effect: str
) -> Violation:
    """Return the violation of a field, with the expected and the given value."""
    path = f"$.{cut(field)}"
    return Violation(name, section, path, f"Expected {reason} - at {path}", effect)


def judge(violation: Violation, choices: Choices) -> Violation:
    """Return the violation, as refused and with hints if the choices refuse it."""
    if tolerates(choices, violation.name):
        return violation
    return violation.refused(*remedies(choices, violation.name))

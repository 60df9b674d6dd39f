"""One field of a body: its type, and the names of its violations."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec import Meta, Struct, inspect
from msgspec.structs import replace

from mock_server.api.operations.nearest import likely_hint, meanings
from mock_server.domain.choices.reading import remedies, tolerant_values, tolerates
from mock_server.domain.choices.table import Choices
from mock_server.domain.journal import HONOURED, IGNORED, Violation
from mock_server.domain.limits import Published
from mock_server.domain.messages import cut, describe_value, quoted
from mock_server.domain.validation import walk
from mock_server.domain.validation.convert import is_number_field


class FieldRules(Struct, frozen=True):
    """Names of the violations that a field can have, and other facts about the field.

    `missing` names the violation if a required field is absent; its effect is
    `missing_effect`. `text` names that of a number sent as a string of digits, `high`
    that of a number over the spec's maximum; the choice `cap` sets the largest number.
    `empty` has the name for an empty string, and the expected value in words. Each name
    is that of the choice that may tolerate the violation; all other violations are
    `invalid_field`, which no choice tolerates.

    A field that only a `choice` adds to the spec has an `effect` when it is read. With
    `instead_of` it is read only if that field is missing. Messages do not repeat the
    value if `is_secret`. `hint` says where to find a missing value, `instead` which
    operation takes other values. Objects of an array
    without `items_need` are left out. A field that `is_idle` is checked, and changes
    nothing, unless it `is_credential`: then it identifies the caller.
    """

    missing: str = "invalid_field"
    missing_effect: str = IGNORED
    text: str = "invalid_field"
    high: str = "invalid_field"
    cap: str = ""
    empty: tuple[str, str] | None = None
    choice: str = ""
    instead_of: str | None = None
    effect: str = HONOURED
    is_secret: bool = False
    hint: str = ""
    instead: str = ""
    items_need: str = ""
    is_idle: bool = False
    is_credential: bool = False

    @property
    def is_without_effect(self) -> bool:
        """Return whether the field is known and changes nothing."""
        return self.is_idle and not self.is_credential

    def meta(self) -> Meta:
        """Return these facts as metadata for the field's type."""
        described = "Known, without effect" if self.is_without_effect else None
        return Meta(extra={"rules": self}, description=described)


class Field:
    """One field of a body: its type, and the names of its violations."""

    def __init__(self, field: inspect.Field, section: str) -> None:
        self.name = field.encode_name
        self.attribute = field.name
        self.is_required = field.required
        self._type = field.type
        self._section = section
        self._is_number = is_number_field(field)
        # A version that does not check all fields takes null here for a missing field.
        self.may_be_dropped = not (field.required or walk.is_valid(None, field.type))
        # If the type allows strings beside numbers, digits need no conversion.
        takes_text = self._is_number and walk.is_valid("1", field.type)
        self._as_number = walk.integral_as_int if takes_text else walk.as_number
        self.rules = _rules_of(field.type)

    def missing(
        self, choices: Choices, *, another: str = "", unknown: str | None = None
    ) -> Violation:
        """Return the violation of a body that lacks the field.

        The body may have the field `another` instead. `unknown` is a field of the body
        that is likely meant for the missing one.
        """
        effect = HONOURED if another else self.rules.missing_effect
        got = f"the field {quoted(another)} instead" if another else "nothing"
        violation = self._violation(self.rules.missing, got, effect=effect)
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
        valid = walk.is_valid(value, self._type)
        # A string of digits is a number by now; any other has the wrong type.
        is_text = self._is_number and isinstance(raw, str) and value is not raw
        is_empty = raw == "" and self.rules.empty is not None
        if valid and not is_text and not is_empty:
            return value, []
        got = "another value" if self.rules.is_secret else describe_value(raw)
        # The minimum is 0 or 1, so an invalid positive number is over the maximum. A
        # boolean is an int to Python, but not to JSON.
        is_large = not valid and type(value) is int and value > 0
        expected = self._allowed_values(choices)
        names = [(self.rules.text, expected)] if is_text else []
        if not valid and not is_large:
            names.append(("invalid_field", expected))
        if is_empty and self.rules.empty is not None:
            names.append(self.rules.empty)
        violations = (self._violation(name, got, what) for name, what in names)
        result = [judge(self._with_hint(each), choices) for each in violations]
        if is_large:
            result.append(self._over_maximum(value, got, choices))
        return value, result

    def _with_hint(self, violation: Violation) -> Violation:
        hint = f" ({self.rules.instead})" if self.rules.instead else ""
        return replace(violation, message=violation.message + hint)

    def _over_maximum(self, value: Any, got: str, choices: Choices) -> Violation:
        """Return the violation of a number over the spec's maximum."""
        violation = self._violation(self.rules.high, got, self._allowed_values(choices))
        if not self.rules.cap:
            return judge(violation, choices)
        most = getattr(choices, self.rules.cap)
        if value <= most:
            # A choice allows this number, though the spec's maximum is smaller.
            return self._violation(self.rules.high, got)
        if tolerates(choices, self.rules.high):
            return replace(violation, effect=f"counted as {most}")
        larger = [
            f"{self.rules.cap}={most}"
            for most in tolerant_values(self.rules.cap)
            if isinstance(most, int) and value <= most
        ]
        return violation.refused(*remedies(choices, self.rules.high), *larger)

    def _allowed_values(self, choices: Choices) -> str:
        """Return the values that the choices allow, in words."""
        if not self.rules.cap:
            return walk.describe_type(self._type)
        kinds = map(walk.without_metadata, getattr(self._type, "types", (self._type,)))
        number = next(each for each in kinds if isinstance(each, inspect.IntType))
        return walk.describe_type(replace(number, le=getattr(choices, self.rules.cap)))

    def _inner_violations(self, raw: object) -> list[Violation]:
        mistakes = walk.mistakes_of(raw, self._type, (cut(self.name),))
        places = ((each.message, walk.dotted(each.path)) for each in mistakes)
        # One more than messages list, to show that there are more.
        return [
            Violation("invalid_field", self._section, path, f"{message} - at {path}")
            for message, path in islice(places, Published.told_problems + 1)
        ]

    def _item_violations(self, raw: Any) -> list[Violation]:
        """Return a violation for each item of an array that lacks `items_need`."""
        name, result = self.rules.items_need, []
        for index, item in enumerate(raw if name else ()):
            if not item.get(name):
                got = describe_value(item[name]) if name in item else "nothing"
                place = f"{self.name}[{index}].{name}"
                reason = f"a text that is not empty, got {got}"
                missing = violation_of(
                    place, "invalid_field", self._section, reason, IGNORED
                )
                unknown = meanings({name} - item.keys(), item).get(name)
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
    value: object, kind: inspect.Type, at: walk.Path
) -> Iterator[str]:
    """Yield the paths of the fields in `value` that are known, but have no effect.

    `kind` is the type of `value`, `at` its path.
    """
    match walk.without_metadata(kind), value:
        case inspect.UnionType() as union, _:
            if option := walk.alternative_for(value, union):
                yield from fields_without_effect(value, option, at)
        case inspect.StructType(fields=fields), dict():
            for each in fields:
                name, place = each.encode_name, (*at, each.encode_name)
                if name in value and _rules_of(each.type).is_without_effect:
                    yield walk.dotted(place)
                elif name in value:
                    yield from fields_without_effect(value[name], each.type, place)
        case inspect.ListType(item_type=of), list():
            for index, item in enumerate(value):
                yield from fields_without_effect(item, of, (*at, index))


def _rules_of(kind: inspect.Type) -> FieldRules:
    for each in getattr(kind, "types", (kind,)):
        extra = each.extra if isinstance(each, inspect.Metadata) else None
        if extra and "rules" in extra:
            about: FieldRules = extra["rules"]
            return about
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

"""The bodies of both documented operations: what is taken of them, what is wrong.

A number stands here by what choices make of it; every problem has its message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tests.model.answers import Refused, expected, in_words, joined, quoted
from tests.model.base import as_number
from tests.model.choices import CHOICES, Choices, remedies, served_with, tolerates

Fields = dict[str, Any]
LARGEST = 2**53 - 1


class Kind(NamedTuple):
    """What a value has to be, in words and as a test; `is_number` takes digits."""

    words: str
    fits: Callable[[Any], bool]
    is_number: bool = False


class Field(NamedTuple):
    """A field: required if `missing` says which choice does without it.

    `choice` has a meaning for a field that the spec does not have; with `instead_of`
    it counts in place of another one only.
    """

    kind: Kind
    missing: str | None = None
    choice: str = ""
    instead_of: str = ""


def _text(least: int, most: int) -> Kind:
    words = f"{least} to {most}" if least else f"up to {most}"
    return Kind(
        f"a string of {words} characters",
        lambda it: isinstance(it, str) and least <= len(it) <= most,
    )


def _number(least: int, most: int) -> Kind:
    return Kind(
        f"an integer from {least} to {most}",
        lambda it: type(it) is int and least <= it <= most,
        is_number=True,
    )


def _texts(it: Any) -> bool:
    return (
        isinstance(it, list) and len(it) <= 100 and all(isinstance(x, str) for x in it)
    )


_ID, _FLAG = _text(1, 256), Kind("true or false", lambda it: isinstance(it, bool))
_TITLE = _text(0, 1024)
_PARENT = Kind(
    "a string of up to 256 characters or null",
    lambda it: it is None or (isinstance(it, str) and len(it) <= 256),
)
REQUIRED = "required"

PIN = {
    "appId": Field(_ID, REQUIRED),
    "chatId": Field(_ID, REQUIRED),
    "top": Field(_FLAG, "top_missing"),
}
PIN_MORE = {
    "title": Field(_TITLE, choice="top_missing"),
    "customTitle": Field(_TITLE, choice="top_missing"),
}
LIST = {
    "offset": Field(_number(0, LARGEST), "offset_missing"),
    "pageSize": Field(_number(1, 30)),
    "datasetId": Field(_ID, REQUIRED),
    "parentId": Field(_PARENT),
    "searchText": Field(_TITLE),
}
LIST_MORE = {
    "pageNum": Field(_number(1, LARGEST), choice="offset_missing", instead_of="offset"),
    "selectFolder": Field(_FLAG, choice="list_filters"),
    "filterTags": Field(
        Kind("an array of at most 100 strings", _texts), choice="list_filters"
    ),
}
MEANT = {
    "chatID": "chatId",
    "page_size": "pageSize",
    "dataset_id": "datasetId",
    "current": "pageNum",
}
"""Unknown fields that stories have, and what they are likely meant for."""


class Body:
    """One body under some choices."""

    def __init__(self, body: Fields, is_pin: bool, choices: Choices) -> None:
        self.body, self.choices, self.is_pin = body, choices, is_pin
        self.spec, self.more = (PIN, PIN_MORE) if is_pin else (LIST, LIST_MORE)

    def read(self) -> Fields:
        """The fields that count. Raises Refused with all problems."""
        problems = self.problems()
        if problems:
            raise Refused("field", joined(problems))
        given = {
            name: as_number(value) if field.kind.is_number else value
            for name, field in self._counting().items()
            for value in [self.body[name]]
        }
        if self.is_pin:
            return given
        asked = given.get("pageSize", self.choices["page_size_default"])
        size = min(asked, int(self.choices["page_size_max"]))
        start = (given.get("pageNum", 1) - 1) * size
        return {"offset": start} | given | {"pageSize": size}

    def problems(self) -> list[str]:
        """The messages of all problems: unknown fields, those of the spec, others."""
        found = []
        if not tolerates(self.choices, "unknown_fields"):
            found += [
                self._unknown(name) for name in self.body if name not in self.spec
            ]
        found = [each for each in found if each]
        for name, field in self.spec.items():
            if name in self.body:
                found += self._wrong(name, field)
            elif field.missing is not None:
                found += self._missing(name, field.missing)
        for name, field in self._counting().items():
            if name in self.more:
                found += self._wrong(name, field)
        if found and tolerates(self.choices, "unknown_fields"):
            found += self._ignored()
        return found

    def _ignored(self) -> list[str]:
        """What is said of the first field that is likely meant for an optional one."""
        needed = [n for n, f in self.spec.items() if f.missing is not None]
        optional = {*self.spec, *self.more} - {*needed, *self.body}
        return [
            f"unknown field {quoted(n)} is ignored (did you mean {quoted(MEANT[n])}?)"
            for n in self.body
            if self._meant(n) in optional
        ][:1]

    def _meant(self, given: str) -> str | None:
        """Return the field that `given` stands for: a page number for the offset."""
        meant, missing = MEANT.get(given), LIST["offset"].missing or ""
        if self.is_pin or "offset" in self.body or tolerates(self.choices, missing):
            return meant
        return "offset" if meant == "pageNum" else meant

    def _counting(self) -> Mapping[str, Field]:
        """The fields of the body that have a meaning."""
        every = self.spec | {n: f for n, f in self.more.items() if self._counts(f)}
        return {name: field for name, field in every.items() if name in self.body}

    def _counts(self, field: Field) -> bool:
        return tolerates(self.choices, field.choice) and (
            field.instead_of not in self.body
        )

    def _missing(self, name: str, choice: str) -> list[str]:
        hint = ""
        if choice != REQUIRED:
            if tolerates(self.choices, choice):
                return []
            hint = served_with(*remedies(self.choices, choice))
            more = self.more.items()
            names = [n for n, f in more if n in self.body and f.choice == choice]
            if names and name == "top":
                hint += f" (that choice also reads {' and '.join(names)})"
        if name == "offset":
            hint = f" (page N begins at offset (N - 1) * pageSize){hint}"
        for given in self.body:
            if self._meant(given) == name:
                near = f"unknown field {quoted(given)}: did you mean {quoted(name)}?"
                hint = f" ({near}){hint}"
        others = (n for n, f in self.more.items() if f.instead_of == name)
        instead = [f"the field {quoted(n)}" for n in others if n in self.body]
        got = instead[0] if instead else "nothing"
        words = f"the field {quoted(name)}, " * len(instead[:1]) + self._words(name)
        return [f"Expected {words}, got {got} - at $.{name}{hint}"]

    def _wrong(self, name: str, field: Field) -> list[str]:
        """What is wrong with a field that is there."""
        given = self.body[name]
        value = as_number(given) if field.kind.is_number else given
        end = f"got {in_words(given)} - at $.{name}"
        text = f"Expected {self._words(name)}, {end}"
        found = []
        if self._is_text(given, value):
            found.append(text + served_with("numeric_strings=accept"))
        if name == "pageSize" and type(value) is int and value > 0:
            return found + self._too_many(value, text)
        wrong = [] if field.kind.fits(value) else [text]
        if name == "filterTags" and isinstance(given, list):
            wrong = _wrong_tags(given)
        hint = served_with(*self._others(field)) if wrong else ""
        return found + [each + hint for each in wrong]

    def _is_text(self, given: Any, value: Any) -> bool:
        """Whether a number comes as digits in a text, which no choice allows."""
        is_digits = isinstance(given, str) and value is not given
        return is_digits and not tolerates(self.choices, "numeric_strings")

    def _others(self, field: Field) -> list[str]:
        """The values of a field's choice with which the body would be served."""
        values = CHOICES[field.choice].values if field.choice else ()
        return [
            f"{field.choice}={value}"
            for value in values
            if value != self.choices[field.choice]
            and not Body(
                self.body, self.is_pin, self.choices | {field.choice: value}
            ).problems()
        ]

    def _too_many(self, size: int, text: str) -> list[str]:
        """What is wrong with a `pageSize` of at least 1."""
        over = "page_size_over_limit"
        if size <= int(self.choices["page_size_max"]) or tolerates(self.choices, over):
            return []
        larger = ["page_size_max=100"] if size <= 100 else []
        return [text + served_with(*remedies(self.choices, over), *larger)]

    def _unknown(self, name: str) -> str:
        """The message of a field that the spec does not have; empty if it counts."""
        names = ", ".join(self.spec)
        got = f"the field {quoted(name)}"
        text = expected(f"only the fields {names}", got, f"$.{name}")
        field, values = self.more.get(name), remedies(self.choices, "unknown_fields")
        if field is None:
            meant = MEANT.get(name)
            if meant in self.spec and meant not in self.body:
                text += f" (did you mean {quoted(meant)}?)"
            return text + served_with(*values)
        if tolerates(self.choices, field.choice):
            return ""
        is_used = field.instead_of not in self.body
        if not is_used or not self._is_wrong(name, field):
            values = values + remedies(self.choices, field.choice)
        return text + served_with(*values)

    def _is_wrong(self, name: str, field: Field) -> bool:
        given = self.body[name]
        value = as_number(given) if field.kind.is_number else given
        return self._is_text(given, value) or not field.kind.fits(value)

    def _words(self, name: str) -> str:
        """What a field has to be, with the largest page that is served."""
        if name == "pageSize":
            return f"an integer from 1 to {self.choices['page_size_max']}"
        return (self.spec | self.more)[name].kind.words


def _wrong_tags(tags: list[Any]) -> list[str]:
    """What is wrong within an array of tags."""
    return [
        f"Expected a string, got {in_words(tag)}"
        + (": quote it" if isinstance(tag, int | float) else "")
        + f" - at $.filterTags[{place}]"
        for place, tag in enumerate(tags)
        if not isinstance(tag, str)
    ]

"""The facts an operation can refuse with; what they look like on the wire is `api`'s.

Refusal                 a request that is not carried out
 ├─ InvalidField        a field of the body is missing or not as the spec says
 ├─ AppNotFound         no such application
 ├─ AppForbidden        the caller may not read the application
 ├─ ChatNotFound        no such chat session in the application
 ├─ DatasetNotFound     no such dataset
 ├─ DatasetForbidden    the caller may not read the dataset
 ├─ ParentNotFound      no such collection in the dataset
 ├─ CollectionNotFound  no such collection in the dataset (admin)
 ├─ SandboxNotFound     no such sandbox
 ├─ SnapshotNotFound    no such snapshot of the sandbox
 ├─ NameTaken           there is one of that name already
 └─ LimitReached        there are as many as there may be
"""

from __future__ import annotations

import json

SHOWN_CHARS = 60
"""Characters of a text that a message shows."""
CUT_MARK = "…"
"""Stands in messages where a text has been cut."""
_LONG_INTEGER = 10**SHOWN_CHARS


class Refusal(Exception):
    """A request that is not carried out.

    `message` says what was expected, what came, and where: `Expected X, got Y - at Z`,
    and then, in brackets, what may help.
    """

    def __init__(self, expected: str, got: str, at: str, hint: str = "") -> None:
        self.message = f"Expected {expected}, got {got} - at {at}"
        if hint:
            self.message += f" ({hint})"
        super().__init__(self.message)


class InvalidField(Refusal):
    """A field of the body is missing or not as the spec says; the text says which."""

    def __init__(self, message: str) -> None:
        self.message = message
        Exception.__init__(self, message)


class AppNotFound(Refusal):
    """The fixture holds no such application."""


class AppForbidden(Refusal):
    """The caller's key may not read the application."""


class ChatNotFound(Refusal):
    """The application holds no such chat session."""


class DatasetNotFound(Refusal):
    """The fixture holds no such dataset."""


class DatasetForbidden(Refusal):
    """The caller's key may not read the dataset."""


class ParentNotFound(Refusal):
    """The dataset holds no collection of that id."""


class CollectionNotFound(Refusal):
    """The dataset holds no collection to be shown, changed or removed."""


class SandboxNotFound(Refusal):
    """There is no sandbox of that name, or no longer."""


class SnapshotNotFound(Refusal):
    """The sandbox holds no snapshot of that name."""


class NameTaken(Refusal):
    """There is one of that name already."""


class LimitReached(Refusal):
    """There are as many as there may be."""


def quoted(text: str) -> str:
    """A text as messages name it, in JSON's own quotes."""
    return json.dumps(text, ensure_ascii=False)


def cut(text: str) -> str:
    """A text as it is named in messages and paths: its beginning if it is long."""
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + CUT_MARK


def show(value: object) -> str:
    """A JSON value in the words of an error message, cut where it is long."""
    if isinstance(value, str):
        if len(value) <= SHOWN_CHARS:
            return f"the string {quoted(value)}"
        return f"the string {quoted(cut(value))} of {len(value)} characters"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, int) and abs(value) >= _LONG_INTEGER:
        return "a longer integer"
    return json.dumps(value)

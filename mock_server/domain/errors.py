"""Why a request is refused, and the words of messages: values, hints.

Nothing here knows HTTP: the API's table of errors says with which status each refusal
is answered.
"""

import json
from collections.abc import Collection, Iterable
from itertools import islice

from mock_server.domain.likeness import most_alike
from mock_server.domain.limits import Limits

SHOWN_CHARS = 60
"""Characters of a text that a message shows."""
CUT_MARK = "…"
"""Stands in messages where a text has been cut."""


class Refusal(Exception):
    """A request that is not carried out.

    `message` says what was expected, what came, and where: `Expected X, got Y - at Z`,
    and then, in brackets, what may help.
    """

    def __init__(self, expected: str, got: str, at: str, hint: str = "") -> None:
        self.at = at
        self.reason = f"Expected {expected}, got {got} - at {at}"
        """The message without what may help."""
        self.message = f"{self.reason} ({hint})" if hint else self.reason
        super().__init__(self.message)


class InvalidField(Refusal):
    """A field of the body is missing or not as the spec says; `message` says which."""

    def __init__(self, message: str) -> None:
        self.message = message
        # Past Refusal, which would make another message of it.
        Exception.__init__(self, message)


class AppNotFound(Refusal):
    """The fixture holds no such application."""


class AppForbidden(Refusal):
    """The caller's key may not read the application."""


class ChatNotFound(Refusal):
    """The application holds no such chat session."""


class RecordNotFound(Refusal):
    """The chat session holds no record of that id."""


class DatasetNotFound(Refusal):
    """The fixture holds no such dataset."""


class DatasetForbidden(Refusal):
    """The caller may not read the dataset, or not change it."""


class ParentNotFound(Refusal):
    """The dataset holds no collection of the id that a list request has as parent."""


class CollectionNotFound(Refusal):
    """The dataset, or any dataset, holds no collection of that id."""


class CollectionForbidden(Refusal):
    """The collection, or its folder, is of another dataset."""


class RowNotFound(Refusal):
    """No collection holds a data row of that id."""


class RowTaken(Refusal):
    """The collection has a data row with the same texts."""


class TeamForbidden(Refusal):
    """The caller's key may create no datasets."""


class MissingParams(Refusal):
    """A field that the service wants is empty, or there is none of several."""


class FolderTooDeep(Refusal):
    """A folder would lie in more folders than the service allows."""


class CollectionTooDeep(Refusal):
    """A collection would lie in more folders than there may be."""


class FolderCycle(Refusal):
    """A folder would lie in itself."""


class NothingListed(Refusal):
    """A list that has to name something is empty."""


class FileNotFound(Refusal):
    """There is no uploaded file of that id, or no collection of that external file."""


class NoFile(Refusal):
    """An upload without a file."""


class WrongFileType(Refusal):
    """A file of a kind that the service does not take."""


class WrongPassword(Refusal):
    """A user name and a password that do not belong together."""


class WrongLoginCode(Refusal):
    """A login without the code that has been given for it."""


class SandboxNotFound(Refusal):
    """There is no sandbox of that name, or no longer."""


class SnapshotNotFound(Refusal):
    """The sandbox holds no snapshot of that name."""


class NameTaken(Refusal):
    """A sandbox of that name exists already."""


class LimitReached(Refusal):
    """A bound on numbers or on memory does not let another one in."""


def quoted(text: str) -> str:
    """A text as messages show it: a JSON string."""
    return json.dumps(text, ensure_ascii=False)


def cut(text: str) -> str:
    """A text as messages and paths show it: its beginning if it is long."""
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + CUT_MARK


def describe_value(value: object) -> str:
    """A JSON value in the words of an error message, cut where it is long."""
    if isinstance(value, str):
        if len(value) <= SHOWN_CHARS:
            return f"the string {quoted(value)}"
        return f"the string {quoted(cut(value))} of {len(value)} characters"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, dict):
        return "an object"
    # Python refuses to write integers of more than 4,300 digits.
    if isinstance(value, int) and abs(value) >= 10**SHOWN_CHARS:
        return "a longer integer"
    return json.dumps(value)


def all_problems(messages: Iterable[str]) -> str:
    """The messages of several problems as one line: `first; second; and more`.

    There is an end to their number and their length; without any it is empty.
    """
    text, found = "", iter(messages)
    for message in islice(found, Limits.told_problems):
        if not text:
            text = message  # each shows texts of clients with their end cut off
        elif len(text) + len(message) < Limits.told_chars:
            text = f"{text}; {message}"
        else:
            return f"{text}; and more"
    return text if next(found, None) is None else f"{text}; and more"


_FEW, _MANY = 50, 5_000
"""Known words up to which all are compared, and up to which some are."""


def did_you_mean(word: str, known: Collection[str]) -> str:
    """` (did you mean 'title'?)`, or an empty text where no known word is near."""
    near = _nearest(word, known)
    return "" if near is None else f" (did you mean {near!r}?)"


def which_there_are(word: str, known: Iterable[str], count: int) -> str:
    """What there is in place of something unknown: the nearest name, and the first.

    `known` are names, of which there are so many. It is the hint of a Refusal.
    """
    if count == 0:
        return "there are none"
    compared = list(islice(known, _MANY)) if count <= _MANY else ()
    near = _nearest(word, compared)
    names = compared or islice(known, Limits.listed_names)
    first = [quoted(cut(each)) for each in islice(names, Limits.listed_names)]
    more = f" and {count - len(first)} more" if count > len(first) else ""
    there_are = f"there {'is' if count == 1 else 'are'} {', '.join(first)}{more}"
    if near is None:
        return there_are
    return f"did you mean {quoted(cut(near))}? T{there_are[1:]}"


def _nearest(word: str, known: Collection[str]) -> str | None:
    """The known word that is nearest, None where none is near.

    Among many known words only some that begin alike are compared, among very many
    none: a file with a thousand mistakes is still answered at once.
    """
    if len(known) > _MANY or len(word) > Limits.hinted_chars:
        return None
    if len(known) > _FEW:
        known = [each for each in known if each[:3] == word[:3]][:_FEW]
    return most_alike(word, known)

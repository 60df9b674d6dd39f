"""Which field is likely meant by one of another name, such as `chatID` for `chatId`."""

from collections.abc import Collection, Iterable
from itertools import islice

from mock_server.domain.errors import cut, quoted
from mock_server.domain.likeness import most_alike
from mock_server.domain.limits import Limits

_COMPARED = 50
"""Fields of a body that are compared, its first ones."""


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name that is nearest, whatever its case and underscores."""
    # Comparing takes time that grows with the square of the length.
    if len(name) > Limits.hinted_chars:
        return None
    by_letters = {_letters(each): each for each in known}
    near = most_alike(_letters(name), by_letters)
    return by_letters[near] if near is not None else None


def given_for(missing: Collection[str], unknown: Iterable[str]) -> dict[str, str]:
    """By missing field the unknown one that is likely to be meant for it."""
    found: dict[str, str] = {}
    for name in islice(unknown, _COMPARED):
        near = nearest(name, missing)
        if near is not None:
            found.setdefault(near, name)
    return found


def meant_by_unknown(given: str | None, missing: str) -> str:
    """What the message of a missing field ends with; nothing if none was given."""
    if given is None:
        return ""
    return f" (unknown field {quoted(cut(given))}: did you mean {quoted(missing)}?)"


def meant(name: str, known: Collection[str]) -> str:
    """What the message of an unknown field ends with; nothing if none is near."""
    near = nearest(name, known)
    return f" (did you mean {quoted(near)}?)" if near else ""


def _letters(name: str) -> str:
    return name.replace("_", "").replace("-", "").casefold()

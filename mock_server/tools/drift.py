"""Differences between a server and this mock, told without the data of the account.

So data that change in an ordinary way are no drift, and a file of known drift has no secret.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from mock_server.tools.comparison import Contrast, Contrasts, kind_of
from mock_server.tools.verify_requests import Request

Found = Iterable[tuple[Request, Contrasts]]
"""Requests, and what differs in their answers."""
DATA_PARTS = ("total", "ids", "list.name", "list.parentId", "list.tags")
"""The parts whose values are data of the account."""
CODE = re.compile(r"\d{1,6}|[A-Za-z]*|\{[A-Za-z_, ]*\}|true or false|a (text|number|list)")
"""A value that is no data: a status, one word such as a statusText, or the kind of a value."""


class Drift(Struct):
    """A request that a server answers in another way, as a command, and what differs."""

    request: str
    differences: Contrasts


def differences_in_words(found: Found) -> dict[str, list[str]]:
    """Each difference once, with the names of the requests that show it."""
    names = dict[str, dict[str, None]]()
    for request, contrasts in found:
        for part, contrast in contrasts.items():
            names.setdefault(in_words(part, contrast), {})[request.name] = None
    return {words: [*names[words]] for words in sorted(names)}


def new_drift(
    found: Found, known: dict[str, list[str]], command_of: Callable[[Request], str]
) -> list[Drift]:
    """What is not known: each difference once, at the first request that shows it."""
    named = set[str]()
    drift = []
    for request, contrasts in found:
        new = {}
        for part, contrast in contrasts.items():
            words = in_words(part, contrast)
            names = known.get(words, [])
            # Which requests show a field of items depends on the data.
            is_known = request.name in names or (names and part.startswith("list."))
            if not is_known and words not in named:
                named.add(words)
                new[part] = contrast
        if new:
            drift.append(Drift(command_of(request), new))
    return drift


def in_words(part: str, contrast: Contrast) -> str:
    """A difference, with kinds in place of values that are data."""
    server = code_or_kind(part, contrast.server)
    mock = code_or_kind(part, contrast.mock)
    if server == mock:
        mock = "another one"
    return f"{part} is {server}, in the mock {mock}"


def code_or_kind(part: str, value: Any) -> str:
    """A value that is no data, or else its kind."""
    text = str(value)
    if text == "absent" or (part not in DATA_PARTS and CODE.fullmatch(text)):
        return text
    return kind_of(value)

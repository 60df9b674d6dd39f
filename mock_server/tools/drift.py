"""Differences between a server and this mock, in words without the data of the account.

So data that change in an ordinary way are no drift, and a file of known drift has no secret.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from mock_server.tools.comparison import ABSENT, Contrast, Contrasts, kind_of
from mock_server.tools.verify_requests import Request

RequestContrasts = Iterable[tuple[Request, Contrasts]]
"""Requests, and what differs in their responses."""
DATA_ASPECTS = ("total", "list.name", "list.parentId")
"""The aspects whose values are data of the account. Lists are described by their kind anyway."""
CODE = re.compile(r"\d{1,6}|[A-Za-z]*|\{[A-Za-z_, ]*\}|true or false|a (text|number|list)")
"""A value that is no data: a status, one word such as a statusText, or the kind of a value."""


def differences_in_words(request_contrasts: RequestContrasts) -> dict[str, list[str]]:
    """Each difference once, with the names of the requests that show it."""
    names = dict[str, dict[str, None]]()
    for request, contrasts in request_contrasts:
        for aspect, contrast in contrasts.items():
            names.setdefault(contrast_in_words(aspect, contrast), {})[request.name] = None
    return {words: [*names[words]] for words in sorted(names)}


def new_differences(
    request_contrasts: RequestContrasts, known: dict[str, list[str]]
) -> Iterator[tuple[Request, Contrasts]]:
    """Each request with what is not known: each difference once, at the first that shows it."""
    named = set[str]()
    for request, contrasts in request_contrasts:
        new = {}
        for aspect, contrast in contrasts.items():
            words = contrast_in_words(aspect, contrast)
            names = known.get(words, [])
            # Which requests show a field of items depends on the data.
            is_known = request.name in names or (names and aspect.startswith("list."))
            if not is_known and words not in named:
                named.add(words)
                new[aspect] = contrast
        yield request, new


def contrast_in_words(aspect: str, contrast: Contrast) -> str:
    """A difference, with kinds in place of values that are data."""
    server = code_or_kind(aspect, contrast.server)
    mock = code_or_kind(aspect, contrast.mock)
    if server == mock:
        mock = "another one"
    return f"{aspect} is {server}, in the mock {mock}"


def code_or_kind(aspect: str, value: Any) -> Any:
    """A value that is no data, or else its kind."""
    if value == ABSENT or (aspect not in DATA_ASPECTS and CODE.fullmatch(str(value))):
        return value
    return kind_of(value)

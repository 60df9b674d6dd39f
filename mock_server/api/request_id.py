"""The id of a request, by which its log line, its answer and its entry are found."""

import re
from collections.abc import Iterable, Sequence

from mock_server.api.headers import REQUEST_ID, Header, values
from mock_server.domain.limits import Limits

_ID = re.compile(rb"[A-Za-z0-9._-]{1,%d}" % Limits.request_id_chars)


def sent_id(headers: Iterable[Header]) -> str | None:
    """The id that is among headers; None if there is not one of that form."""
    return only_id(values(headers, REQUEST_ID))


def only_id(given: Sequence[bytes]) -> str | None:
    """The id that these values of the header give; None if none does."""
    is_one = len(given) == 1 and _ID.fullmatch(given[0])
    return given[0].decode() if is_one else None


def made_id(sandbox: str, generation: int, seq: int) -> str:
    """The id of a request that has none, by its journal entry: `default-1-42`.

    It is the same in every run of a test, and no other request's of the same server.
    """
    return f"{sandbox}-{generation}-{seq}"

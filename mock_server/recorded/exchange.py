"""A request and its answer as somebody has seen them, and what they say."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import msgspec

from mock_server.api.operations.neighbours.neighbour import query_fields
from mock_server.api.redaction import HIDDEN
from mock_server.domain.access import MIN_REDACTABLE_LENGTH

Headers = tuple[tuple[str, str], ...]
_NOT_JSON = msgspec.MsgspecError, UnicodeError, RecursionError
_TELLING = re.compile("token|session|auth|secret|password|api-?_?key", re.IGNORECASE)
"""What names of cookies and query fields have in them that log somebody in."""
_LONG_CHARS = 20
# What scripts send that have no key, and what has been redacted before.
_NO_SECRETS = {b"undefined", HIDDEN}
_CREDENTIALS = {"authorization", "proxy-authorization", "token", "rootkey"}


class Exchange(NamedTuple):
    """A request and its answer.

    `path` is as it was sent, without the query; the content encoding of `body`, the
    answer's, has been undone.
    """

    method: str
    path: str
    query: str
    request_headers: Headers
    request_body: bytes
    status: int
    headers: Headers
    body: bytes

    def secrets(self) -> set[bytes]:
        """What logs the caller in, if it is long enough to be told apart in texts."""
        return secrets_in(self.request_headers, self.query)

    def without(self, secrets: Iterable[bytes]) -> "Exchange":
        """The same without these in its query and in its bodies."""
        texts = [self.query.encode("utf-8", "replace"), self.request_body, self.body]
        # One secret may lie in another.
        for secret in sorted(secrets, key=len, reverse=True):
            texts = [each.replace(secret, HIDDEN) for each in texts]
        query, asked, answered = texts
        return self._replace(query=query.decode(), request_body=asked, body=answered)

    def asked(self) -> dict[str, Any]:
        """The fields of the request, of its body and its query; the query's win."""
        fields = query_fields(self.query.encode("utf-8", "replace"))
        body = _json(self.request_body)
        return {**body, **fields} if isinstance(body, dict) else dict(fields)

    def answered(self) -> object:
        """The data of a success, in its envelope. Raises ValueError for anything else.

        An error may have status 200 too (choice error_http_status): its code tells.
        """
        envelope = _json(self.body) if self.status == 200 else None
        if not isinstance(envelope, dict) or envelope.get("code") != 200:
            raise ValueError("not a success")
        return envelope.get("data")


def _json(content: bytes) -> object:
    """The value of a JSON text, None if it is none."""
    try:
        return msgspec.json.decode(content)
    except _NOT_JSON:
        return None


def secrets_in(headers: Headers, query: str) -> set[bytes]:
    """What logs the caller in, in headers and query of a request; no short texts."""
    texts = [*_secrets(headers)]
    texts += [value for name, value in parse_qsl(query) if _TELLING.search(name)]
    found = {each.encode("utf-8", "replace") for each in texts}
    return {each for each in found if len(each) >= MIN_REDACTABLE_LENGTH} - _NO_SECRETS


def _secrets(headers: Headers) -> Iterator[str]:
    """Keys and tokens in the headers of a request."""
    for name, value in headers:
        if name.lower() in _CREDENTIALS:
            yield value.rpartition(" ")[2]
        elif name.lower() == "cookie":
            for each in value.split(";"):
                cookie, _, text = each.strip().partition("=")
                # Others are words as often, which texts have too.
                if _TELLING.search(cookie) or len(text) >= _LONG_CHARS:
                    yield text

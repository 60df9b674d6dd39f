"""A request and its answer as somebody has seen them, and what they say."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from mock_server.api.operations.neighbours.neighbour import query_fields
from mock_server.api.redaction import HIDDEN
from mock_server.domain.access import MIN_REDACTABLE_LENGTH

Headers = tuple[tuple[str, str], ...]
_NOT_JSON = msgspec.MsgspecError, UnicodeError, RecursionError
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

    def without_secrets(self) -> "Exchange":
        """The same with what it was sent with to log in taken out of its texts."""
        secrets = [each.encode() for each in _secrets(self.request_headers)]
        texts = self.query.encode("utf-8", "replace"), self.request_body, self.body
        for secret in secrets:
            texts = (
                texts[0].replace(secret, HIDDEN),
                texts[1].replace(secret, HIDDEN),
                texts[2].replace(secret, HIDDEN),
            )
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


def _secrets(headers: Headers) -> Iterator[str]:
    """The texts that log somebody in, if they are long enough to be told apart."""
    for name, value in headers:
        found: list[str] = []
        if name.lower() in _CREDENTIALS:
            found = [value.rpartition(" ")[2]]
        elif name.lower() == "cookie":
            found = [each.partition("=")[2].strip() for each in value.split(";")]
        yield from (each for each in found if len(each) >= MIN_REDACTABLE_LENGTH)

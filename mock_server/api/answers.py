"""Answers, and the headers that they have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from mock_server.api.headers import Header
from mock_server.domain.rate_limit import Pass


class Answer(Struct, frozen=True):
    """A status, a text (JSON unless it says otherwise) and headers of its own."""

    status: int
    body: bytes
    headers: tuple[Header, ...] = ()
    content_type: bytes = b"application/json"

    def with_headers(self, *further: Header) -> Self:
        """The answer with further headers of its own."""
        return replace(self, headers=(*self.headers, *further))


def headers_of(answer: Answer, *further: Header) -> tuple[Header, ...]:
    """All headers of an answer but those that the server adds."""
    return headers_for(
        len(answer.body), answer.content_type, (*further, *answer.headers)
    )


def headers_for(
    length: int, content_type: bytes, further: Iterable[Header]
) -> tuple[Header, ...]:
    """The headers of an answer of that many bytes."""
    return (
        (b"content-type", content_type),
        (b"content-length", b"%d" % length),
        (b"cache-control", b"no-store"),
        *further,
    )


def rate_limit_headers(limit: Pass) -> tuple[Header, ...]:
    """Where a rate limit stands; the reset is in seconds from now."""
    return (
        (b"x-ratelimit-limit", b"%d" % limit.limit),
        (b"x-ratelimit-remaining", b"%d" % limit.remaining),
        (b"x-ratelimit-reset", b"%d" % limit.reset_seconds),
    )

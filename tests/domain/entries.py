"""Entries of a journal."""

from __future__ import annotations

from mock_server.domain.journal import Entry, SentRequest


def entry(size: int = 0) -> Entry:
    """An entry with a body of so many bytes."""
    return Entry(
        time=0,
        generation=1,
        operation=None,
        member=None,
        request=SentRequest(None, "GET", "/", b"", b"a:1\nb: 2:3", b"x" * size),
        status=404,
        response_headers=(),
        response_body=b"",
        duration_ms=0.0,
    )

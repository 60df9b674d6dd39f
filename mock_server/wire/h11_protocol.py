"""The parser in Python, which needs an eye on what it lets through."""

from __future__ import annotations

from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from mock_server.wire.protocol import RequestDeadlineMixin
from mock_server.wire.strict import StrictBuffer


class BoundedH11(RequestDeadlineMixin, H11Protocol):
    """uvicorn's protocol on h11, bounded."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # There is no public way to look at lines before h11 has changed them.
        self.conn._receive_buffer = StrictBuffer()

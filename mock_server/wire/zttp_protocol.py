"""The native parser."""

from __future__ import annotations

from uvicorn.protocols.http.zttp_impl import ZttpProtocol

from mock_server.wire.protocol import RequestDeadlineMixin


class BoundedZttp(RequestDeadlineMixin, ZttpProtocol):
    """uvicorn's protocol on zttp, bounded."""

"""The native parser."""

from __future__ import annotations

from uvicorn.protocols.http.zttp_impl import ZttpProtocol

from mock_server.wire.protocol import Bounded


class BoundedZttp(Bounded, ZttpProtocol):
    """uvicorn's protocol on zttp, bounded."""

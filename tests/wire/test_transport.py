"""An application can reach the connection below a request."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from mock_server.api.connection import connection_of
from mock_server.wire.uvicorn_internals import HttpParser
from tests.support import Switch, fetch

Live = Callable[[HttpParser], tuple[Switch, str]]


async def speak(scope: Scope, _receive: Receive, send: Send) -> None:
    """Write to the transport; where there is none, answer."""
    connection = connection_of(scope)
    if connection is None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"none"})
        return
    connection.transport.write(b"HTTP/1.1 299 Own\r\nContent-Length: 0\r\n\r\n")
    connection.transport.close()


@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_the_transport_is_that_of_the_connection(live: Live, http: HttpParser) -> None:
    switch, url = live(http)
    switch.app = speak
    for _ in range(2):
        assert fetch("GET", url).status_code == 299


def test_in_process_there_is_no_transport() -> None:
    assert TestClient(speak).get("/").text == "none"

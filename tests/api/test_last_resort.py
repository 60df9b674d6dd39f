"""What must not happen is answered too, and tells nobody but the log."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest
from starlette.types import Receive, Scope, Send

from mock_server.api.middleware import ServerErrorMiddleware
from mock_server.wire.uvicorn_internals import HttpParser
from tests.support import Switch, fetch

Live = Callable[[HttpParser], tuple[Switch, str]]


@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_an_unexpected_error_is_an_envelope_and_a_line(
    live: Live, http: HttpParser, logged: list[logging.LogRecord]
) -> None:
    async def broken(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise ZeroDivisionError("a secret")

    switch, url = live(http)
    switch.app = ServerErrorMiddleware(broken)
    response = fetch("POST", url, content=b"x")
    answer = response.json()
    trace_id = answer["message"].split()[-1]
    assert (response.status_code, answer["code"]) == (500, 500)
    assert (answer["statusText"], answer["data"]) == ("internalError", None)
    assert "secret" not in response.text
    (record,) = logged
    assert trace_id in record.getMessage()
    assert "ZeroDivisionError('a secret') at " in record.getMessage()
    assert record.exc_info is None


def test_nothing_is_added_to_an_answer_that_has_begun() -> None:
    sent: list[object] = []

    async def broken(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ZeroDivisionError

    async def send(message: object) -> None:
        sent.append(message)

    async def receive() -> dict[str, object]:
        return {"type": "http.disconnect"}

    scope = {"type": "http", "http_version": "1.1", "headers": []}
    asyncio.run(ServerErrorMiddleware(broken)(scope, receive, send))
    assert len(sent) == 1

"""Calls an ASGI application without a socket, from code that is not asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import unquote

from starlette.types import ASGIApp, Message

from mock_server.client import Send
from mock_server.http_call import Address, Budget, RawResponse

__tracebackhide__ = True


def in_process(app: ASGIApp) -> Send:
    """What sends the requests of an AdminClient to `app`."""

    def send(
        address: Address,
        method: str,
        path: str,
        headers: Mapping[str, str],
        content: bytes | None,
        budget: Budget,
    ) -> RawResponse:
        fields = {"Host": address.host, **headers}
        if content is not None:
            fields["Content-Length"] = str(len(content))
        exchange = _Exchange(_scope(method, path, fields), content or b"", budget)
        # In a thread of its own: the caller may be running an event loop.
        with ThreadPoolExecutor(1) as executor:
            executor.submit(asyncio.run, exchange.run(app)).result()
        return exchange.response()

    return send


def _scope(method: str, target: str, headers: Mapping[str, str]) -> dict[str, Any]:
    path, _, query = target.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote(path),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
        "client": ("127.0.0.1", 0),
        "server": (headers["Host"], 80),
    }


class _Exchange:
    """One request, and what comes back."""

    def __init__(self, scope: dict[str, Any], content: bytes, budget: Budget) -> None:
        self._scope, self._content, self._budget = scope, content, budget
        self._status = 0
        self._headers: dict[bytes, bytes] = {}
        self._body = bytearray()
        self._was_sent = False

    async def run(self, app: ASGIApp) -> None:
        """Have the application answer. Raises what it raises."""
        await app(self._scope, self._receive, self._send)

    async def _receive(self) -> Message:
        if self._was_sent:
            await asyncio.Event().wait()  # the client stays
        self._was_sent = True
        return {"type": "http.request", "body": self._content, "more_body": False}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = dict(message["headers"])
        elif message["type"] == "http.response.body":
            part = message.get("body", b"")
            self._budget.take(len(part))
            self._body += part

    def response(self) -> RawResponse:
        """What the application has sent."""
        names = b"content-type", b"location", b"retry-after"
        found = (self._headers.get(name, b"").decode("latin-1") for name in names)
        return RawResponse(self._status, bytes(self._body), *found)

"""A client of an application in this process: no socket, no thread, one event loop."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import httpx2
from starlette.types import ASGIApp, Message

LOOP = asyncio.new_event_loop()
"""Of all clients, so that none has to start one; the tests themselves are plain."""
_ADDRESSES: dict[str, dict[httpx2.URL | str, httpx2.URL]] = defaultdict(dict)
"""Where paths lead, by the address of a client: to read one takes a fifth of a call."""


class InProcess(httpx2.Client):
    """Sends requests to an application, which has to name headers as ASGI demands."""

    def __init__(self, app: ASGIApp, base_url: str = "http://testserver") -> None:
        super().__init__(transport=_Transport(app), base_url=base_url)
        self.headers["User-Agent"] = "testclient"
        self.follow_redirects = True
        self.app = app
        self._addresses = _ADDRESSES[base_url]

    def build_request(
        self, method: str, url: httpx2.URL | str, **options: Any
    ) -> httpx2.Request:
        """Take an address that was asked before as it was read then."""
        if url not in self._addresses:
            self._addresses[url] = super().build_request(method, url).url
        return super().build_request(method, self._addresses[url], **options)


class _Transport(httpx2.BaseTransport):
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = _Exchange(self._app, request)
        start = exchange.next()
        assert start["type"] == "http.response.start"
        headers = start.get("headers", ())
        assert all(name == name.lower() for name, _ in headers)
        return httpx2.Response(start["status"], headers=headers, stream=exchange)


class _Exchange(httpx2.SyncByteStream):
    """A request under way: the messages of its answer, as they come."""

    def __init__(self, app: ASGIApp, request: httpx2.Request) -> None:
        url = request.url
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "path": url.path,
            "raw_path": url.raw_path.partition(b"?")[0],
            "root_path": "",
            "scheme": url.scheme,
            "query_string": url.query,
            "headers": [(name.lower(), value) for name, value in request.headers.raw],
            "client": ("testclient", 50_000),
            "server": (url.host, url.port or 80),
            "state": {},
        }
        self._is_head = request.method == "HEAD"
        self._parts: Iterator[bytes] | None = iter(request.stream)  # type: ignore[arg-type]
        self._messages: asyncio.Queue[Message | BaseException] = asyncio.Queue()
        self._gone = asyncio.Event()
        self._task = LOOP.create_task(self._run(app, scope))

    def next(self) -> Message:
        # Mostly the whole answer is there after one run of the loop.
        if self._messages.empty():
            found = LOOP.run_until_complete(self._messages.get())
        else:
            found = self._messages.get_nowait()
        if isinstance(found, BaseException):
            raise found
        return found

    async def _run(self, app: ASGIApp, scope: dict[str, Any]) -> None:
        try:
            await app(scope, self._receive, self._messages.put)
        except Exception as error:
            await self._messages.put(error)

    async def _receive(self) -> Message:
        if self._parts is None:
            await self._gone.wait()
            return {"type": "http.disconnect"}
        for part in self._parts:
            return {"type": "http.request", "body": part, "more_body": True}
        self._parts = None
        return {"type": "http.request", "body": b"", "more_body": False}

    def __iter__(self) -> Iterator[bytes]:
        is_more = True
        while is_more:
            message = self.next()
            is_more = message.get("more_body", False)
            if message.get("body") and not self._is_head:
                yield message["body"]

    def close(self) -> None:
        """The client goes; what goes on after the answer is let go on to its end."""
        self._gone.set()
        if not self._task.done():
            LOOP.run_until_complete(asyncio.wait([self._task]))
        self._task.result()

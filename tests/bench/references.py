"""What the server is compared with: canned answers on the same uvicorn and parser.

`python -m tests.bench.references KIND FILE` serves the answer that the file holds, and
prints its URL: `ceiling` is a bare ASGI application, `route` the same endpoint on a
Starlette route, `starlette` what one would write by hand. `stream` gives the answer as
an event, at each request, to all who follow.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mock_server.wire.server import bind, url_of

STREAM = "/__admin/journal/stream"


@dataclass(frozen=True)
class Canned:
    """An answer that has been given before, and how it was asked for."""

    method: str
    path: str
    headers: dict[str, str]
    body: str


def start(headers: Sequence[tuple[bytes, bytes]]) -> Message:
    """The head of an answer."""
    return {"type": "http.response.start", "status": 200, "headers": headers}


class Endpoint:
    """An ASGI application that reads a request and gives the canned answer."""

    def __init__(self, canned: Canned) -> None:
        self._headers = [(k.encode(), v.encode()) for k, v in canned.headers.items()]
        self._body = canned.body.encode()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        await send(start(self._headers))
        await send({"type": "http.response.body", "body": self._body})


def ceiling(canned: Canned) -> ASGIApp:
    """Nothing but the answer."""
    return Endpoint(canned)


def route(canned: Canned) -> ASGIApp:
    """The answer at the path of the operation."""
    only = Route(canned.path, Endpoint(canned), methods=[canned.method])
    return Starlette(routes=[only])


def starlette(canned: Canned) -> ASGIApp:
    """The same data, with the request read and the answer encoded each time."""
    data: Any = json.loads(canned.body)
    own = ("content-length", "content-type")
    headers = {k: v for k, v in canned.headers.items() if k not in own}

    async def endpoint(request: Request) -> Response:
        await request.json()
        return JSONResponse(data, headers=headers)

    return Starlette(routes=[Route(canned.path, endpoint, methods=[canned.method])])


class Stream:
    """An ASGI application that tells all who follow of each request."""

    def __init__(self, canned: Canned) -> None:
        self._event = canned.body.encode()
        self._followers: list[asyncio.Queue[bytes]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        if scope["path"] == STREAM:
            await self._follow(send)
        await send(start([(b"content-length", b"2")]))
        await send({"type": "http.response.body", "body": b"{}"})
        for follower in self._followers:
            follower.put_nowait(self._event)

    async def _follow(self, send: Send) -> None:
        events = asyncio.Queue[bytes]()
        self._followers.append(events)
        await send(start([(b"content-type", b"text/event-stream")]))
        while True:
            event = await events.get()
            part = {"type": "http.response.body", "body": event, "more_body": True}
            await send(part)


KINDS: dict[str, Callable[[Canned], ASGIApp]] = {
    "ceiling": ceiling,
    "route": route,
    "starlette": starlette,
}
ALL = KINDS | {"stream": Stream}


# Older versions of uvicorn, with which the tests of this folder run too, have it not.
_PROTOCOL = "uvicorn.protocols.http.zttp_impl"


def serve(app: ASGIApp) -> None:
    """Serve with the settings of the mock server, on uvicorn's own protocol."""
    listener = bind("127.0.0.1", 0)
    config = uvicorn.Config(
        app,
        http=import_module(_PROTOCOL).ZttpProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=75,
    )
    print("READY", url_of(listener), flush=True)
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    serve(ALL[sys.argv[1]](Canned(**json.loads(Path(sys.argv[2]).read_text()))))

"""Calls of the admin API, over a socket or in process."""

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import httpx2
import msgspec
from starlette.types import ASGIApp

Json = dict[str, Any]
TIMEOUT = 30
"""Seconds that a call may take."""

__tracebackhide__ = True  # pytest shows the line of the test


class Refused(ValueError):
    """The server refused a call of its admin API, for the reason that it gives."""

    def __init__(self, status: int, response: Json) -> None:
        self.status = status
        self.response = response
        super().__init__(response["message"])


class AdminApi:
    """The admin API of one sandbox; `http` is a client with the server's address."""

    def __init__(self, http: httpx2.Client, sandbox: str = "default") -> None:
        self.http, self.sandbox = http, sandbox

    def call(self, method: str, path: str, body: Any = None, media: str = "json") -> Json:
        """Call a route of this sandbox. Raises Refused, ConnectionError."""
        return self.exchange(method, f"/sandboxes/{self.sandbox}{path}", body, media)

    def exchange(self, method: str, path: str, body: Any = None, media: str = "json") -> Json:
        """Call a route with an object, or bytes. Raises Refused, ConnectionError."""
        content = body if isinstance(body, bytes | None) else msgspec.json.encode(body)
        headers, http = {"Content-Type": f"application/{media}"}, self.http
        try:
            response = http.request(method, f"/__admin{path}", content=content, headers=headers)
        # A closed client raises the second.
        except (httpx2.TransportError, RuntimeError) as error:
            raise ConnectionError(f"no mock server at {http.base_url} ({error})") from None
        try:
            found = msgspec.json.decode(response.content, type=Json)
        except msgspec.DecodeError:
            found = {}
        if response.is_success and found:
            return found
        got = f"{response.text!r:.80}"
        stranger = {"message": f"no mock server at {http.base_url}: it sends {got}"}
        raise Refused(response.status_code, stranger | found)


def client_at(url: str, token: str | None = None) -> httpx2.Client:
    """A client of the server at this address; `token` is its admin token."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    is_secure = url.startswith("https:")  # certificates take 20 ms to load
    return httpx2.Client(
        base_url=url,
        headers=headers,
        timeout=TIMEOUT,
        verify=is_secure,
        trust_env=False,  # a proxy would not know the server of a test
    )


class InProcess(httpx2.BaseTransport):
    """Sends the requests of a synchronous client to an ASGI application."""

    def __init__(self, app: ASGIApp) -> None:
        self._transport = httpx2.ASGITransport(app)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        # In a thread, as the caller may run in a loop.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self._response(request)).result()

    async def _response(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._transport.handle_async_request(request)
        content = await response.aread()
        return httpx2.Response(response.status_code, headers=response.headers, content=content)


def path(*names: Any) -> str:
    """The path of an object: `/apps/a/chats/b%2Fc`."""
    return "".join(f"/{quote(str(each), safe='')}" for each in names)


def given(fields: Mapping[str, Any]) -> Json:
    """The fields that are not None."""
    return {name: it for name, it in fields.items() if it is not None}

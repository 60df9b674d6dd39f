"""Calls of the admin API, over a socket or in process."""

import asyncio
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html import unescape
from typing import Any
from urllib.parse import quote
from urllib.request import getproxies, proxy_bypass

import httpx2
import msgspec
from starlette.types import ASGIApp

from mock_server.decoding.json_values import NOT_JSON, JsonObject
from mock_server.rules.handlers import HANDLER, Handler, check_not_in_server_loop
from mock_server.timing.system_time import RealTime

TIMEOUT = 30
"""Seconds that a call may take."""
TITLE = re.compile("<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)

__tracebackhide__ = True
"""Makes pytest leave this module out of tracebacks."""

# A test that reads its log looks for the calls of its client.
logging.getLogger("httpx2").addFilter(lambda record: "/__admin/" not in record.getMessage())


class Refused(ValueError):
    """The server refused a call of its admin API. `response` has the reason as `message`."""

    def __init__(self, status: int, response: JsonObject) -> None:
        self.status = status
        self.response = response
        super().__init__(response["message"])


class AdminClient:
    """Calls the admin API for one sandbox; `http` is a client with the server's address.

    `app` is the server as an application, if it is in this process.
    """

    def __init__(
        self, http: httpx2.Client, sandbox: str = "default", application: Any = None
    ) -> None:
        self.http = http
        self.sandbox = sandbox
        self.application = application

    def call(
        self, method: str, path: str, body: Any = None, media: str = "json", **query: Any
    ) -> JsonObject:
        """Call a route of this sandbox. Raises Refused, ConnectionError."""
        return self.call_api(method, f"/sandboxes/{self.sandbox}{path}", body, media, **query)

    def call_api(
        self, method: str, path: str, body: Any = None, media: str = "json", **query: Any
    ) -> JsonObject:
        """Call any route of the API, with bytes or an object. Raises Refused, ConnectionError."""
        check_not_in_server_loop()
        content = body
        if not isinstance(body, bytes | None):
            content = msgspec.json.encode(body, enc_hook=encode_hook)
        try:
            response = self.http.request(
                method,
                f"/__admin{path}",
                content=content,
                headers={"Content-Type": f"application/{media}"},
                params=query,
            )
        # A client that is closed raises RuntimeError.
        except (httpx2.TransportError, RuntimeError) as error:
            raise ConnectionError(f"no mock server at {self.http.base_url} ({error})") from None
        fields = json_fields(response)
        if response.is_success and fields:
            return fields
        # A mock server's refusal has a message; a response without one is from another server.
        message = other_server_in_words(str(self.http.base_url), response)
        raise Refused(response.status_code, {"message": message} | fields)


def json_fields(response: httpx2.Response) -> JsonObject:
    """The fields of a JSON object; none if the response is something else."""
    with suppress(*NOT_JSON):
        return msgspec.json.decode(response.content, type=JsonObject)
    return {}


def other_server_in_words(url: str, response: httpx2.Response) -> str:
    """That there is another server, and what it answers."""
    return f"no mock server at {url}: it answers with {response_in_words(response)}"


def response_in_words(response: httpx2.Response) -> str:
    """The status of a response, and its message, the title of its page, or its first words."""
    if response.has_redirect_location:
        address = response.request.url.join(response.headers["Location"])
        return f"status {response.status_code}: it is redirected to {address}; use that address"
    fields = json_fields(response)
    message = fields.get("message")
    sent = f"{message or response.text[:80]!r}"
    title = TITLE.search(response.text)
    if title:
        sent = f"the page {unescape(title[1]).strip()!r}"
    # FastGPT may send its refusal with another status.
    code = fields.get("code", response.status_code)
    if code != response.status_code:
        return f"status {response.status_code}, code {code} and {sent}"
    return f"status {response.status_code} and {sent}"


def connection_error_in_words(error: Exception, url: httpx2.URL, *, trust_env: bool = False) -> str:
    """Why there is no answer, with the proxy that was asked, or what makes a certificate known."""
    reason = str(error)
    proxy = getproxies().get(url.scheme, "")
    if trust_env and proxy and not proxy_bypass(url.host):
        # An address of a proxy may have a password.
        reason += f", through the proxy {proxy.rpartition('@')[2]}"
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        reason += "; a CA of your own is that in the file of SSL_CERT_FILE"
    return reason


def client_at(url: str, token: str | None = None, *, trust_env: bool = False) -> httpx2.Client:
    """A client of the server at this address; `token` is its admin token, or an API key.

    `trust_env`: whether HTTP_PROXY and the like count. No proxy can reach the server of a test.
    SSL_CERT_FILE and SSL_CERT_DIR always count.
    """
    headers = {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return httpx2.Client(
        base_url=url,
        headers=headers,
        timeout=TIMEOUT,
        # Certificates take 20 ms to load.
        verify=httpx2.URL(url).scheme == "https" and httpx2.create_ssl_context(),
        trust_env=trust_env,
    )


class InProcess(httpx2.BaseTransport):
    """Sends the requests of a synchronous client to an ASGI application.

    The scope of each request has the function `handler`, for a rule that it adds.
    """

    def __init__(self, application: ASGIApp, handler: Handler | None = None) -> None:
        self._transport = httpx2.ASGITransport(
            lambda scope, receive, send: application({**scope, HANDLER: handler}, receive, send)
        )

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        # A new thread is needed, as an event loop may run in the caller's thread.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, self._response(request)).result()

    async def _response(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._transport.handle_async_request(request)
        content = await response.aread()
        return httpx2.Response(response.status_code, headers=response.headers, content=content)


def encode_hook(value: object) -> str:
    """A time of a class of its own, as freezegun has one, as a text. Raises TypeError."""
    if isinstance(value, RealTime.Datetime):
        return value.isoformat()
    raise TypeError(
        f"Expected data, got {value!r} (answers are data, or one function: respond(route, handler);"
        " placeholders such as {{body.id}} take values of the request)"
    )


def path_to(*names: Any) -> str:
    """The path of an object: `/apps/a/chats/b%2Fc`. A client would drop a name of dots alone."""
    return "".join(f"/{quote(str(name), safe='').replace('.', '%2E')}" for name in names)


def without_none(**fields: Any) -> JsonObject:
    """The fields that are not None."""
    return {name: value for name, value in fields.items() if value is not None}

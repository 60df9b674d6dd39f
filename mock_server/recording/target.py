"""The service behind the proxy: what is sent to it, and what it answers."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable

import httpx2
from starlette.types import Scope

from mock_server.api.headers import Header, ParsedHeaders
from mock_server.domain.errors import describe_value
from mock_server.domain.limits import Limits
from mock_server.domain.printable import one_line
from mock_server.http_call import Address

# RFC 9110 7.6.1, and 11.7 for the fields of proxies.
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization "
    b"proxy-authentication-info proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)
_NEVER_NAMED = frozenset((b"host", b"content-length"))
"""What no field Connection takes away: without them a message means another one."""
_PORTS = {"http": 80, "https": 443}
_CHUNKED = b"Transfer-Encoding", b"chunked"


class NoAnswer(Exception):
    """The target has not answered; the text says why, `status` what to answer."""

    def __init__(self, status: int, status_text: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.status_text = status_text


def end_to_end(headers: Iterable[Header]) -> list[Header]:
    """The headers that are for the other end too, in their order (RFC 9110 7.6.1)."""
    headers = list(headers)
    named = {
        each.strip().lower()
        for name, value in headers
        if name.lower() == b"connection"
        for each in value.split(b",")
    }
    dropped = _HOP_BY_HOP | (named - _NEVER_NAMED)
    return [each for each in headers if each[0].lower() not in dropped]


def lowered(headers: Iterable[Header]) -> list[Header]:
    """Headers with their names in lower case."""
    return [(name.lower(), value) for name, value in headers]


class Body(httpx2.AsyncByteStream):
    """A request's body, piece by piece as it comes."""

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces


class Target:
    """A service at an address, over connections that are kept and limited in number.

    No redirect is followed, no cookie kept, no proxy of the environment used, and no
    header added but Host. A certificate is verified.
    """

    def __init__(self, address: Address, limits: Limits) -> None:
        self._base = address.base.encode()
        host = f"[{address.host}]" if ":" in address.host else address.host
        is_default = address.port == _PORTS[address.scheme]
        host = host if is_default else f"{host}:{address.port}"
        root = f"{address.scheme}://{host}"
        self.url = root + address.base
        """Where it is."""
        self._host = b"Host", host.encode()
        self._root = httpx2.URL(f"{root}/")
        self._timeouts = {
            "connect": limits.target_connect_seconds,
            "pool": limits.target_connect_seconds,
            "read": limits.target_silence_seconds,
            "write": limits.target_silence_seconds,
        }
        self._connections = limits.target_connections
        self._transport = httpx2.AsyncHTTPTransport(
            verify=context_for(address),
            trust_env=False,
            limits=httpx2.Limits(
                max_connections=limits.target_connections,
                max_keepalive_connections=limits.target_connections,
                keepalive_expiry=limits.target_idle_seconds,
            ),
        )

    async def send(
        self, scope: Scope, head: ParsedHeaders, pieces: AsyncIterator[bytes]
    ) -> httpx2.Response:
        """Pass a request on; the answer as soon as its head has come.

        Whoever gets it closes it. Raises NoAnswer, and what `pieces` raises.
        """
        path = scope["raw_path"].partition(b"?")[0]
        if not path.startswith(b"/") and path != b"*":
            got = describe_value(path.decode("latin-1"))
            raise NoAnswer(400, "badTarget", f"Expected a path, got {got} - at path")
        try:
            async with asyncio.timeout(None) as limit:
                body = Body(self._until_sent(pieces, limit))
                request = self._request(scope, head, path, body)
                response = await self._transport.handle_async_request(request)
        except httpx2.PoolTimeout:
            got = f"{self._connections} others on their way"
            raise self._no_answer(503, "targetBusy", got) from None
        except (TimeoutError, httpx2.TimeoutException):
            raise self._no_answer(504, "targetSilent", "nothing in time") from None
        except httpx2.TransportError as error:
            raise self._no_answer(502, "targetUnreachable", reason(error)) from None
        if response.status_code < 200:
            await response.aclose()
            raise self._no_answer(502, "targetUnreachable", "another protocol")
        return response

    async def aclose(self) -> None:
        """Close all connections."""
        await self._transport.aclose()

    def _request(
        self, scope: Scope, head: ParsedHeaders, path: bytes, body: Body
    ) -> httpx2.Request:
        request = httpx2.Request(
            scope["method"],
            self._root,
            headers=self._headers(scope["headers"], head),
            stream=body,
            extensions={
                "timeout": self._timeouts,
                "target": self._below_base(path, scope["query_string"]),
            },
        )
        request.method = scope["method"]  # it has made capitals of it
        return request

    async def _until_sent(
        self, pieces: AsyncIterator[bytes], limit: asyncio.Timeout
    ) -> AsyncIterator[bytes]:
        """The pieces of a body; after the last one the time for a head begins.

        The limit of the library is for each read: a head could come byte by byte.
        """
        async for piece in pieces:
            yield piece
        seconds = self._timeouts["read"]
        limit.reschedule(asyncio.get_running_loop().time() + seconds)

    def _headers(self, headers: Iterable[Header], head: ParsedHeaders) -> list[Header]:
        """What is passed on of a request's headers, with the target's Host."""
        passed = [
            self._host if each[0] == b"host" else each for each in end_to_end(headers)
        ]
        if self._host not in passed:  # HTTP/1.0 may leave it out
            passed.insert(0, self._host)
        return [*passed, _CHUNKED] if head.is_chunked else passed

    def _below_base(self, path: bytes, query: bytes) -> bytes:
        """What to ask the target for: as it was sent, below the base path."""
        base = b"" if path == b"*" else self._base
        return base + path + (b"?" + query if query else b"")

    def _no_answer(self, status: int, status_text: str, got: str) -> NoAnswer:
        message = f"Expected an answer, got {got} - at {self.url}"
        return NoAnswer(status, status_text, message)


def context_for(address: Address) -> ssl.SSLContext:
    """What verifies the target: by the certificates that the machine trusts."""
    if address.scheme == "https":
        return ssl.create_default_context()
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # never used, and quickly made


def reason(error: Exception) -> str:
    """Why something failed, in one line."""
    return one_line(str(error) or type(error).__name__)

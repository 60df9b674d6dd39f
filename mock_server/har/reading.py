"""A HAR file as exchanges. Of all that it can hold, this is what there is to know.

Browsers differ in much of the rest, so nothing else of a file is checked.
"""

import binascii
import json
import re
from base64 import b64decode
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from mock_server.recorded.exchange import Exchange, Headers, secrets_in


class Named(Struct):
    """A header field."""

    name: str
    value: str


class PostData(Struct):
    """The body of a request."""

    text: str | None = None


class Content(Struct, rename="camel"):
    """The body of an answer; `text` may be in an encoding.

    Our own journal says whether it is only the beginning.
    """

    size: float = 0
    mime_type: str | None = None
    text: str | None = None
    encoding: str | None = None
    truncated: bool = field(name="_truncated", default=False)


class HarRequest(Struct, rename="camel"):
    """A request."""

    method: str
    url: str
    headers: list[Named] = []
    post_data: PostData | None = None


class HarResponse(Struct):
    """An answer; its status is 0, or less, if there was none."""

    status: int
    headers: list[Named] = []
    content: Content = field(default_factory=Content)


class HarEntry(Struct):
    """A request and its answer."""

    request: HarRequest
    response: HarResponse


class HarLog(Struct):
    """All of them."""

    entries: list[HarEntry]


class Har(Struct):
    """A HAR file."""

    log: HarLog


class Recorded(NamedTuple):
    """An exchange, and the address to whose path it was, such as `https://host`.

    `is_whole` says that the body of the answer is there, `is_exact` that its bytes are
    those that were sent: a text may have been in another character set.
    """

    origin: str
    exchange: Exchange
    is_whole: bool
    is_exact: bool


class NotHar(ValueError):
    """A file is no HAR file. The message says what it is, and where that shows."""


class BadBody(ValueError):
    """A body is not in the encoding that is said of it."""


def read_har(content: bytes, name: str) -> Har:
    """What the bytes of a file of that name hold. Raises NotHar."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    if content.lstrip()[:1] == b"<":
        raise NotHar(f"Expected a HAR file, got HTML or XML - at {name}")
    try:
        return msgspec.json.decode(content, type=Har)
    except msgspec.ValidationError as error:
        raise _misshapen(error, name) from None
    except RecursionError:
        raise NotHar(f"Expected a HAR file, got too deep a one - at {name}") from None
    except (msgspec.DecodeError, UnicodeError):
        # Slower, but it says where; and it reads halves of surrogate pairs, of which
        # there are some in texts that browsers have cut.
        return _read_slowly(content, name)


def _read_slowly(content: bytes, name: str) -> Har:
    try:
        value: Any = json.loads(content.decode())
        return msgspec.convert(value, Har)
    except UnicodeDecodeError as error:
        place = f"{name}, byte {error.start}"
        raise NotHar(f"Expected UTF-8, got other bytes - at {place}") from None
    except json.JSONDecodeError as error:
        place = f"{name}:{error.lineno}:{error.colno}"
        raise NotHar(
            f"Expected a HAR file, got no JSON: {error.msg} - at {place}"
        ) from None
    except RecursionError:
        raise NotHar(f"Expected a HAR file, got too deep a one - at {name}") from None
    except msgspec.ValidationError as error:
        raise _misshapen(error, name) from None


_PATH = re.compile(r" - at `(\$.*)`$")


def _misshapen(error: msgspec.ValidationError, name: str) -> NotHar:
    """JSON that is no HAR, as a message."""
    text = str(error)
    found = _PATH.search(text)
    what = text[: found.start()] if found else text
    return NotHar(f"{what} - at {found[1] if found else '$'} of {name}")


def recorded(entry: HarEntry, origins: tuple[str, ...]) -> Recorded | None:
    """An entry as an exchange; None if it was at none of the `origins`.

    An origin may have a path, which is no part of that of the exchange. Without any,
    each host is one. Raises ValueError for what no URL can be.
    """
    url = urlsplit(entry.request.url)
    # The part of a user and a password is nobody's business.
    host = url.netloc.rpartition("@")[2].lower()
    origin, path = f"{url.scheme}://{host}", url.path or "/"
    if origins:
        at = f"{origin}{path}"
        below = [each for each in origins if at == each or at.startswith(f"{each}/")]
        if not below:
            return None
        origin = max(below, key=len)
        path = at[len(origin) :] or "/"
    posted = entry.request.post_data
    asked = (posted.text if posted else None) or ""
    content = entry.response.content
    exchange = Exchange(
        entry.request.method.upper(),
        path,
        url.query,
        _headers(entry.request.headers),
        asked.encode("utf-8", "replace"),
        entry.response.status,
        _headers(entry.response.headers),
        _body(content),
    )
    is_whole = not content.truncated
    is_whole &= content.text is not None or content.size <= 0
    return Recorded(origin, exchange, is_whole, content.encoding == "base64")


def secrets_of(entry: HarEntry) -> set[bytes]:
    """What an entry was sent with to log in."""
    query = entry.request.url.partition("?")[2].partition("#")[0]
    return secrets_in(_headers(entry.request.headers), query)


def _headers(given: list[Named]) -> Headers:
    """Header fields, without what HTTP/2 has in their place (RFC 9113 8.3)."""
    return tuple(
        (each.name.lower(), each.value)
        for each in given
        if not each.name.startswith(":")
    )


def _body(content: Content) -> bytes:
    """The bytes of a body. Raises BadBody."""
    if content.text is None:
        return b""
    if content.encoding == "base64":
        try:
            return b64decode(content.text, validate=True)
        except binascii.Error:
            raise BadBody from None
    return content.text.encode("utf-8", "replace")

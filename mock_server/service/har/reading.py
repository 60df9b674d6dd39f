"""Reads HAR files: their entries, and the exchanges in them."""

import json
import re
from base64 import b64decode
from codecs import BOM_UTF8
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct, field

from mock_server.api.operations.related.route import query_fields
from mock_server.api.redaction import HIDDEN, RequestSecrets

Headers = tuple[tuple[str, str], ...]
_MAX_DIGITS = 20


class Exchange(NamedTuple):
    """A request and its response.

    `path` is the path below `origin` (such as `https://host`), escaped as it was sent,
    without the query. `body` is the body of the response, without content encoding.
    `is_whole` is True if the HAR file contains it, `is_exact` if its bytes are those
    that were sent: a text may have had another charset.
    """

    method: str
    path: str
    query: str
    request_body: bytes
    status: int
    headers: Headers
    body: bytes
    origin: str = ""
    is_whole: bool = True
    is_exact: bool = True

    def without_secrets(self, secrets: RequestSecrets) -> "Exchange":
        """Return the exchange without secrets in query, bodies and response headers."""
        return self._replace(
            query=secrets.redact_text(self.query),
            request_body=_redacted(self.request_body, secrets),
            headers=tuple(
                (name, secrets.redact_text(value)) for name, value in self.headers
            ),
            body=_redacted(self.body, secrets),
        )

    def request_fields(self) -> dict[str, Any]:
        """Return the fields of body and query; those of the query win."""
        fields = query_fields(self.query.encode("utf-8", "replace"))
        body = json_of(self.request_body)
        return {**body, **fields} if isinstance(body, dict) else dict(fields)

    def response_data(self) -> object:
        """Return the data of a success. Raises ValueError for any other response.

        `code` decides, because an error may have status 200 (choice error_http_status).
        """
        envelope = json_of(self.body) if self.status == 200 else None
        if not isinstance(envelope, dict) or envelope.get("code") != 200:
            raise ValueError("not a success")
        return envelope.get("data")


# Matches a text of JSON, or a number of which a part is hidden. A text matches without
# the last quote: else one with many quotes in it would take long.
_HIDDEN_NUMBER = re.compile(
    rb'"(?:[^"\\]|\\.)*+"?|(?<![\d.eE+-])([\d.eE+-]*+%b[\d.eE+-]*+)' % re.escape(HIDDEN)
)


# Matches what stands before the JSON of a line: a byte order mark, the separator of a
# JSON text sequence (RFC 7464), the name of an event's field.
_BEFORE_JSON = re.compile(rb"\A(?:%b)?\x1e?(?:data:)?" % BOM_UTF8)


def _redacted(body: bytes, secrets: RequestSecrets) -> bytes:
    """Return a body without secrets; in JSON a number that has one becomes a text.

    The body may be JSON, or have lines or events of JSON.
    """
    redacted = secrets.redact(body)
    if redacted == body:
        return body
    if json_of(body.removeprefix(BOM_UTF8)) is not None:
        return _with_texts(redacted)
    lines, former_lines = redacted.split(b"\n"), body.split(b"\n")
    if len(lines) == len(former_lines):  # no secret goes over the end of a line
        for number, (line, former) in enumerate(zip(lines, former_lines, strict=True)):
            if line != former and json_of(_BEFORE_JSON.sub(b"", former)) is not None:
                lines[number] = _with_texts(line)
    return b"\n".join(lines)


def _with_texts(redacted: bytes) -> bytes:
    """Return JSON in which texts stand for the numbers of which a part is hidden."""
    return _HIDDEN_NUMBER.sub(
        lambda match: b'"%b"' % HIDDEN if match[1] else match[0], redacted
    )


def json_of(content: bytes) -> object:
    """Return the value of a JSON text, None if it is invalid."""
    try:
        return msgspec.json.decode(content)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None


class HeaderField(Struct):
    name: str
    value: str


class PostData(Struct):
    """The body of a request."""

    text: str | None = None
    params: Any = None


class ResponseBody(Struct):
    """The body of a response; `encoding` is that of `text`, such as `base64`."""

    size: float = 0
    text: str | None = None
    encoding: str | None = None


class HarRequest(Struct, rename="camel"):
    method: str
    url: str
    headers: list[HeaderField] = []
    post_data: PostData | None = None
    cookies: Any = None
    query_string: Any = None


class HarResponse(Struct):
    """A response; its status is 0 or less if the request got no response."""

    status: int
    headers: list[HeaderField] = []
    content: ResponseBody = field(default_factory=ResponseBody)
    cookies: Any = None


class HarEntry(Struct):
    request: HarRequest
    response: HarResponse


class HarLog(Struct):
    entries: list[HarEntry]


class Har(Struct):
    log: HarLog


class NotHar(ValueError):
    """The file is not a HAR file; the message says why, and names the place."""


class BadBody(ValueError):
    """A body does not have its declared encoding."""


def read_har(content: bytes, name: str) -> Har:
    """Parse the bytes of the HAR file `name`. Raises NotHar."""
    content = content.removeprefix(BOM_UTF8)
    if content.lstrip()[:1] == b"<":
        raise NotHar(f"Expected a HAR file, got HTML or XML - at {name}")
    try:
        try:
            return msgspec.json.decode(content, type=Har)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeError):
            # Python's parser is slower, but it reports the position, and it accepts
            # halves of surrogate pairs, which browsers leave when they cut a text.
            text = content.decode()
            return msgspec.convert(json.loads(text, parse_int=_number), Har)
    except msgspec.ValidationError as error:
        is_postman = b"schema.getpostman.com" in content
        raise _wrong_shape(error, name, _OF_POSTMAN if is_postman else "") from None
    except RecursionError:
        raise NotHar(f"Expected a HAR file, got one too deep - at {name}") from None
    except UnicodeDecodeError as error:
        place = f"{name}, byte {error.start}"
        raise NotHar(f"Expected UTF-8, got other bytes - at {place}") from None
    except json.JSONDecodeError as error:
        got, hint = f"no JSON: {error.msg}", ""
        if error.pos >= len(error.doc.rstrip()) or "Unterminated" in error.msg:
            got, hint = "the beginning of one", " (export it again: its end is missing)"
            got = got if error.doc.strip() else "nothing"
        place = f"{name}:{error.lineno}:{error.colno}{hint}"
        raise NotHar(f"Expected a HAR file, got {got} - at {place}") from None


def _number(digits: str) -> float:
    """Return an integer; a float if it is long, because Python refuses many digits."""
    return float(digits) if len(digits) > _MAX_DIGITS else int(digits)


_PATH = re.compile(r" - at `(\$.*)`$")


_OF_POSTMAN = " (save a HAR in a browser: this is a collection of Postman)"


def _wrong_shape(error: msgspec.ValidationError, name: str, hint: str) -> NotHar:
    """Return the error for JSON of another shape."""
    text = str(error)
    match = _PATH.search(text)
    start = text[: match.start()] if match else text
    place = f"{match[1] if match else '$'} of {name}"
    return NotHar(f"Expected a HAR file, got other JSON: {start} - at {place}{hint}")


def exchange_of(entry: HarEntry, origins: tuple[str, ...]) -> Exchange | None:
    """Return the exchange of an entry; None if it went to none of the `origins`.

    An origin may end with a path, which is left out in the path of the exchange. If
    `origins` is empty, each host is an origin. Raises ValueError for an invalid URL.
    """
    url = urlsplit(entry.request.url)
    # Leave out user and password.
    host = url.netloc.rpartition("@")[2].lower()
    origin, path = f"{url.scheme}://{host}", url.path or "/"
    if origins:
        address = f"{origin}{path}"
        bases = [
            each
            for each in origins
            if address == each or address.startswith(f"{each}/")
        ]
        if not bases:
            return None
        origin = max(bases, key=len)
        path = address[len(origin) :] or "/"
    post_data = entry.request.post_data
    request_text = (post_data.text if post_data else None) or ""
    content = entry.response.content
    return Exchange(
        entry.request.method.upper(),
        path,
        url.query,
        request_text.encode("utf-8", "replace"),
        entry.response.status,
        headers_of(entry.response.headers),
        body_of(content),
        origin,
        is_whole=content.text is not None or content.size <= 0,
        is_exact=content.encoding == "base64",
    )


def headers_of(fields: list[HeaderField]) -> Headers:
    """Return header fields without HTTP/2's pseudo-headers (RFC 9113 8.3)."""
    return tuple(
        (each.name.lower(), each.value)
        for each in fields
        if not each.name.startswith(":")
    )


def body_of(content: ResponseBody) -> bytes:
    """Return the bytes of a body. Raises BadBody."""
    if content.text is None:
        return b""
    if content.encoding == "base64":
        try:
            return b64decode(content.text, validate=True)
        except ValueError:  # for letters outside ASCII it is not binascii.Error
            raise BadBody from None
    return content.text.encode("utf-8", "replace")

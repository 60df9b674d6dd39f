"""Answers that no operation gives become entries of `responses`."""

import re
from base64 import b64encode
from contextlib import suppress
from typing import Any, get_args

import msgspec

from mock_server.domain.limits import Limits
from mock_server.domain.responses import WITHOUT_BODY
from mock_server.fixture.document import PATH_PATTERN, Method
from mock_server.fixture.parts import DOTS
from mock_server.har import notes as note
from mock_server.har.reading import Recorded
from mock_server.recorded.parts import Plain

METHODS = frozenset(get_args(Method)) - {"OPTIONS"}
"""Preflights are not recorded answers: the server decides on these itself."""
_PARTIAL = (206, 304)
# What is about one connection, one moment or one caller, or would lead or hold the
# browser elsewhere; and what the server says itself.
_DROPPED = frozenset(
    {
        "alt-svc",
        "connection",
        "content-encoding",
        "content-length",
        "content-range",
        "date",
        "keep-alive",
        "proxy-authenticate",
        "proxy-connection",
        "public-key-pins",
        "set-cookie",
        "strict-transport-security",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "x-mock-generation",
        "x-mock-sandbox",
    }
)
_CORS = "access-control-"
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}")
_VALUE = re.compile(r"[!-~](?:[\t -~]*[!-~])?")
_CHARSET = re.compile(r"(charset\s*=\s*)\"?[^\s;\"]+\"?", re.IGNORECASE)


_NAMED = ("method", "path", "status")


def why_not(found: Recorded) -> str | None:
    """Why an answer cannot be declared in a fixture, None if it can."""
    method, path, status = (getattr(found.exchange, each) for each in _NAMED)
    if method not in METHODS:
        return note.OTHER_METHOD
    if status in _PARTIAL:
        return note.NOT_MODIFIED
    if not 200 <= status <= 599:
        return note.OTHER_STATUS
    is_path = re.fullmatch(PATH_PATTERN, path) and "{" not in path
    if not is_path or len(path) > Limits.path_chars or set(path.split("/")) & {*DOTS}:
        return note.NO_URL
    if not found.is_whole:
        return note.NO_BODY
    return None if len(found.exchange.body) <= Limits.response_bytes else note.TOO_LARGE


def response_part(found: Recorded) -> Plain:
    """The entry of `responses` that answers as was recorded."""
    exchange = found.exchange
    headers = _headers(found)
    part: Plain = {"method": exchange.method, "path": exchange.path}
    if exchange.status != 200:
        part["status"] = exchange.status
    body = {} if exchange.status in WITHOUT_BODY else _body(exchange.body)
    if exchange.status in WITHOUT_BODY:
        headers.pop("content-type", None)
    if "text" in body and not found.is_exact and "content-type" in headers:
        # A HAR file has the text itself, whatever bytes it came in.
        headers["content-type"] = _CHARSET.sub(r"\1utf-8", headers["content-type"])
    return part | ({"headers": headers} if headers else {}) | body


def _headers(found: Recorded) -> dict[str, str]:
    """The headers that a fixture can declare; several of a name are joined."""
    kept: dict[str, str] = {}
    for name, value in found.exchange.headers:
        text = value.strip()
        if name in _DROPPED or name.startswith(_CORS):
            continue
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(text):
            continue
        # A redirect to where it was recorded is one to where it is served.
        if name == "location" and text.startswith(f"{found.origin}/"):
            text = text.removeprefix(found.origin)
        text = f"{kept[name]}, {text}" if name in kept else text
        if len(text) <= Limits.response_header_chars:
            kept[name] = text
    return dict(list(kept.items())[: Limits.response_headers])


def _body(content: bytes) -> dict[str, Any]:
    """A body as `json` where that gives these very bytes, else as text or base64."""
    if not content:
        return {}
    with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
        value = msgspec.json.decode(content)
        if msgspec.json.encode(value) == content and _can_stand(value):
            return {"json": value}
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": b64encode(content).decode()}


# The entry itself stands in a list in an object.
_DEPTH = Limits.json_depth - 4
_KEY_CHARS = 512
"""Of a key; YAML bounds one with its escapes to 1,024 (YAML 1.2.2 7.4.2)."""


def _can_stand(value: object) -> bool:
    """Whether a value can stand in a fixture: names, integers, and how deep it is."""
    level = [value]
    for _ in range(_DEPTH):
        if not level:
            return True
        below: list[object] = []
        for each in level:
            if isinstance(each, dict):
                if any(len(key) > _KEY_CHARS for key in each):
                    return False
                below += each.values()
            elif isinstance(each, list):
                below += each
            elif isinstance(each, int) and abs(each) > Limits.integer:
                return False
        level = below
    return False

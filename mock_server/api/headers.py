"""Request headers as ASGI has them, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from msgspec import Struct

from mock_server.api.errors import (
    MissingAuthorization,
    UnknownKey,
    UnsupportedMediaType,
)
from mock_server.api.redaction import HIDDEN
from mock_server.domain.access import ISSUED_KEY_PREFIX, KEY_PATTERN, Caller
from mock_server.domain.choices import Choices
from mock_server.domain.errors import describe_value
from mock_server.domain.limits import LIMITS
from mock_server.domain.state import State

Header = tuple[bytes, bytes]


def values(headers: Iterable[Header], name: bytes) -> list[bytes]:
    """All values of a header, in order; `name` in lower case."""
    return [value for known, value in headers if known == name]


# RFC 9110 11.1: the scheme in any case; one key after it.
_BEARER = re.compile(rb"[ \t]*bearer +(%b)[ \t]*" % KEY_PATTERN.encode(), re.IGNORECASE)


_AT = "header Authorization"


def authorize(key: str, state: State) -> Caller:
    """The holder of a key, in the state of the sandbox that it leads to.

    A fixture that declares no keys takes any key as an owner's (choice unknown_key),
    but none that looks as if a sandbox had issued it. Raises UnknownKey.
    """
    caller = state.callers.get(key)
    if caller is not None:
        return caller
    if key.startswith(ISSUED_KEY_PREFIX):
        raise UnknownKey("a key of a sandbox", "one that leads to none", _AT)
    if state.callers or state.choices.unknown_key == "reject":
        raise UnknownKey("a key that the fixture declares", "an unknown one", _AT)
    return Caller(key)


def bearer_token(headers: Iterable[Header]) -> str:
    """The one bearer token of a request.

    Raises MissingAuthorization, and UnknownKey for one that is longer than any key.
    """
    given = values(headers, b"authorization")
    match = _BEARER.fullmatch(given[0]) if len(given) == 1 else None
    if match is None:
        got = "nothing" if not given else "two" if len(given) > 1 else "something else"
        raise MissingAuthorization("one header `Authorization: Bearer KEY`", got, _AT)
    if len(match[1]) > LIMITS.key_chars:
        expected = f"a key of at most {LIMITS.key_chars} characters"
        raise UnknownKey(expected, f"one of {len(match[1])}", _AT)
    return match[1].decode("ascii")


_EXPECTED = "application/json in UTF-8"


def check_content_type(headers: Sequence[Header], choices: Choices) -> None:
    """Raises UnsupportedMediaType. A missing type is choice content_type_missing."""
    encodings = values(headers, b"content-encoding")
    if encodings and encodings != [b"identity"]:
        got = _shown(encodings)
        raise UnsupportedMediaType("a plain body", got, "header Content-Encoding")
    types = values(headers, b"content-type")
    if types == [b"application/json"]:
        return
    if not types and choices.content_type_missing == "accept":
        return
    if len(types) != 1 or not _is_json(types[0].decode("latin-1")):
        raise UnsupportedMediaType(_EXPECTED, _shown(types), "header Content-Type")


def media_type(headers: Sequence[Header]) -> str:
    """The media type of a body without its parameters; empty if there is not one."""
    types = values(headers, b"content-type")
    text = types[0].decode("latin-1") if len(types) == 1 else ""
    return text.partition(";")[0].strip().lower()


def _is_json(content_type: str) -> bool:
    kind, *parameters = content_type.lower().split(";")
    named = [parameter.strip().partition("=") for parameter in parameters]
    charsets = [value.strip('"') for name, _, value in named if name == "charset"]
    return kind.strip() == "application/json" and set(charsets) <= {"utf-8", "utf8"}


def _shown(given: list[bytes]) -> str:
    return describe_value(b", ".join(given).decode("latin-1")) if given else "nothing"


_SECRET = frozenset((b"authorization", b"proxy-authorization", b"cookie", b"x-api-key"))


class ParsedHeaders(Struct, frozen=True):
    """The headers of a request: what of them is needed each time.

    `key` is the bearer token, None unless there is just one of possible length;
    `is_json` is true for the plain content type of the spec, of anything else more is
    to be found out. `length` is the announced length of the body in bytes, 0 without
    one; `block` are all headers as a journal keeps them, without credentials.
    """

    key: str | None
    is_json: bool
    length: int
    is_chunked: bool
    block: bytes


def parse_headers(headers: Sequence[Header]) -> ParsedHeaders:
    """Read the headers of a request; none of them is refused."""
    given: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        given.setdefault(name, []).append(value)
    try:
        key = bearer_token(headers)
    except (MissingAuthorization, UnknownKey):
        key = None
    lengths = given.get(b"content-length", ())
    return ParsedHeaders(
        key=key,
        is_json=given.get(b"content-type") == [b"application/json"]
        and b"content-encoding" not in given,
        length=_number(lengths[0]) if lengths else 0,
        is_chunked=b"transfer-encoding" in given,
        block=b"\n".join(
            b"%b:%b" % (name, HIDDEN if name in _SECRET else value)
            for name, value in headers
        ),
    )


def _number(digits: bytes) -> int:
    """An announced length, cut where it is out of reach."""
    digits = digits.lstrip(b"0")
    return int(digits[:18]) if digits.isdigit() else 0

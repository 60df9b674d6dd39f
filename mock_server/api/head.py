"""What the headers of a request say, read once for all requests that repeat them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from mock_server.api.auth import bearer_token
from mock_server.api.errors import MissingAuthorization, UnknownKey
from mock_server.api.headers import Header
from mock_server.api.redaction import HIDDEN

_SECRET = frozenset((b"authorization", b"proxy-authorization", b"cookie", b"x-api-key"))


class Head(Struct, frozen=True):
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


def read_head(headers: Sequence[Header]) -> Head:
    """Read the headers of a request; none of them is refused."""
    given: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        given.setdefault(name, []).append(value)
    try:
        key = bearer_token(headers)
    except (MissingAuthorization, UnknownKey):
        key = None
    lengths = given.get(b"content-length", ())
    return Head(
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

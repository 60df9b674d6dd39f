"""The response envelope (spec 2.3), and nothing else writes one."""

from __future__ import annotations

from typing import Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")


class Success(Struct, Generic[T], rename="camel"):
    """The envelope of a success."""

    data: T
    code: Literal[200] = 200
    status_text: Literal[""] = ""
    message: Literal[""] = ""


class Failure(Struct, rename="camel"):
    """The envelope of an error; its data is null."""

    code: int
    status_text: str
    message: str
    data: None = None


def success_envelope(data: bytes) -> bytes:
    """The envelope of a success around `data`, which is JSON already."""
    return b'{"code":200,"statusText":"","message":"","data":%b}' % data


def error_envelope(code: int, status_text: str, message: str) -> bytes:
    """The envelope of an error."""
    return msgspec.json.encode(Failure(code, status_text, message))

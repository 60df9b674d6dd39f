"""The response envelope (spec 2.3), and nothing else writes one."""

from __future__ import annotations

import msgspec


def success(data: bytes) -> bytes:
    """The envelope of a success around `data`, which is JSON already."""
    return b'{"code":200,"statusText":"","message":"","data":%b}' % data


def failure(code: int, status_text: str, message: str) -> bytes:
    """The envelope of an error; its data is null."""
    return msgspec.json.encode(
        {"code": code, "statusText": status_text, "message": message, "data": None}
    )

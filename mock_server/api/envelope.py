"""The envelopes of answers, and the base of what is only shown.

This module imports nothing else of the package, so it does not load a server.
"""

import msgspec
from msgspec import Struct


class View(Struct, rename="camel"):
    """A JSON object that is only shown."""


class Failure(Struct, rename="camel"):
    """The envelope of an error; its data is null."""

    code: int
    status_text: str
    message: str
    data: None = None


SUCCESS = b'{"code":200,"statusText":"","message":"","data":%b}'
"""The envelope of a success around data that is JSON already."""


def error_envelope(code: int, status_text: str, message: str) -> bytes:
    """The envelope of an error."""
    return msgspec.json.encode(Failure(code, status_text, message))

"""Tokens in the addresses of files: each has a purpose, an expiry time and an id.

A request with a token needs no API key. Only the sandbox that sealed the token accepts
it.
"""

from typing import Literal

from mock_server.domain.call import Call
from mock_server.domain.objects.uploads import FileForbidden

Purpose = Literal["upload", "file", "collection"]
"""Purpose of an address: `upload` the file of a ticket, download that `file`, or
download the file of a `collection`."""
READ_MS = 3_600_000
"""Milliseconds for which the address of a download is valid."""


def new_token(
    call: Call, purpose: Purpose, own_id: str, lifetime_ms: int = READ_MS
) -> str:
    """Return a token for the object `own_id`, which is valid for `lifetime_ms`."""
    return call.state.tokens.seal(f"{purpose} {call.now + lifetime_ms} {own_id}")


def read_token(call: Call, token: str, *purposes: Purpose) -> tuple[str, str]:
    """Return the purpose and the id in a token.

    Raises FileForbidden for an invalid, expired token, or one with another purpose.
    """
    text = call.state.tokens.unseal(token) or ""
    purpose, _, expiry_and_id = text.partition(" ")
    ends_at, _, own_id = expiry_and_id.partition(" ")
    if purpose not in purposes or int(ends_at) <= call.now:
        expected = "an address that this server has given, as long as it counts"
        raise FileForbidden(
            expected, "another one" if purpose else "one of none", "path"
        )
    return purpose, own_id

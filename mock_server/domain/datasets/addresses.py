"""Tokens in the addresses of files: each contains a use, an expiry time and an id.

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


def give_token(call: Call, use: Purpose, own_id: str, ms: int = READ_MS) -> str:
    """Return a token for the object `own_id`, which is valid for `ms` milliseconds."""
    return call.state.tokens.sealed(f"{use} {call.now + ms} {own_id}")


def follow(call: Call, token: str, *uses: Purpose) -> tuple[str, str]:
    """Return the use and the id in a token.

    Raises FileForbidden if the token is invalid, has expired, or has none of `uses`.
    """
    text = call.state.tokens.opened(token) or ""
    use, _, rest = text.partition(" ")
    ends_at, _, own_id = rest.partition(" ")
    if use not in uses or int(ends_at) <= call.now:
        expected = "an address that this server has given, as long as it counts"
        raise FileForbidden(expected, "another one" if use else "one of none", "path")
    return use, own_id

"""Tokens in addresses of files: they contain a use, an end in time and an id.

A token needs no API key. Only the sandbox that sealed the token accepts it, while the
file exists.
"""

from typing import Literal

from mock_server.domain.call import Call
from mock_server.domain.objects.uploads import FileForbidden

Use = Literal["upload", "file", "collection"]
"""Use of an address: upload the file of a ticket, download that file, or download the
file of a collection."""
READ_MS = 3_600_000


def give_token(call: Call, use: Use, own_id: str, ms: int = READ_MS) -> str:
    """Return a token that is valid for `ms` milliseconds from now."""
    return call.state.tokens.sealed(f"{use} {call.now + ms} {own_id}")


def follow(call: Call, token: str, *uses: Use) -> tuple[str, str]:
    """Return the use and the id in a token. Raises FileForbidden."""
    text = call.state.tokens.opened(token) or ""
    use, _, rest = text.partition(" ")
    ends, _, own_id = rest.partition(" ")
    if use not in uses or int(ends) <= call.now:
        expected = "an address that this server has given, as long as it counts"
        raise FileForbidden(expected, "another one" if use else "one of none", "path")
    return use, own_id

"""Addresses of files: tokens that say what they lead to, and until when.

Whoever has one needs no key. It counts in the sandbox that has sealed it alone, as long
as what it leads to is there.
"""

from typing import Literal

from mock_server.domain.call import Call
from mock_server.domain.objects.uploads import FileForbidden

Use = Literal["upload", "file", "collection"]
"""What an address is for: to upload the file of a ticket, to download it, or to
download that of a collection."""
READ_MS = 3_600_000


def give_token(call: Call, use: Use, own_id: str, ms: int = READ_MS) -> str:
    """A token for so many milliseconds from now."""
    return call.state.tokens.sealed(f"{use} {call.now + ms} {own_id}")


def follow(call: Call, token: str, *uses: Use) -> tuple[str, str]:
    """What a token is for, and the id that it leads to. Raises FileForbidden."""
    said = call.state.tokens.opened(token) or ""
    use, _, rest = said.partition(" ")
    ends, _, own_id = rest.partition(" ")
    if use not in uses or int(ends) <= call.now:
        expected = "an address that this server has given, as long as it counts"
        raise FileForbidden(expected, "another one" if use else "one of none", "path")
    return use, own_id

"""Makes the URLs of uploads and downloads, and reads the tokens in them."""

import msgspec

from mock_server.api.operations.operation import ADDRESS_END
from mock_server.api.operations.related.route import Call
from mock_server.api.request import RequestBody
from mock_server.domain.memory import Memory


def address(call: Call, path: str, token: str) -> str:
    """Return a URL on the request's host: `path`, with `token` as the last segment.

    Without a `Host` header, return only the path.
    """
    headers = {} if call.request is None else call.request.head.headers
    host, scheme = headers.get("host"), headers.get("x-forwarded-proto")
    full_path = path.removesuffix(ADDRESS_END) + "/" + token
    if not host:
        return full_path
    return f"{'https' if scheme == 'https' else 'http'}://{host}{full_path}"


def token_of(body: RequestBody) -> str:
    """Return the token, which is the last segment of the request's path."""
    path: str = body.scope["path"]
    return path.rpartition("/")[2]


async def read_token(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return a JSON object with the token in the path; ignore the body."""
    await body.read(max_bytes, memory)
    return msgspec.json.encode({"token": token_of(body)})

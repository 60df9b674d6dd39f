"""URLs of uploads and downloads, and the requests to them."""

import msgspec

from mock_server.api.operations.operation import ADDRESS_END
from mock_server.api.operations.related.route import Call
from mock_server.api.request import RequestBody
from mock_server.domain.memory import Memory


def address(call: Call, path: str, token: str) -> str:
    """Return the URL of a path that ends with a token, on the request's host."""
    headers = {} if call.sent is None else call.sent.head.headers
    host, way = headers.get("host"), headers.get("x-forwarded-proto")
    where = path.removesuffix(ADDRESS_END) + "/" + token
    return f"{'https' if way == 'https' else 'http'}://{host}{where}" if host else where


def token_of(body: RequestBody) -> str:
    """Return the token at the end of a request's path."""
    path: str = body.scope["path"]
    return path.rpartition("/")[2]


async def gather_token(body: RequestBody, max_bytes: int, memory: Memory) -> bytes:
    """Return the token in the path as the only field, in JSON."""
    await body.read(max_bytes, memory)
    return msgspec.json.encode({"token": token_of(body)})

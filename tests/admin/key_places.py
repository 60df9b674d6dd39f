"""Where clients may put a key or the admin token, right and wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from tests.support import LIST, PIN

TOKEN = "Adm1n-t0ken-of-this-test-4f1c9a"
JSON = {"Content-Type": "application/json"}
PAGE = {"offset": 0, "datasetId": "65e0000000000000000000d1", "parentId": None}
PINNED = {"appId": "65e000000000000000000001", "chatId": "chat-1", "top": True}
OWNER = "fastgpt-owner"
LONGER = OWNER + "-and-more-5d2e"
"""A declared key that begins with another one."""
SHIPPED = [f"fastgpt-{name}" for name in ("manager", "writer", "reader", "outsider")]
KEPT = 8 * 1024
"""Bytes of a body that a journal keeps."""


@dataclass(frozen=True)
class Sent:
    """One request."""

    method: str
    path: str
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""


def post(key: str | None, path: str = LIST, body: object = PAGE, **more: str) -> Sent:
    """A list call, parts of it replaced; names of headers have `_` for `-`."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    headers |= JSON | {name.replace("_", "-"): text for name, text in more.items()}
    return Sent("POST", path, [*headers.items()], json.dumps(body).encode())


def pin(key: str, **fields: object) -> Sent:
    """A pin, fields replaced."""
    sent = post(key, PIN, PINNED | fields)
    return Sent("PUT", PIN, sent.headers, sent.body)


def authorized(*values: str) -> Sent:
    """A list call with these Authorization headers."""
    sent = post(None)
    headers = [("Authorization", value) for value in values]
    return Sent("POST", LIST, sent.headers + headers, sent.body)


def over_the_cut(key: str) -> Sent:
    """A body of which the journal keeps no more than half of the key."""
    before = len(json.dumps(PAGE | {"x": ""})) - len('"}')
    filler = "y" * (KEPT - len(key) // 2 - before)
    return post(key, body=PAGE | {"x": filler + key})


PLACES: dict[str, Callable[[str], list[Sent | bytes]]] = {
    "authorization": lambda key: [
        post(key),
        pin(key),
        post(key, body={"offset": -1}),
        post(key, body=PAGE | {"datasetId": "nowhere"}),
        post(key, "/api/nowhere"),
        post(key, PIN),
        post(key, Content_Type="text/plain"),
        post(key, body={"x": "y" * 1_100_000}),
        Sent("POST", LIST, post(key).headers, b"{"),
        Sent("GET", LIST, post(key).headers),
    ],
    "odd authorization": lambda key: [
        authorized(key),
        authorized(f"Basic {key}"),
        authorized(f"Bearer {key} {key}"),
        authorized(f"Bearer {key},{key}"),
        authorized(f"Bearer: {key}"),
        authorized(f"bearer   {key}"),
        authorized("Bearer other-key-1", f"Bearer {key}"),
        authorized(f'Digest username="{key}"'),
    ],
    "other credentials": lambda key: [
        post(None, X_Api_Key=key),
        post(None, Cookie=f"session=1; key={key}"),
        post(None, Proxy_Authorization=f"Bearer {key}"),
        post("other-key-1", X_Api_Key=key, Cookie=f"key={key}"),
    ],
    "admin calls": lambda key: [
        Sent("GET", "/__admin/state", [("Authorization", f"Bearer {key}")]),
        Sent("POST", "/__admin/reset", [("Authorization", key), *JSON.items()], b"{}"),
        Sent("GET", "/__admin/journal", [("Cookie", key), ("X-Api-Key", key)]),
    ],
    "broken requests": lambda key: [
        f"POST {LIST} HTTP/1.1\r\nAuthorization Bearer {key}\r\n\r\n".encode(),
        f"POST {LIST} HTTP/1.1\r\nAuthorization: Bearer {key}\0\r\n\r\n".encode(),
        f"POST {LIST} HTTP/1.1\r\nAuthorization: Bearer\r\n {key}\r\n\r\n".encode(),
        f"POST {LIST}?key={key} HTTP/9.9\r\n\r\n".encode(),
        f"{key}\r\n\r\n".encode(),
    ],
    "authorization and query": lambda key: [
        post(key, f"{LIST}?apiKey={key}"),
        post(key, f"/api/nowhere?a=1&key={key}"),
    ],
    "authorization and path": lambda key: [
        post(key, f"/api/core/{key}"),
        post(key, f"/{key}/x"),
    ],
    "authorization and long path": lambda key: [
        post(key, f"/api/{'x' * (56 - len(key))}/{key}"),
    ],
    "authorization and long values": lambda key: [
        pin(key, appId="x" * (62 - len(key)) + key),
        pin(key, chatId="x" * (62 - len(key)) + key),
        pin(key, top="x" * (62 - len(key)) + key),
        post(key, body=PAGE | {"offset": "x" * (62 - len(key)) + key}),
        post(key, Content_Type="x/" + "x" * (60 - len(key)) + key),
    ],
    "authorization and body": lambda key: [
        post(key, body=PAGE | {"apiKey": key}),
        post(key, body=PAGE | {key: 1}),
        post(key, body=PAGE | {"searchText": key}),
        post(key, body=PAGE | {"datasetId": key}),
        post(key, body=PAGE | {"offset": key}),
        pin(key, appId=key),
        pin(key, chatId=key),
        Sent("POST", LIST, post(key).headers, f"key={key}".encode()),
        over_the_cut(key),
    ],
    "authorization and other headers": lambda key: [
        post(key, Api_Key=key, Referer=f"http://x/?key={key}", User_Agent=f"x/{key}"),
        post(key, Content_Type=f"text/{key}"),
    ],
    "query alone": lambda key: [post(None, f"{LIST}?apiKey={key}")],
    "path alone": lambda key: [post(None, f"/api/core/{key}")],
    "body alone": lambda key: [
        post(None, body=PAGE | {"apiKey": key}),
        post(None, "/api/nowhere", body={"key": key}),
    ],
    "other header alone": lambda key: [post(None, Api_Key=key)],
    "body of another": lambda key: [
        post(OWNER, body=PAGE | {"searchText": key}),
        pin(OWNER, appId=key),
    ],
}
"""What a client may do with a key, right and wrong."""
CREDENTIALS = list(PLACES)[:5]
"""Where a key is in headers that are there for keys, or where nothing is read."""


LONE = list(PLACES)[-5:]
"""Where a key comes without being the caller's own: only one that the server has
declared or issued can be told from any other word.
"""
CASES = [
    (place, kind)
    for place in PLACES
    for kind in ("declared", "issued", "unknown")
    if kind != "unknown" or place not in LONE
]


def own(kind: str, place: str) -> str:
    """A key that is used in one place only."""
    return f"{kind}-{sha256(place.encode()).hexdigest()[:20]}"


TOKEN_SENT: dict[str, list[Sent | bytes]] = {
    "as another scheme": [
        Sent("GET", "/__admin/state", [("Authorization", TOKEN)]),
        Sent("GET", "/__admin/state", [("Authorization", f"Basic {TOKEN}")]),
        Sent("GET", "/__admin/state", [("Authorization", f"Bearer {TOKEN}x")]),
        Sent("GET", "/__admin/state", [("Authorization", f"Bearer {TOKEN} x")]),
        Sent("GET", "/__admin/state", [("X-Api-Key", TOKEN), ("Cookie", TOKEN)]),
    ],
    "in the query": [
        Sent("GET", f"/__admin/state?token={TOKEN}"),
        Sent("GET", f"/__admin/journal/stream?token={TOKEN}"),
        Sent("GET", f"/__admin/journal?{TOKEN}", [("Authorization", "Bearer wrong")]),
    ],
    "as an API key": [post(TOKEN), pin(TOKEN), post(TOKEN, "/api/nowhere")],
    "in a broken request": [
        f"GET /__admin/state HTTP/1.1\r\nAuthorization Bearer {TOKEN}\r\n\r\n".encode()
    ],
}

"""The requests of which the admin API's document shows the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.limits import LIMITS
from mock_server.openapi.examples import DEMO, Example, ExampleSession
from mock_server.openapi.sessions import APP, CHAT, DATASET

_ADMIN = "/__admin"
TEAM = "team"
PARTS: Mapping[str, str] = {
    "sandbox": TEAM,
    "appId": APP,
    "chatId": CHAT,
    "datasetId": DATASET,
    "id": "65abd0ad9d1448617cba6031",
    "name": "before",
}
"""What stands in the paths of examples."""
FAULT = {"id": "f1"}
_CHAT, _CHATS = "/apps/{appId}/chats/{chatId}", "/apps/{appId}/chats"
_ITEM = "/datasets/{datasetId}/collections/{id}"
_ITEMS = "/datasets/{datasetId}/collections"
_SMALL = {"clock": "2026-01-01T00:00:00Z", "apps": [{"id": "app", "name": "Support"}]}
_PUT_CHAT = {"title": "A copy of my invoice", "top": True}
_PUT_ITEM = {"name": "Press kit", "type": "link", "tags": ["press"], "dataAmount": 7}
_PIN = {"appId": APP, "chatId": CHAT, "top": True}

Row = tuple[str, str, Any] | tuple[str, str, Any, Mapping[str, str]]

_ROWS: tuple[Row, ...] = (
    ("GET", "/health", None),
    ("GET", "/clock", None),
    ("PUT", "/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True}),
    ("POST", "/clock/advance", {"seconds": 3600}),
    ("GET", "/journal?limit=1", None),
    ("POST", "/journal/verify", {"operation": "updateHistory", "exactly": 1}),
    ("POST", "/journal/verify", {"operation": "updateHistory", "exactly": 2}),
    ("DELETE", "/journal", None),
    ("PUT", "/snapshots/{name}", {}),
    ("PUT", "/snapshots/{name}", {}),
    ("GET", "/snapshots", None),
    ("GET", "/snapshots/{name}", None),
    ("POST", "/snapshots/{name}/restore", {}),
    ("DELETE", "/snapshots/{name}", None),
    ("GET", "/choices", None),
    ("PUT", "/choices", {"choices": {"page_size_over_limit": "clamp"}}),
    ("GET", "/apps", None),
    ("GET", f"{_CHATS}?limit=2", None),
    ("GET", _CHAT, None),
    ("PUT", _CHAT, _PUT_CHAT),
    ("PUT", _CHAT, _PUT_CHAT, {"chatId": "new"}),
    ("DELETE", _CHAT, None),
    ("GET", "/datasets", None),
    ("GET", f"{_ITEMS}?limit=2", None),
    ("GET", _ITEM, None),
    ("PUT", _ITEM, _PUT_ITEM),
    ("PUT", _ITEM, _PUT_ITEM, {"id": "new"}),
    ("DELETE", _ITEM, None),
    ("POST", "/faults", {"kind": "error", "status": 502, "times": 2}),
    ("GET", "/faults", None),
    ("GET", "/faults/{id}?plan=2", None, FAULT),
    ("DELETE", "/faults/{id}", None, FAULT),
    ("DELETE", "/faults", None),
    ("PUT", "/state", _SMALL),
    ("GET", "/state", None),
    ("POST", "/reset", {}),
)
"""One after the other, for the default sandbox and for another. The stream of the
journal is not among them: it has no end.
"""
_ERRORS: tuple[tuple[str, str, str, Any], ...] = (
    ("methodNotAllowed", "PUT", "/apps", {}),
    ("bodyTooLarge", "PUT", "/clock", b" " * (LIMITS.body_bytes + 1)),
    ("badJson", "PUT", "/clock", b'{"frozen": tru'),
    ("invalidField", "PUT", "/clock", {"now": "tomorrow"}),
    ("badFixture", "PUT", "/state", {"apps": [{"chat": []}]}),
    ("serverBusy", "PUT", "/state", b" " * (LIMITS.inline_load_bytes + 1)),
    ("appNotFound", "GET", "/apps/none/chats", None),
    ("chatNotFound", "GET", f"/apps/{APP}/chats/none", None),
    ("datasetNotFound", "GET", "/datasets/none/collections", None),
    ("collectionNotFound", "GET", f"/datasets/{DATASET}/collections/none", None),
    ("faultNotFound", "GET", "/faults/none", None),
    ("snapshotNotFound", "GET", "/snapshots/none", None),
    ("sandboxNotFound", "GET", "/sandboxes/none", None),
    ("nameTaken", "POST", "/sandboxes", {"name": "default"}),
)
_GUARDED: tuple[tuple[str, str, str | None], ...] = (
    ("foreignHost", "host", "mock.example"),
    ("foreignOrigin", "origin", "https://editor.example"),
    ("unsupportedMediaType", "content-type", None),
    ("unauthorized", "authorization", "Bearer wrong"),
)


def filled(route: str, parts: Mapping[str, str] | None = None) -> str:
    """A path of the document with something in its places that there is."""
    return route.format_map({**PARTS, **(parts or {})})


def admin_tours() -> list[ExampleSession]:
    """The requests that lead to answers, and those that lead to errors."""
    return [
        ExampleSession(list(_answers())),
        ExampleSession(list(_errors()), DEMO, "s3cret"),
    ]


def _answers() -> Iterator[Example]:
    yield _example("POST", "/sandboxes", {"name": TEAM, "ttl": 600})
    yield _example("GET", "/sandboxes", None)
    yield _example("GET", "/sandboxes/{sandbox}", None)
    pin = OPERATIONS["updateHistory"]
    for prefix, sandbox in (("", ""), ("/sandboxes/{sandbox}", TEAM)):
        yield Example(pin.method, pin.path, _PIN, sandbox=sandbox)
        for method, route, body, *parts in _ROWS:
            yield _example(method, prefix + route, body, *parts)
    yield _example("DELETE", "/sandboxes/{sandbox}", None)


def _example(
    method: str, route: str, body: Any, parts: Mapping[str, str] | None = None
) -> Example:
    path = filled(route, parts)
    template = _ADMIN + route.partition("?")[0]
    return Example(method, _ADMIN + path, body, "example", route=template)


def _errors() -> Iterator[Example]:
    known = {"authorization": "Bearer s3cret"}
    for name, method, path, body in _ERRORS:
        yield Example(
            method, _ADMIN + path, body, name, f"{method} {_ADMIN}{path}", known
        )
    for name, header, value in _GUARDED:
        summary = f"No {header} header" if value is None else f"{header}: {value}"
        sent = {**known, header: value}
        yield Example("PUT", f"{_ADMIN}/clock", {}, name, summary, sent)
    path, summary = f"{_ADMIN}/snapshots/nightly-{{n}}", "One snapshot more"
    yield Example(
        *("PUT", path, {}, "limitReached", summary, known), times=LIMITS.snapshots + 1
    )

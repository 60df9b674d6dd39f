"""Requests as lines of text, and what is said to each: in its answer and its journal.

A case is a request, settings above it, headers below it. `pin {"top": 1}` is a good pin
with another `top`, `list {"offset": "..."}` a good list without `offset`; any other is
a method, a path and a body. Settings are a profile and choices; a header without a
value is not sent.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mock_server.app import create_app
from mock_server.domain.choices.choosing import choose
from mock_server.fixture.dump import to_document
from tests.in_process import InProcess
from tests.said import Text
from tests.support import APP, CHAT, DATASET, LIBRARY, LIST, PIN, message_of

GOOD: dict[str, tuple[str, str, dict[str, Any]]] = {
    "pin": ("PUT", PIN, {"appId": APP, "chatId": CHAT, "top": True}),
    "list": ("POST", LIST, {"offset": 0, "datasetId": DATASET}),
}
HEADERS = {"Authorization": "Bearer any-key", "Content-Type": "application/json"}
KEYS_HINT = "the fixture declares no keys"
_APP = create_app(LIBRARY)
_CLIENT = InProcess(_APP)


def parsed(line: str) -> tuple[str, str, bytes]:
    """The method, the path and the body that a line stands for."""
    method, _, rest = line.partition(" ")
    if method not in GOOD:
        path, _, content = rest.partition(" ")
        return method, path, content.encode("latin-1")
    method, path, body = GOOD[method]
    body = body | json.loads(rest)
    return (
        method,
        path,
        json.dumps({k: v for k, v in body.items() if v != "..."}).encode(),
    )


def told(given: str) -> str:
    """The answer, what the request violates, and the hint, as lines."""
    settings, request, headers = _parts(given.split("\n"))
    _APP.sandbox.reset()
    profile, chosen = settings.pop("profile", "documented"), settings
    _APP.sandbox.choose(profile, choose(profile, chosen))
    before = to_document(_APP.sandbox.store)
    method, path, content = parsed(request)
    answer = _CLIENT.request(method, path, content=content, headers=headers)
    body, (entry,) = answer.json(), _CLIENT.get("/__admin/journal").json()["entries"]
    if body["code"] != 200:
        assert body["data"] is None
        assert to_document(_APP.sandbox.store) == before
    lines = [_answer(answer.status_code, body)]
    message = message_of(body)
    for each in entry["violations"]:
        at = "{name} ({section}) {path}: {effect}".format_map(each)
        is_said = each["message"] in message
        lines.append(at if is_said else f"{at}: {each['message']}")
    hint = entry["hint"] or ""
    if hint not in message and not hint.startswith(KEYS_HINT):
        lines.append(f"hint: {hint}")
    # How JSON is malformed is told in a library's words.
    return re.sub("(malformed JSON), .*?( - at)", r"\1, ...\2", "\n".join(lines))


def _answer(status: int, body: Any) -> str:
    if body["code"] != 200:
        return f"{status} {body['statusText']}: {message_of(body)}"
    if not isinstance(body["data"], dict) or "list" not in body["data"]:
        return str(status)
    ids = " ".join(item["_id"] for item in body["data"]["list"])
    return f"{status} {body['data']['total']}: {ids}".rstrip(" :")


def _parts(lines: list[str]) -> tuple[dict[str, Any], str, list[tuple[bytes, bytes]]]:
    """The settings, the request, and its headers."""
    settings: dict[str, Any] = {}
    if "=" in lines[0].partition(" ")[0]:
        pairs = (each.partition("=") for each in lines.pop(0).split(" "))
        settings = {k: int(v) if v.isdigit() else v for k, _, v in pairs}
    request, *others = lines
    given = [tuple(line.split(": ", 1)) for line in others if ": " in line]
    named = {name for name, _ in given} | {line.rstrip(":") for line in others}
    kept = [pair for pair in HEADERS.items() if pair[0] not in named]
    sent = [(k.encode(), v.encode("latin-1")) for k, v in [*kept, *given]]
    return settings, request, sent


TEXT = Text(Path(__file__).with_name("said") / "requests.txt", told)

"""Names that mean harm to a page which shows them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.e2e.scripts import script
from tests.said import expanded

NAMES = [
    "<script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "<style>*{display:none}</style>",
    "'\"><b>bold</b>",
    "javascript:window.hit=1",
    "\u202egnp.exe\u202d \u05e9\u05dc\u05d5\u05dd",
    "Z\u0361\u0361\u0361a\u0334\u0334lgo " * 20,
    "x" * 8_000,
    "w " * 4_000,
    "\u0000\u001b[31m\u2028\u2029",
    "   ",
    "__proto__",
    "constructor",
]

HIT = "window.hit=1"
"""What must not run: HIT in the file."""
_TEXT = Path(__file__).with_name("payloads.txt").read_text(encoding="utf-8")
PAYLOADS = [
    expanded(text) for text in re.split(r"\s\s+|\n", _TEXT.strip().replace("HIT", HIT))
]
"""Many more, none of them blank: what browsers, shells and templates fall for."""
LONE = '{"datasetId": "\\ud800<b>x</b>\\udfff", "searchText": "\\udc00", "\\ud83d": 1}'
"""JSON with halves of pairs, which no fixture can hold."""

TRAP = script("trap.js")
CAUGHT = script("caught.js")
OPEN_EACH = script("open_each.js")
TYPE_EACH = script("type_each.js")


def records(size: int = len(PAYLOADS)) -> dict[str, list[Any]]:
    """A fixture in which everything is named by these, `size` of them in each."""
    ids = [text.strip(".")[:200] or "dots" for text in PAYLOADS]
    named = list(dict(zip(ids, PAYLOADS, strict=True)).items())
    parts = [named[start : start + size] for start in range(0, len(named), size)]
    apps = [
        {"id": f"<i>app</i>{n or ''}", "name": PAYLOADS[n], "chats": _chats(part)}
        for n, part in enumerate(parts)
    ]
    datasets = [
        {
            "id": f"<i>d</i>{n or ''}",
            "name": PAYLOADS[n + 6],
            "collections": _items(part),
        }
        for n, part in enumerate(parts)
    ]
    more = [{"id": each, "name": each} for each in ids[:40]]
    return {"apps": [*apps, *more], "datasets": [*datasets, *more]}


def _chats(named: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"chatId": id_, "title": text, "customTitle": text} for id_, text in named]


def _items(named: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"_id": id_, "name": text, "type": text[:300], "tags": [text[:99]]}
        for id_, text in named
    ]

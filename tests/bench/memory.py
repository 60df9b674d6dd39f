"""What the server takes of memory: idle, for its collections, for sandboxes."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.bench.figures import Figure
from tests.bench.growth import DATASET, document
from tests.bench.start import BARE, BARE_APP
from tests.process import MIB, rss, serving
from tests.support import LIST

SANDBOXES = 1_000


def post(url: str, path: str, body: object) -> Any:
    """Send one call that is to succeed; return its data."""
    headers = {"Authorization": "Bearer any-key", "Content-Type": "application/json"}
    content = json.dumps(body).encode()
    with urlopen(Request(url + path, content, headers)) as answer:
        assert answer.status in (200, 201)
        return json.load(answer)


def resident(fixture: Path, collections: int) -> tuple[float, int]:
    """Return the MiB of a server over so many collections that have been listed and
    searched, and the bytes of one of them in a list.
    """
    fixture.write_text(json.dumps(document(collections)))
    with serving("--port=0", str(fixture)) as (url, process):
        page = post(url, LIST, {"offset": 0, "datasetId": DATASET})
        post(url, LIST, {"offset": 0, "datasetId": DATASET, "searchText": "miss"})
        return rss(process.pid), len(json.dumps(page["data"]["list"][0]))


def figures() -> Iterator[Figure]:
    """How much memory each takes."""
    with serving("--port=0") as (url, process):
        idle = rss(process.pid)
        with serving(command=(sys.executable, "-c", BARE)) as (_, bare):
            other = rss(bare.pid)
        for _ in range(SANDBOXES):
            post(url, "/__admin/sandboxes", {})
        grown = rss(process.pid) - idle
    note = f"{BARE_APP} {other:.1f} MiB"
    yield Figure("resident, idle, demo.yaml", idle, "MiB", most=45, note=note)
    yield Figure("an untouched sandbox", grown * 1024 / SANDBOXES, "KiB")
    with tempfile.TemporaryDirectory() as name:
        fixture = Path(name) / "fixture.json"
        empty, _ = resident(fixture, 1)
        for size, most in ((10_000, None), (1_000_000, 900)):
            full, item = resident(fixture, size)
            each, note = (full - empty) * MIB / size, f"{item} bytes as JSON in a list"
            yield Figure(f"a collection, of {size:,}", each, "bytes", most, note=note)

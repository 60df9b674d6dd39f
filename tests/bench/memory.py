"""What the server takes of memory: idle, for its collections, for sandboxes."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import Request, urlopen

from tests.bench.figures import Figure
from tests.bench.growth import DATASET, document
from tests.bench.wire import MIB, rss
from tests.process import serving
from tests.support import LIST

SANDBOXES = 1_000


def post(url: str, path: str, body: object) -> None:
    """One call that is to succeed."""
    headers = {"Authorization": "Bearer any-key", "Content-Type": "application/json"}
    content = json.dumps(body).encode()
    with urlopen(Request(url + path, content, headers)) as answer:
        assert answer.status in (200, 201)


def resident(fixture: Path, collections: int) -> float:
    """MiB of a server over so many collections that have been listed and searched."""
    fixture.write_text(json.dumps(document(collections)))
    with serving("--port=0", str(fixture)) as (url, process):
        post(url, LIST, {"offset": 0, "datasetId": DATASET})
        post(url, LIST, {"offset": 0, "datasetId": DATASET, "searchText": "miss"})
        return rss(process.pid)


def figures() -> Iterator[Figure]:
    """How much memory each takes."""
    with serving("--port=0") as (url, process):
        idle = rss(process.pid)
        for _ in range(SANDBOXES):
            post(url, "/__admin/sandboxes", {})
        grown = rss(process.pid) - idle
    yield Figure("resident, idle, demo.yaml", idle, "MiB", most=45)
    yield Figure("an untouched sandbox", grown * 1024 / SANDBOXES, "KiB")
    with tempfile.TemporaryDirectory() as name:
        fixture = Path(name) / "fixture.json"
        empty = resident(fixture, 1)
        for size, most in ((10_000, None), (1_000_000, 900)):
            each = (resident(fixture, size) - empty) * MIB / size
            yield Figure(f"a collection, of {size:,}", each, "bytes", most=most)

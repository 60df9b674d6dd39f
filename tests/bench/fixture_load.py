"""Loading fixtures against what the YAML library needs, and the price of hostile files.

`python -m tests.bench.fixture_load`
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from mock_server.api.fixture_loading import load_fixture
from mock_server.fixture.problems import FixtureError
from tests.hostile import HOSTILE

RUNS = 5
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def seconds(work: Callable[[], object]) -> float:
    """How long the work takes once."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def document(collections: int) -> dict[str, object]:
    """Collections with the fields that people write."""
    entries = [
        {
            "_id": f"{number:024x}",
            "name": f"Collection {number}",
            "type": "link",
            "updateTime": "2024-01-01T00:00:00Z",
            "tags": ["a", "b"],
            "dataAmount": number,
            "forbid": False,
        }
        for number in range(collections)
    ]
    return {"datasets": [{"id": "d", "collections": entries}]}


def compare(folder: Path) -> None:
    """10,000 collections as YAML and as JSON, alternating with the library."""
    in_yaml, in_json = folder / "x.yaml", folder / "x.json"
    in_yaml.write_text(yaml.safe_dump(document(10_000), sort_keys=False))
    in_json.write_text(json.dumps(document(10_000)))
    text = in_yaml.read_text()
    ratios = []
    for _ in range(RUNS):
        library = seconds(lambda: yaml.load(text, Loader))
        ratios.append(seconds(lambda: load_fixture(in_yaml)) / library)
    by_json = statistics.median(seconds(lambda: load_fixture(in_json)) for _ in ratios)
    print(f"10,000 collections, YAML: {statistics.median(ratios):.2f} x yaml.load")
    print(f"10,000 collections, JSON: {by_json * 1000:.0f} ms")


def hostile(folder: Path) -> None:
    """The slowest of the hostile files."""
    times = {}
    for name, text in HOSTILE.items():
        path = folder / f"{name}.yaml"
        path.write_text(text)
        times[name] = seconds(lambda path=path: refused(path))  # type: ignore[misc]
    for name in sorted(times, key=times.__getitem__)[-3:]:
        print(f"hostile file {name}: refused in {times[name] * 1000:.1f} ms")


def refused(path: Path) -> None:
    """Load a file that cannot be loaded."""
    try:
        load_fixture(path)
    except FixtureError:
        return
    raise AssertionError(path)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        compare(Path(name))
        hostile(Path(name))

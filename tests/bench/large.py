"""Large fixture files: how long a server takes to load them, and how much memory."""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import yaml

from mock_server.api.fixture_loading import load_fixture
from mock_server.fixture.yaml_text import yaml_lines
from tests.bench.figures import Figure, shown
from tests.process import MIB, rss, serving

IN_YAML, IN_JSON = 120_000, 1_000_000
MB = 1_000_000
TICKS = os.sysconf("SC_CLK_TCK")
Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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


def cpu_seconds(work: Callable[[], object]) -> float:
    """The CPU time that the work takes once; as at a start, nothing is collected."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()


def cpu_of(process: subprocess.Popen[str]) -> float:
    """The CPU time of a process so far, in seconds (Linux)."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_of(process: subprocess.Popen[str]) -> float:
    """The most memory that a process has had, in bytes (Linux)."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def in_yaml(path: Path) -> Iterator[Figure]:
    """120,000 collections against the YAML library, and the memory at the peak."""
    with path.open("w") as file:
        file.writelines(yaml_lines(document(IN_YAML)))
    text = path.read_text()
    ratios = []
    for _ in range(3):
        library = cpu_seconds(lambda: yaml.load(text, Loader))
        ratios.append(cpu_seconds(lambda: load_fixture(path)) / library)
    name, ratio = f"load {IN_YAML:,} in YAML", statistics.median(ratios)
    yield Figure(f"{name}: to yaml.load with C", ratio, "×", most=1)
    with serving("--port=0", str(path)) as (_, process):
        yield Figure(f"{name}: CPU time of a start", cpu_of(process), "s")
        yield Figure(f"{name}: memory at the peak", peak_of(process) / MB, "MB", 250)


def in_json(path: Path) -> Iterator[Figure]:
    """A million collections against what only parses them, and their memory."""
    with serving("--port=0", "empty") as (_, process):
        empty = rss(process.pid)
    text = json.dumps(document(IN_JSON))
    path.write_text(text)
    library = cpu_seconds(lambda: json.loads(text))
    native = cpu_seconds(lambda: msgspec.json.decode(text))
    note = f"json.loads {shown(library, 's')}, msgspec {shown(native, 's')}"
    name = "load 10^6 in JSON"
    with serving("--port=0", "--memory=4GiB", str(path)) as (_, process):
        took, each = cpu_of(process), (rss(process.pid) - empty) * MIB / IN_JSON
        peak = peak_of(process) / MB
    yield Figure(f"{name}: CPU time of a start", took, "s", most=12, note=note)
    yield Figure(f"{name}: to json.loads", took / library, "×")
    yield Figure(f"{name}: memory at the peak", peak, "MB")
    yield Figure(f"{name}: each at rest, sorted and folded", each, "bytes", most=900)


def figures(folder: Path) -> Iterator[Figure]:
    """What large files take."""
    yield from in_yaml(folder / "large.yaml")
    yield from in_json(folder / "large.json")

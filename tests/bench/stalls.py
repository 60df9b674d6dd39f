"""How long other clients wait while the server does what takes long.

What takes long is asked for by a process of its own; the client that measures asks for
one page after the other, with a pause in between.
"""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mock_server.fixture.yaml_text import yaml_lines
from tests.bench.figures import Figure, shown
from tests.bench.growth import DATASET
from tests.bench.growth import document as repeated
from tests.bench.large import document
from tests.process import environment, serving
from tests.support import LIST, fetch
from tests.wire.sockets import connect, exchange

MOST_MS = 5.0
MOST_SEARCH_MS = 25.0
"""What any search of a million collections without a hit may take."""
MOST = 50.0
"""What anything else may take that has to be made first."""
PAUSE_SECONDS = 0.001
IDLE_SECONDS = 2.0
AGAIN = 2
"""How often each document is put: the second time the first one is let go."""
SANDBOX, CHOICES = "/__admin/sandboxes", "/__admin/choices"
ADMIN = f"/__admin/datasets/{DATASET}/collections"
CREATE = "/api/core/dataset/collection/create"
SCROLL = "/api/core/dataset/collection/scrollList"
CHATS = "/api/core/chat/getHistories"
NEW = {"name": "n", "type": "virtual"}
ASK = """
import sys
from urllib.request import Request, urlopen

method, url, kind, path, times = sys.argv[1:]
headers = {"Content-Type": kind, "Authorization": "Bearer k"}
with open(path, "rb") as file:
    content = file.read()
for _ in range(int(times)):
    with urlopen(Request(url, content, headers, method=method)) as answer:
        answer.read()
"""
"""A program that sends a file so often."""
RELOAD = """
import json, os, signal, sys, time
from urllib.request import urlopen

url, pid = sys.argv[1:]

def generation():
    return json.load(urlopen(url + "/__admin/health"))["generation"]

before = generation()
os.kill(int(pid), signal.SIGHUP)
while generation() == before:
    time.sleep(0.1)
"""
"""A program that has a server load its files again."""


def waits(client: socket.socket, work: subprocess.Popen[bytes] | None) -> list[float]:
    """What each page takes, in milliseconds, until the work is done, or for a while."""
    found: list[float] = []
    end = time.monotonic() + IDLE_SECONDS
    while time.monotonic() < end if work is None else work.poll() is None:
        start = time.perf_counter()
        assert exchange(client).startswith(b"HTTP/1.1 200 ")
        found.append((time.perf_counter() - start) * 1e3)
        time.sleep(PAUSE_SECONDS)
    assert work is None or work.returncode == 0
    return found


def running(program: str, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    """A process that runs a program."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.Popen(command, env=environment())


def p99(ms: Sequence[float]) -> float:
    """What all but one in a hundred stay below."""
    return statistics.quantiles(ms, n=100, method="inclusive")[98]


def figures_of(
    name: str, client: socket.socket, program: str, arguments: Sequence[str]
) -> Iterator[Figure]:
    """What others feel of what a program does, and what they feel of nothing."""
    idle = waits(client, None)
    start = time.monotonic()
    busy = waits(client, running(program, arguments))
    took = shown(time.monotonic() - start, "s")
    at_rest = f"at rest {p99(idle):.1f} ms, it takes {took}"
    yield Figure(f"p99 of others, {name}", p99(busy), "ms", MOST_MS, note=at_rest)
    note = f"at rest {max(idle):.1f} ms"
    yield Figure(f"longest stall, {name}", max(busy), "ms", MOST, note=note)


def first_calls(folder: Path) -> Iterator[Figure]:
    """What has to be made when a million collections, or 10^5 chats, are first asked
    for in some way.
    """
    fixture, body = folder / "fixture.json", folder / "body.json"
    large: Any = repeated(1_000_000)
    large["datasets"][0]["collections"][0]["tags"] = ["all"]
    large["apps"][0]["chats"] = [{"chatId": f"c{n}"} for n in range(100_000)]
    fixture.write_text(json.dumps(large))
    page = {"datasetId": DATASET, "offset": 0}
    calls: Sequence[tuple[str, str, str, object, float]] = (
        (
            "first search of 10^6",
            "POST",
            LIST,
            page | {"searchText": "none"},
            MOST_SEARCH_MS,
        ),
        ("another search", "POST", LIST, page | {"searchText": "nor this"}, MOST),
        ("first search that all match", "POST", LIST, page | {"searchText": "a"}, MOST),
        ("first filter by name", "GET", f"{ADMIN}?name=a", {}, MOST),
        ("first list of folders", "POST", SCROLL, page | {"selectFolder": True}, MOST),
        ("first list by tag", "POST", SCROLL, page | {"filterTags": ["all"]}, MOST),
        ("another order", "PUT", CHOICES, {"choices": {"list_order": "name"}}, MOST),
        ("first list in it", "POST", LIST, page, MOST),
        ("first search in it", "POST", LIST, page | {"searchText": "a"}, MOST),
        ("first list of 10^5 chats", "POST", CHATS, {"appId": "app"}, MOST),
        ("first creation in 10^6", "POST", CREATE, {"datasetId": DATASET} | NEW, MOST),
    )
    options = ("--memory=2GiB", "--choice=related_routes=on", "demo", str(fixture))
    with serving("--port=0", *options) as (url, _):
        client = connect(url)
        idle = max(waits(client, None))
        for name, method, path, fields, most in calls:
            body.write_text(json.dumps(fields))
            sent = [method, url + path, "application/json", str(body), "1"]
            longest, note = max(waits(client, running(ASK, sent))), f"{idle:.1f} ms"
            name = f"longest stall, {name}"
            yield Figure(name, longest, "ms", most, note=f"at rest {note}")


def documents(folder: Path) -> Iterator[tuple[str, str, Path]]:
    """What is put: its name, its type, its file."""
    for name, kind, count in (
        ("32 MB of YAML", "yaml", 138_000),
        ("32 MB of JSON", "json", 180_000),
        ("6 MB of YAML", "yaml", 26_000),
    ):
        path = folder / f"{count}.{kind}"
        with path.open("w") as file:
            if kind == "yaml":
                file.writelines(yaml_lines(document(count)))
            else:
                json.dump(document(count), file)
        yield name, f"application/{kind}", path


def puts(folder: Path) -> Iterator[Figure]:
    """Large states of another sandbox, and large files of the default one."""
    for name, kind, path in documents(folder):
        with serving("--port=0", "--memory=2GiB", "demo", str(path)) as (url, process):
            fetch("POST", url + SANDBOX, json={"name": "s"})
            client, address = connect(url), f"{url}{SANDBOX}/s/state"
            sent = ["PUT", address, kind, str(path), f"{AGAIN}"]
            yield from figures_of(f"{name} are put", client, ASK, sent)
            asked = [url, f"{process.pid}"]
            yield from figures_of(f"{name} are loaded again", client, RELOAD, asked)


def figures() -> Iterator[Figure]:
    """What others feel of first calls, and of large states and files."""
    with tempfile.TemporaryDirectory() as name:
        yield from first_calls(Path(name))
        yield from puts(Path(name))

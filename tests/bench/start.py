"""From the start of a process to its first answer, and what loading takes of that."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import yaml

from mock_server.fixture.load import load_fixture
from tests.bench import large
from tests.bench.figures import Figure, median
from tests.bench.fixture_load import Loader, document
from tests.bench.growth import document as repeated
from tests.process import COMMAND, environment

ROUNDS = 7
FIXTURES = Path(__file__).parents[2] / "fixtures"
BARE = """
import uvicorn

async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})

config = uvicorn.Config(app, port=0, lifespan="off", log_config=None)
server = uvicorn.Server(config)
startup = server.startup

async def ready(sockets=None):
    await startup(sockets)
    port = server.servers[0].sockets[0].getsockname()[1]
    print(f"READY http://127.0.0.1:{port}", flush=True)

server.startup = ready
server.run()
"""


def first_answer(command: list[str], compiled: str) -> float:
    """Seconds from the start of a process to its first answer with status 200.

    What it imports is `compiled` in that folder, as an installed package is.
    """
    variables = environment(PYTHONPYCACHEPREFIX=compiled)
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=variables
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().split()[1]
        assert urlopen(f"{url}/__admin/health").status == 200
        return time.perf_counter() - start
    finally:
        process.kill()
        process.communicate()


def of_fixture(fixture: Path) -> list[str]:
    """The command that serves a fixture."""
    return [*COMMAND, "serve", "--port=0", str(fixture)]


def starts(folder: str) -> Iterator[Figure]:
    """Each shipped fixture next to a bare application, in turn."""
    bare = [sys.executable, "-c", BARE]
    for fixture in sorted(FIXTURES.glob("*.yaml")):
        commands = of_fixture(fixture), bare
        for command in commands:
            first_answer(command, folder)  # compiles
        rounds = [
            tuple(first_answer(command, folder) for command in commands)
            for _ in range(ROUNDS)
        ]
        own, other = (
            statistics.median(each) * 1e3 for each in zip(*rounds, strict=True)
        )
        name = f"start to first 200, {fixture.name}"
        yield Figure(name, own, "ms", note=f"bare uvicorn app {other:.0f} ms")
        if fixture.name == "demo.yaml":
            ratio = statistics.median(own / other for own, other in rounds)
            yield Figure(f"{name}: to a bare uvicorn app", ratio, "×", most=1.6)


def loads(folder: Path) -> Iterator[Figure]:
    """10,000 collections in each form."""
    compiled = str(folder)
    in_yaml, in_json = folder / "large.yaml", folder / "large.json"
    in_yaml.write_text(yaml.safe_dump(document(10_000), sort_keys=False))
    in_json.write_text(json.dumps(document(10_000)))
    for path in (in_yaml, in_json):
        took = statistics.median(
            first_answer(of_fixture(path), compiled) for _ in range(3)
        )
        yield Figure(f"start to first 200, 10,000 in {path.suffix[1:]}", took, "s")
    text = in_yaml.read_text()
    ratios = [
        median(lambda: load_fixture(in_yaml), 1)
        / median(lambda: yaml.load(text, Loader), 1)
        for _ in range(5)
    ]
    ratio = statistics.median(ratios)
    yield Figure("load 10,000 in YAML: to yaml.load with C", ratio, "×", most=1.3)
    took = median(lambda: load_fixture(repeated(10_000)), 5) * 1e3
    yield Figure("load 10,000 by repeat", took, "ms", most=50)


def figures() -> Iterator[Figure]:
    """How long starting takes."""
    with tempfile.TemporaryDirectory() as name:
        yield from starts(name)
        yield from loads(Path(name))
        yield from large.figures(Path(name))

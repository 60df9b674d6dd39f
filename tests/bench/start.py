"""From the start of a process to its first answer, and what loading takes of that."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import yaml

from mock_server.api.fixture_loading import load_fixture
from tests.bench import large
from tests.bench.figures import Figure, median
from tests.bench.growth import document as repeated
from tests.bench.large import Loader, document
from tests.process import COMMAND, environment, serving

ROUNDS = 15
FIXTURES = Path(__file__).parents[2] / "fixtures"
PYTHON, UVICORN, BARE_APP = "python -c pass", "import uvicorn", "a bare uvicorn app"
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


# From the moment when the first fixture of the plugin is asked for until `mock_server`
# can be used: the process says the seconds, and those of CPU time.
FIXTURE = """
import pathlib, pytest, sys, tempfile, time

class Watch:
    began = None

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        if self.began is None and "mock_server" in fixturedef.argname:
            self.began = time.perf_counter(), time.process_time()
        made = yield
        if fixturedef.argname == "mock_server":
            wall, cpu = self.began
            took = time.perf_counter() - wall, time.process_time() - cpu
            print("TOOK", *took, file=sys.__stdout__, flush=True)
        return made

with tempfile.TemporaryDirectory() as folder:
    test = pathlib.Path(folder, "test_it.py")
    test.write_text("def test_it(mock_server): pass")
    options = ["-q", "--capture=no", "-p", "mock_server.pytest_plugin"]
    sys.exit(pytest.main([*options, "-p", "no:cacheprovider", str(test)], [Watch()]))
"""


class Took(NamedTuple):
    """Milliseconds: by the clock, and of CPU time (user and system)."""

    wall: float
    cpu: float


def took(command: Sequence[str], compiled: str, *, serves: bool = False) -> Took:
    """What a process takes to its end, or one that `serves` to its first 200.

    What it imports is `compiled` in that folder, as an installed package is.
    """
    variables = environment(
        PYTHONPYCACHEPREFIX=compiled, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"
    )
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=variables
    )
    assert process.stdout is not None
    with process.stdout as stream:
        if serves:
            url = stream.readline().decode().split()[1]
            assert urlopen(f"{url}/__admin/health").status == 200
            wall = time.perf_counter() - start
            process.kill()
        said = stream.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if serves:
        return Took(wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3)
    assert process.returncode == 0, (command, said)
    if "TOOK" in said:
        own = said.partition("TOOK")[2].split()
        return Took(float(own[0]) * 1e3, float(own[1]) * 1e3)
    wall = time.perf_counter() - start
    return Took(wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3)


def of_fixture(fixture: Path) -> list[str]:
    """The command that serves a fixture."""
    return [*COMMAND, "serve", "--port=0", str(fixture)]


def in_turn(
    commands: dict[str, list[str]], servers: dict[str, list[str]], at: str
) -> dict[str, list[Took]]:
    """What each takes, round by round, after one that compiles."""
    rounds: dict[str, list[Took]] = {name: [] for name in (*commands, *servers)}
    for number in range(ROUNDS + 1):
        for name, command in (commands | servers).items():
            one = took(command, at, serves=name in servers)
            if number > 0:
                rounds[name].append(one)
    return rounds


def ratio(own: Sequence[Took], other: Sequence[Took]) -> Took:
    """The medians of the ratios of each round."""
    pairs = list(zip(own, other, strict=True))
    return Took(
        statistics.median(one.wall / two.wall for one, two in pairs),
        statistics.median(one.cpu / two.cpu for one, two in pairs),
    )


def starts(folder: str) -> Iterator[Figure]:
    """Each shipped fixture next to a bare application, in turn."""
    fixtures = sorted(FIXTURES.glob("*.yaml"))
    servers = {each.name: of_fixture(each) for each in fixtures}
    bare = {BARE_APP: [sys.executable, "-c", BARE]}
    rounds = in_turn({}, bare | servers, folder)
    for name in servers:
        wall = statistics.median(each.wall for each in rounds[name])
        other = statistics.median(each.wall for each in rounds[BARE_APP])
        note = f"{BARE_APP} {other:.0f} ms"
        yield Figure(f"start to first 200, {name}", wall, "ms", note=note)
    by_cpu, by_wall = ratio(rounds["demo.yaml"], rounds[BARE_APP])[::-1]
    name, note = f"start to first 200, demo.yaml: to {BARE_APP}", f"{by_wall:.3g}× wall"
    yield Figure(f"{name}, CPU", by_cpu, "×", most=1.35, note=note)


def commands(folder: str) -> Iterator[Figure]:
    """What commands and the fixture of pytest take, next to Python and uvicorn.

    The targets were set on a machine where `python -c pass` takes 8 ms.
    """
    with serving("serve", "--port=0") as (url, _):
        check = ["healthcheck", "--port", url.rpartition(":")[2]]
        targets = {
            "mock-server --version": ([*COMMAND, "--version"], 60),
            "mock-server --help": ([*COMMAND, "--help"], 60),
            "mock-server healthcheck": ([*COMMAND, *check], 100),
            "fixture mock_server, first": ([sys.executable, "-c", FIXTURE], 60),
        }
        own = {name: command for name, (command, _) in targets.items()}
        python = {
            PYTHON: [sys.executable, "-c", "pass"],
            UVICORN: [sys.executable, "-c", "import uvicorn"],
        }
        rounds = in_turn(python | own, {}, folder)
    for name, (_, most) in targets.items():
        wall, cpu = map(statistics.median, zip(*rounds[name], strict=True))
        to = {other: ratio(rounds[name], rounds[other]).cpu for other in python}
        ratios = ", ".join(f"{each:.3g}× {other}" for other, each in to.items())
        note = f"{wall:.3g} ms wall; {ratios}"
        yield Figure(f"{name}, CPU", cpu, "ms", most=most, note=note)


def loads(folder: Path) -> Iterator[Figure]:
    """10,000 collections in each form."""
    compiled = str(folder)
    in_yaml, in_json = folder / "large.yaml", folder / "large.json"
    in_yaml.write_text(yaml.safe_dump(document(10_000), sort_keys=False))
    in_json.write_text(json.dumps(document(10_000)))
    for path in (in_yaml, in_json):
        seconds = statistics.median(
            took(of_fixture(path), compiled, serves=True).wall / 1e3 for _ in range(3)
        )
        yield Figure(f"start to first 200, 10,000 in {path.suffix[1:]}", seconds, "s")
    text = in_yaml.read_text()
    ratios = [
        median(lambda: load_fixture(in_yaml), 1)
        / median(lambda: yaml.load(text, Loader), 1)
        for _ in range(5)
    ]
    middle = statistics.median(ratios)
    yield Figure("load 10,000 in YAML: to yaml.load with C", middle, "×", most=1.3)
    by_repeat = median(lambda: load_fixture(repeated(10_000)), 5) * 1e3
    yield Figure("load 10,000 by repeat", by_repeat, "ms", most=50)


def figures() -> Iterator[Figure]:
    """How long starting takes."""
    with tempfile.TemporaryDirectory() as name:
        yield from starts(name)
        yield from commands(name)
        yield from loads(Path(name))
        yield from large.figures(Path(name))

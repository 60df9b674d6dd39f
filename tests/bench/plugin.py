"""What the pytest fixture costs a test, and another choice a run of it."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure
from tests.process import serving

TESTS = 1_000
ROUNDS = 5
USING = """
import pytest

@pytest.mark.parametrize("n", range(%d))
def test_it(mock_server, n):
    pass
"""
PLAIN = USING.replace("mock_server, n", "n")
FILES = {"using": USING % TESTS, "plain": PLAIN % TESTS}
WITHOUT = "-p", "no:mock_server"

FURTHER = 200
CHOICE = "--mock-server-choices=page_size_default"
"""Which has two other values than the usual one."""
READING = USING.replace("pass", 'assert mock_server.choices["page_size_default"]')
LARGE = """
@pytest.fixture(scope="session")
def mock_server_fixture():
    collections = [{"name": f"c{n}"} for n in range(1_000)]
    return {"datasets": [{"id": "large", "name": "Large", "collections": collections}]}
"""
VARIED = {
    "varied": (READING + LARGE) % (FURTHER // 2),
    "as_often": (READING + LARGE) % (FURTHER * 3 // 2),
}


def seconds(folder: Path, *args: str) -> float:
    """How long a run of pytest takes."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args]
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - start


def figures() -> Iterator[Figure]:
    """Medians of paired runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "empty").mkdir()
        for test, source in (FILES | VARIED).items():
            (folder / f"test_{test}.py").write_text(source)
        yield from of_tests(folder)
        yield of_further_runs(folder, "a run under another choice, 10^3 collections")
        with serving("--port=0") as (url, _):
            what = "the same on a server elsewhere"
            yield of_further_runs(folder, what, f"--mock-server-url={url}")


def of_tests(folder: Path) -> Iterator[Figure]:
    """What the fixture costs a test and a run, and the plugin a run without tests."""
    overheads, fixed, starts = [], [], []
    for _ in range(ROUNDS):
        many = seconds(folder, "test_using.py") - seconds(folder, "test_plain.py")
        one = [seconds(folder, f"test_{each}.py::test_it[0]") for each in FILES]
        fixed.append(one[0] - one[1])
        overheads.append((many - fixed[-1]) / (TESTS - 1))
        quiet = folder / "empty"
        with_it = seconds(quiet, "--collect-only")
        starts.append(with_it - seconds(quiet, "--collect-only", *WITHOUT))
    yield Figure("fixture, a test", statistics.median(overheads) * 1e3, "ms")
    yield Figure("fixture, first use and end", statistics.median(fixed) * 1e3, "ms")
    yield Figure("plugin, a run without", statistics.median(starts) * 1e3, "ms")


def of_further_runs(folder: Path, what: str, *options: str) -> Figure:
    """What a run under another choice takes more than the test once more."""
    more = []
    for _ in range(ROUNDS):
        varied = seconds(folder, "test_varied.py", CHOICE, *options)
        more.append((varied - seconds(folder, "test_as_often.py", *options)) / FURTHER)
    return Figure(what, statistics.median(more) * 1e3, "ms", most=3)

"""What the pytest fixture costs a test, a run under another choice costs more than the
test, and the plugin costs a run that does not use it.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench.figures import Figure
from tests.process import serving

TESTS, CALLING, VARIED = 1_000, 300, 10
"""Tests of a run, those that send a request, and those of them that run under every
other value of every choice.
"""
ROUNDS = 5
MOST_VARIED_MS = 3
USING = """
import pytest

@pytest.mark.parametrize("n", range(%d))
def test_it(mock_server, n):
    pass
"""
SENDING = USING.replace("pass", "urlopen(mock_server.url + '/openapi.json').close()")
SENDING = "from urllib.request import urlopen\n" + SENDING
OWN = """
@pytest.fixture(scope="session")
def mock_server_fixture():
    collections = [{"name": f"c{n}"} for n in range(1_000)]
    return {"datasets": [{"id": "large", "name": "Large", "collections": collections}]}
"""
FILES = {
    "test_using.py": USING % TESTS,
    "test_plain.py": (USING % TESTS).replace("mock_server, n", "n"),
    "test_calling.py": (SENDING + OWN) % CALLING,
    "test_varied.py": (SENDING + OWN) % VARIED,
}
PYTEST = (
    sys.executable,
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
)
EVERY_CHOICE = "--mock-server-choices=all!"
Cost = Callable[..., tuple[float, ...]]
_PASSED = re.compile(r"(\d+) passed")


def run(folder: Path, *args: str) -> tuple[float, int]:
    """Run pytest; return its seconds and the number of tests that passed."""
    start = time.perf_counter()
    done = subprocess.run(
        [*PYTEST, *args], cwd=folder, capture_output=True, text=True, check=False
    )
    took, passed = time.perf_counter() - start, _PASSED.search(done.stdout)
    assert " failed" not in done.stdout, done.stdout[-2000:]
    return took, int(passed[1]) if passed else 0


def fixture_costs(folder: Path) -> tuple[float, float, float]:
    """Return the seconds of a test with the fixture and of one without it, and what the
    first use adds to a run.
    """
    one, bare_one = (run(folder, f"{file}::test_it[0]")[0] for file in list(FILES)[:2])
    many, bare_many = (run(folder, file)[0] for file in list(FILES)[:2])
    return (
        (many - one) / (TESTS - 1),
        (bare_many - bare_one) / (TESTS - 1),
        one - bare_one,
    )


def varied_costs(folder: Path, *options: str) -> tuple[float, float]:
    """Return the seconds of a run of a test under another choice, and of the test."""
    few, tests = run(folder, "test_varied.py", *options)
    many, calling = run(folder, "test_calling.py", *options)
    varied, runs = run(folder, "test_varied.py", EVERY_CHOICE, *options)
    return (varied - few) / (runs - tests), (many - few) / (calling - tests)


def plugin_costs(folder: Path) -> tuple[float]:
    """Return the seconds that the plugin adds to a run without tests."""
    with_it = run(folder, "--collect-only", "empty")[0]
    without = run(folder, "--collect-only", "-p", "no:mock_server", "empty")[0]
    return (with_it - without,)


def milliseconds(cost: Cost, folder: Path, *options: str) -> list[float]:
    """Return the medians of what a cost returns."""
    found = zip(*(cost(folder, *options) for _ in range(ROUNDS)), strict=True)
    return [statistics.median(each) * 1e3 for each in found]


def figures() -> Iterator[Figure]:
    """Yield the medians of paired runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "empty").mkdir()
        for file, text in FILES.items():
            (folder / file).write_text(text)
        test, bare, first = milliseconds(fixture_costs, folder)
        varied, calling = milliseconds(varied_costs, folder)
        (unused,) = milliseconds(plugin_costs, folder)
        with serving("--port=0") as (url, _):
            there = f"--mock-server-url={url}"
            elsewhere, _ = milliseconds(varied_costs, folder, there)
    note = f"a test without it {bare:.2g} ms"
    yield Figure("fixture mock_server: time of a test", test - bare, "ms", note=note)
    yield Figure("fixture mock_server: first use, and the end", first, "ms")
    title, note = (
        "a run under another choice: beyond the test",
        f"test {calling:.2g} ms",
    )
    yield Figure(title, varied - calling, "ms", most=MOST_VARIED_MS, note=note)
    title = "a run under another choice, on a server elsewhere: beyond the test"
    yield Figure(title, elsewhere - calling, "ms", most=MOST_VARIED_MS, note=note)
    yield Figure("plugin in a run without tests", unused, "ms")

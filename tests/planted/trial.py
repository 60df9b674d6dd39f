"""Runs tests against copies of the package, each run in a fork of one process.

A script, started by its path: nothing of the package or of its tests may be imported
here. Each line of stdin is a job, `{"folder", "arguments", "cpu", "wall"}` with limits
in seconds; each line of stdout its result, `{"passed", "failed", "broken", "cpu"}`: how
many tests have passed, the ids of those that failed, whether anything else went wrong,
and the seconds of CPU it took. What the tests depend on is imported once, for all.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis
import pytest

# Where one of them is missing, the fork finds out what that means.
_SHARED = (
    "_hypothesis_pytestplugin,_pytest.pytester,_pytest.junitxml,ahocorasick_rs,"
    "anyio.pytest_plugin,click,h11,httpx2,hypothesis.strategies,msgspec,python_multipart,starlette.testclient,"
    "uvicorn.server,uvloop,xdist.plugin,yaml,zttp"
)
_OPTIONS = (
    *("-n0", "-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=short"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
)
_ORDERLY = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)
_GIGABYTES = 3
_PHASES = ("explicit", "generate")


class Recorder:
    """A plugin that counts."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[str] = []
        self.broken: list[str] = []

    def pytest_sessionstart(self) -> None:
        """Look for no least example: that there is one will do."""
        phases = [each for each in hypothesis.Phase if each.name in _PHASES]
        hypothesis.settings.register_profile(
            "trial", phases=phases, report_multiple_bugs=False
        )
        hypothesis.settings.load_profile("trial")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test, or what stands around it, has run."""
        if report.failed:
            self.failed.append(report.nodeid)
        self.passed += report.when == "call" and report.passed

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file has been looked through for tests."""
        if report.failed:
            self.broken.append(report.nodeid)


def main() -> None:
    """Do one job after the other until stdin ends."""
    for name in _SHARED.split(","):
        with suppress(ImportError):
            importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(_done(json.loads(line))), flush=True)


def _done(job: dict[str, Any]) -> dict[str, Any]:
    """The result of a job, which runs in a process group of its own."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        child = os.fork()
        if child == 0:
            _run(job, Path(file.name))
        _, status = os.waitpid(child, 0)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        written = file.read()
    found = {"passed": 0, "failed": [], "broken": [f"status {status}"]}
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (json.loads(written) if written else found) | {"cpu": cpu}


def _run(job: dict[str, Any], result: Path) -> None:
    """Run pytest in the folder of a job, and write what it found; does not return."""
    os.setpgrp()
    signal.alarm(job["wall"])
    resource.setrlimit(resource.RLIMIT_CPU, (job["cpu"], job["cpu"]))
    resource.setrlimit(resource.RLIMIT_DATA, (_GIGABYTES << 30, _GIGABYTES << 30))
    folder = job["folder"]
    os.chdir(folder)
    sys.path[0] = os.environ["PYTHONPATH"] = folder
    with open(Path(folder, "output.txt"), "w") as output, open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    found = Recorder()
    try:
        code = pytest.main([*_OPTIONS, *job["arguments"]], plugins=[found])
        if code not in _ORDERLY:  # a conftest, say, cannot be imported
            found.broken.append(f"exit code {code}")
        result.write_text(json.dumps(vars(found)))
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()

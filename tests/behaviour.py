"""Runs the behaviour suite, whatever has a face, on a server that runs elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.process import environment
from tests.support import ROOT

FEWEST = 700
"""So many tests have to pass: a suite that skips itself shows nothing."""


def check_behaviour(url: str, *, is_behind_proxy: bool = False) -> None:
    """Run the suite on the server there; all that is not skipped has to pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "--target-url", url]
    if is_behind_proxy:
        command += ["-m", "not ci and not full and not direct"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-8_000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) >= FEWEST

"""What the pytest fixture costs a test, and the plugin a run that does not use it.

`python -m tests.bench.plugin` takes half a minute and prints figures.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = 1_000
ROUNDS = 5
USING = f"""
import pytest

@pytest.mark.parametrize("n", range({TESTS}))
def test_it(mock_server, n):
    pass
"""
FILES = "test_using.py", "test_plain.py"
WITHOUT = "-p", "no:mock_server"
PLAIN = USING.replace("mock_server, n", "n")


def seconds(folder: Path, *args: str) -> float:
    """How long a run of pytest takes."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args]
    subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return time.perf_counter() - start


def main() -> None:
    """Print the figures: medians of paired runs."""
    overheads, fixed, starts = [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "empty").mkdir()
        (folder / "test_using.py").write_text(USING)
        (folder / "test_plain.py").write_text(PLAIN)
        for _ in range(ROUNDS):
            many = seconds(folder, "test_using.py") - seconds(folder, "test_plain.py")
            one = [seconds(folder, f"{file}::test_it[0]") for file in FILES]
            fixed.append(one[0] - one[1])
            overheads.append((many - fixed[-1]) / (TESTS - 1))
            quiet = folder / "empty"
            with_it = seconds(quiet, "--collect-only")
            starts.append(with_it - seconds(quiet, "--collect-only", *WITHOUT))
    print(f"fixture: {statistics.median(overheads) * 1000:.2f} ms a test")
    print(f"first use, and the end: {statistics.median(fixed) * 1000:.0f} ms a run")
    print(f"plugin in a run without tests: {statistics.median(starts) * 1000:+.0f} ms")


if __name__ == "__main__":
    main()

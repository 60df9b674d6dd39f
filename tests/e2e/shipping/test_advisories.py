"""No advisory is known of what the image and the zipapp are made of."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest

from tests.e2e.shipping.locks import RUNTIME

pytestmark = [
    pytest.mark.ci,
    pytest.mark.skipif(
        importlib.util.find_spec("pip_audit") is None, reason="needs pip-audit"
    ),
]
OPTIONS = ["--require-hashes", "--disable-pip", "--format=json"]


def test_no_advisory_is_known_of_what_is_locked() -> None:
    command = [sys.executable, "-m", "pip_audit", "-r", str(RUNTIME), *OPTIONS]
    done = subprocess.run(command, capture_output=True, text=True)
    rows = json.loads(done.stdout)["dependencies"] if done.stdout else []
    asked = {row["name"]: row["vulns"] for row in rows if "vulns" in row}
    if not asked:
        pytest.skip("no database of advisories can be reached from here")
    assert {name: found for name, found in asked.items() if found} == {}

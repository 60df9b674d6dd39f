"""The scheduled jobs of the guide of data, as scripts: drift that is new fails them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

PAGE = (Path(__file__).parents[2] / "docs/guides/data.md").read_text()
GITHUB, GITLAB = map(yaml.safe_load, re.findall(r"^```yml\n(.*?)^```", PAGE, re.M | re.S))
STEPS = [it["run"] for it in GITHUB["jobs"]["drift"]["steps"] if "run" in it]
pytestmark = pytest.mark.served(fixture=None)


@pytest.mark.parametrize("steps", [STEPS, GITLAB["drift"]["script"]])
def test_a_scheduled_job_fails_on_new_drift(server, steps, tmp_path):
    command = shutil.which("mock-server", path=Path(sys.executable).parent)
    lines = {"git": "true", "pip": "true", "mock-server": f'exec {command} "$@"'}
    for name, line in lines.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    variables = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    variables |= {"FASTGPT_URL": server.url, "MOCK_SERVER_VERIFY_KEY": "key"}
    (tmp_path / "fastgpt.json").write_text("{}")
    started = ["bash", "-e", "-c", "\n".join(steps)]
    assert subprocess.run(started, cwd=tmp_path, env=variables, capture_output=True).returncode == 0
    server.fault("wrong_total", operation="listV2", times=None)
    assert subprocess.run(started, cwd=tmp_path, env=variables, capture_output=True).returncode == 1

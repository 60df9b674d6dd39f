"""The scheduled job of the guide of data, as a script: drift that is new fails it."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from commands import run_command

PAGE = (Path(__file__).parents[2] / "docs/guides/data.md").read_text("utf-8")
(GITHUB,) = map(yaml.safe_load, re.findall(r"^```yml\n(.*?)^```", PAGE, re.M | re.S))
STEPS = [it["run"] for it in GITHUB["steps"] if "run" in it]
pytestmark = pytest.mark.served(fixture=None)


def test_a_scheduled_job_fails_on_new_drift(server, tmp_path):
    command = shutil.which("mock-server", path=Path(sys.executable).parent)
    lines = {"git": "true", "pip": "true", "mock-server": f'exec {command} "$@"'}
    for name, line in lines.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        (tmp_path / name).chmod(0o755)
    variables = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    variables |= {"FASTGPT_URL": server.url, "MOCK_SERVER_VERIFY_KEY": "key"}
    (tmp_path / "fastgpt.json").write_text("{}", "utf-8")
    script = "\n".join(STEPS)
    for status in (0, 1):
        run_command("bash", "-e", "-c", script, status=status, cwd=tmp_path, env=variables)
        server.fault("wrong_total", operation="listV2", times=None)

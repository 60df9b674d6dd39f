"""What the Dockerfile promises, as far as that shows without building it."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import click
import msgspec
import pytest

from mock_server.cli.main import cli
from mock_server.control.environment import variable
from tests.support import ROOT

TEXT = (ROOT / "Dockerfile").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize(
    ("label", "value"),
    [("title", PROJECT["name"]), ("description", PROJECT["description"])],
)
def test_labels_are_the_projects(label: str, value: str) -> None:
    assert f'org.opencontainers.image.{label}="{value}"' in TEXT


def test_every_stage_has_the_same_base() -> None:
    assert re.findall(r"^FROM (\S+)", TEXT, re.M) == ["${PYTHON_IMAGE}"] * 2


def test_settings_of_the_image_are_options() -> None:
    serve = cli.get_command(click.Context(cli), "serve")
    assert serve is not None
    known = {param.envvar for param in serve.params}
    assert set(re.findall(r"\bMOCK_SERVER_\w+", TEXT)) <= known


def test_the_health_check_is_a_command_that_knows_the_settings_of_the_server() -> None:
    (name,) = re.findall(r'^HEALTHCHECK .*CMD \["mock-server", "(.+)"\]$', TEXT, re.M)
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    known = {param.envvar for param in command.params}
    assert {variable("host"), variable("port")} <= known


def test_what_a_loader_reads_of_a_module_stays_when_it_is_stripped() -> None:
    stripped = runpy.run_path(str(ROOT / ".ci" / "strip"))["stripped"]
    module = Path(msgspec._core.__file__ or "").read_bytes()
    short = stripped(module)
    assert len(short) < len(module)
    assert short[64:] == module[64 : len(short)]  # what follows the header
    assert stripped(short) == short
    assert stripped(b"text") == b"text"

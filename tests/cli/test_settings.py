"""Settings that are empty: mistakes, whoever gives them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from mock_server.cli import cli
from tests.process import COMMAND, environment


def commands() -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands, those of groups too, with their names."""
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from (((name, sub), it) for sub, it in command.commands.items())
        elif command is not None:
            yield (name,), command


SETTINGS = [
    (names, each)
    for names, command in commands()
    for each in command.params
    if each.envvar is not None
]


def read(names: tuple[str, ...], *args: str, **variables: str) -> None:
    """Read the arguments and variables of a command, without running it."""
    context = click.Context(cli)
    command: click.Command | None = cli
    for name in names:
        assert isinstance(command, click.Group)
        command = command.get_command(context, name)
    assert command is not None
    needed = ["error"] if names == ("fault", "add") else []
    with CliRunner().isolation(env=variables):
        command.make_context(names[-1], [*args, *needed])


@pytest.mark.parametrize("value", ["", " "])
@pytest.mark.parametrize(
    ("names", "each"), SETTINGS, ids=[f"{'-'.join(n)}-{s.name}" for n, s in SETTINGS]
)
def test_an_empty_setting_is_refused_by_its_name(
    names: tuple[str, ...], each: click.Parameter, value: str
) -> None:
    read(names)
    option = isinstance(each, click.Option)
    with pytest.raises(click.UsageError, match=f"an empty one - at .*{each.envvar}$"):
        read(names, *([each.opts[0], value] if option else [value]))
    with pytest.raises(click.UsageError, match=f"an empty one - at .*{each.envvar}$"):
        read(names, **{str(each.envvar): value})


def test_every_command_that_steers_has_the_settings() -> None:
    found = {(names, each.envvar) for names, each in SETTINGS}
    for name in ("reset", "state", "journal", "wait"):
        assert ((name,), "MOCK_SERVER_TIMEOUT") in found
    assert (("fault", "clear"), "MOCK_SERVER_ADMIN_TOKEN") in found
    assert (("serve",), "MOCK_SERVER_FIXTURE") in found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MOCK_SERVER_FIXTURE", os.pathsep.join(["demo.yaml", ""])),
        ("MOCK_SERVER_CORS_ORIGIN", "http://a.example, "),
        ("MOCK_SERVER_CHOICE", ",list_order=name"),
    ],
)
def test_an_empty_part_of_a_list_is_refused(name: str, value: str) -> None:
    with pytest.raises(click.UsageError, match=f"an empty one - at .*{name}$"):
        read(("serve",), **{name: value})


@pytest.mark.parametrize("value", ["nan", "-1", "inf", "86401", "soon"])
def test_a_timeout_is_a_time_that_can_be_waited_for(value: str) -> None:
    with pytest.raises(click.BadParameter):
        read(("reset",), "--timeout", value)


@pytest.mark.parametrize("name", ["MOCK_SERVER_ADMIN_TOKEN", "MOCK_SERVER_CORS_ORIGIN"])
def test_a_server_does_not_start_with_an_empty_setting(name: str) -> None:
    done = subprocess.run(
        [*COMMAND, "--port=0"],
        capture_output=True,
        text=True,
        timeout=30,
        env=environment(**{name: ""}),
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert name in done.stderr
    assert len(done.stderr.splitlines()) == 1

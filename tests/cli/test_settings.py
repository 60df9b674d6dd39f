"""Settings that are empty, bad or unknown: mistakes, whoever gives them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from mock_server.cli.main import cli
from mock_server.cli.options import Option, Setting, SettingArgument
from mock_server.cli.output import BadValue
from mock_server.cli.serve import serve
from mock_server.control.environment import known_settings, unknown_settings
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
    # "1" is a name, a fault of any ID, and a number of seconds.
    required = [each for each in command.params if each.required]
    needed = [text for each in required for text in [*_named(each), "1"]]
    with CliRunner().isolation(env=variables):
        command.make_context(names[-1], [*args, *needed])


def _named(param: click.Parameter) -> list[str]:
    """What stands in front of a value."""
    return [param.opts[0]] if isinstance(param, click.Option) else []


@pytest.mark.parametrize("names", dict.fromkeys(it for it, _ in SETTINGS), ids="-".join)
def test_an_empty_setting_is_refused_by_its_name(names: tuple[str, ...]) -> None:
    read(names)
    own = [each for others, each in SETTINGS if others == names]
    for each, value in product(own, ("", " ")):
        told = f"an empty one - at .*{each.envvar}$"
        if not (isinstance(each, click.Option) and each.is_flag):
            with pytest.raises(BadValue, match=told):
                read(names, *_named(each), value)
        with pytest.raises(BadValue, match=told):
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
    with pytest.raises(BadValue, match=f"an empty one - at .*{name}$"):
        read(("serve",), **{name: value})


@pytest.mark.parametrize("between", [",", ", ", os.pathsep])
def test_files_may_be_listed_with_commas(tmp_path: Path, between: str) -> None:
    files = str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml")
    with CliRunner().isolation(env={"MOCK_SERVER_FIXTURE": between.join(files)}):
        assert serve.make_context("serve", []).params["fixtures"] == files


def test_a_comma_in_the_name_of_a_file_is_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a,b.yaml"
    path.touch()
    with CliRunner().isolation(env={"MOCK_SERVER_FIXTURE": str(path)}):
        assert serve.make_context("serve", []).params["fixtures"] == (str(path),)


@pytest.mark.parametrize("value", ["nan", "-1", "inf", "86401", "soon"])
def test_a_timeout_is_a_time_that_can_be_waited_for(value: str) -> None:
    with pytest.raises(BadValue):
        read(("reset",), "--timeout", value)


@pytest.mark.ci
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


def test_every_option_words_bad_values_in_one_form() -> None:
    own = (Option, Setting, SettingArgument)
    for names, command in commands():
        for each in command.params:
            if isinstance(each, click.Option) and not each.is_eager:
                assert isinstance(each, own), (names, each.name)


def test_known_settings_and_other_variables_are_not_told() -> None:
    known = dict.fromkeys(known_settings(), "x")
    others = {"MOCK_SERVE": "", "XMOCK_SERVER_A": "", "_MOCK_SERVER_COMPLETE": ""}
    assert unknown_settings({**known, **others}) == []


@pytest.mark.parametrize(
    "name", ["SERVICE_HOST", "SERVICE_PORT_HTTP", "PORT_80_TCP", "PORT_80_TCP_ADDR"]
)
def test_service_links_of_kubernetes_are_told_as_such(name: str) -> None:
    (told,) = unknown_settings({f"MOCK_SERVER_{name}": "10.0.0.1"})
    assert told.startswith(f"unknown setting MOCK_SERVER_{name} (Kubernetes sets it")


def test_a_name_that_is_like_none_gets_no_hint() -> None:
    assert unknown_settings({"MOCK_SERVER_ZZZ": "1"}) == [
        "unknown setting MOCK_SERVER_ZZZ (see mock-server serve --help)"
    ]

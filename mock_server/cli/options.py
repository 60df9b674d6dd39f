"""What the options of several commands have in common."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from mock_server.cli.terminal import fail

PREFIX = "MOCK_SERVER_"
FIXTURE = f"{PREFIX}FIXTURE"
PULL_KEY = f"{PREFIX}PULL_KEY"
VERIFY_KEY = f"{PREFIX}VERIFY_KEY"
# Each command reads variables without its own name in them: MOCK_SERVER_PORT.
SETTINGS: dict[str, Any] = {
    "auto_envvar_prefix": "MOCK_SERVER",
    "help_option_names": ["-h", "--help"],
    "show_default": True,
}
WITHOUT_VARIABLES = SETTINGS | {"auto_envvar_prefix": None}

option = partial(click.option, show_envvar=True)
"""An option, whose help names its variable."""
PORT = click.IntRange(0, 65535)


def writable(_: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """The path of a file that can be written whole: no device, nor a link in place of its file."""
    if path and (not path.parent.is_dir() or (path.exists() and not path.is_file())):
        fail(f"Expected a file in a folder that is there, got {path} - at {option.opts[0]}")
    return path


OUTPUT: dict[str, Any] = {
    "type": click.Path(path_type=Path, resolve_path=True),
    "callback": writable,
}

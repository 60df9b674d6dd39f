"""The options, the output and the exit codes of all commands."""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from enum import IntEnum
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import click
from click.core import ParameterSource
from msgspec import json

from mock_server.decoding.json_values import JsonObject
from mock_server.fixture.dump import yaml_of


class Exit(IntEnum):
    """The exit codes of commands that fail."""

    FAILED = 1
    """Wrong usage, a failed check, or an incomplete result."""
    BROKEN_FIXTURE = 2
    UNREACHABLE = 3
    """A server cannot be reached, an address cannot be listened on, or `pull` is interrupted."""
    TIMED_OUT = 4
    UNEXPECTED_RESPONSE = 5


PREFIX = "MOCK_SERVER_"
FIXTURE = f"{PREFIX}FIXTURE"
PULL_KEY = f"{PREFIX}PULL_KEY"
VERIFY_KEY = f"{PREFIX}VERIFY_KEY"
# The variables of a command do not have its name: MOCK_SERVER_PORT.
VARIABLES = {"auto_envvar_prefix": "MOCK_SERVER"}


class Option(click.Option):
    """An option whose mistakes name its variable if the value comes from there."""

    def get_error_hint(self, ctx: click.Context | None) -> str:
        context = ctx or click.get_current_context()
        if context.get_parameter_source(self.name) is ParameterSource.ENVIRONMENT:
            return f"{PREFIX}{self.name}".upper()
        return self.opts[0]

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        value = super().resolve_envvar_value(ctx)
        # Kubernetes sets this one for a Service with the name mock-server.
        if self.name == "port" and value and value.startswith("tcp://"):
            print_to_stderr(
                f"warning: {PREFIX}PORT={value} is an address of Kubernetes, which is ignored"
            )
            return None
        return value


class Command(click.Command):
    """A command that refuses an option that is typed twice, as only one of its values counts."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        values, _, typed = self.make_parser(ctx).parse_args([*args])
        for name, value in values.items():
            if isinstance(value, str) and value.startswith("--"):
                fail(f"Expected a value, got {value} - at --{name.replace('_', '-')}")
        once = [it.opts[0] for it in typed if not (it.multiple or it.nargs == -1)]
        check_once("option", once)
        return super().parse_args(ctx, args)


option = partial(click.option, cls=Option, show_envvar=True)
"""An option, whose help names its variable."""
MAX_LABEL = 63
"""How many characters a name between the dots of a host may have."""
PORT = click.IntRange(0, 65535)


def print_to_stderr(message: str) -> None:
    """Write a line to stderr."""
    click.echo(message, err=True)


def fail(message: str, code: Exit = Exit.FAILED) -> NoReturn:
    """End the command with a message on stderr."""
    print_to_stderr(message)
    raise SystemExit(code)


def check_once(thing: str, names: Iterable[str]) -> None:
    """Refuse a name that comes twice."""
    for name, times in Counter(names).items():
        if times > 1:
            fail(f"Expected each {thing} once, got {name} {times} times")


def file_to_write(_: click.Context, param: click.Parameter, text: str | None) -> Path | None:
    """The file behind links that can be written; `--output -` is stdout. A folder is refused."""
    if text is None or (text == "-" and param.name == "output"):
        return None
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        fail(f"Expected a file in a folder that is there, got {path} - at {param.opts[0]}")
    # What a pipe or a device stands for may have no path.
    if is_pipe_or_device(path):
        return path
    return path.resolve()


def is_pipe_or_device(path: Path) -> bool:
    """Whether it is written to, and cannot be replaced."""
    return path.exists() and not path.is_file()


OUTPUT: dict[str, Any] = {"metavar": "FILE", "callback": file_to_write}
FORCE = click.option("--force", is_flag=True, help="Replace a file that is there.")


def check_overwrite(path: Path | None, option: str, force: bool, known: Path | None = None) -> None:
    """Refuse to replace the file that is read, and without `force` any file."""
    if path and path == known:
        fail(f"Expected another file than the one that is read, got {path} - at {option}")
    if path and path.is_file() and not force:
        fail(f"Expected a new file, got {path} (--force replaces it) - at {option}")


def check_address(context: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """The address without the /api that clients add. Any other text is refused."""
    import httpx2  # it would add 40 ms to each start of the server

    if text is None:
        return None
    text = text.rstrip("/").removesuffix("/api")
    place = param.get_error_hint(context)
    with suppress(httpx2.InvalidURL):
        url = httpx2.URL(text)
        if url.userinfo:
            fail(f"Expected an address without a user and a password, got one with - at {place}")
        has_short_labels = all(len(it) <= MAX_LABEL for it in url.host.split("."))
        is_http = url.scheme in ("http", "https") and (url.port or 0) < 2**16
        is_whole = not (url.query or url.fragment)
        if is_http and url.host and has_short_labels and is_whole:
            return text
    fail(f"Expected an address such as http://127.0.0.1:8000, got {text!r} - at {place}")


def write_document(document: JsonObject, output: Path | None, comment: str = "") -> None:
    """Write a document as YAML, after a comment; to a file that is named so, as JSON."""
    text = comment + yaml_of(document)
    if output and output.suffix.lower() == ".json":
        text = json.format(json.encode(document)).decode() + "\n"
    write_out(text, output)


def write_out(text: str, output: Path | None) -> None:
    """Write a text to a file, whole or not at all, or to stdout, a pipe or a device."""
    if output is None:
        if sys.stdout is None:
            fail("cannot write to stdout: it is closed")
        click.echo(text, nl=False)
        return
    try:
        if is_pipe_or_device(output):
            output.write_text(text, "utf-8")
            return
        unfinished = output.with_name(f"{output.name}.{os.getpid()}.part")
        try:
            unfinished.write_text(text, "utf-8")
            os.replace(unfinished, output)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        fail(f"cannot write {output}: {error.strerror}")

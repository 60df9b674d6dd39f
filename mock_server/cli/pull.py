"""`mock-server pull`: a fixture from a running service."""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from mock_server.cli.output import UNFIT, UNREACHABLE, USAGE, Stop
from mock_server.cli.progress import Counting
from mock_server.cli.settings import BadValue, option
from mock_server.cli.whole_file import whole_file
from mock_server.domain.limits import Limits
from mock_server.domain.printable import one_line
from mock_server.http_call import Unfit, Unreachable
from mock_server.pull.anonymous import anonymous
from mock_server.pull.assembly import document_of, written
from mock_server.pull.branches import Wanted
from mock_server.pull.part_file import Asked, OtherPull, PartFile
from mock_server.service import Declined, GivenUp, Service
from mock_server.setting_names import PULL_KEY

_PART = ".part"


@click.command()
@option("--base-url", metavar="URL", required=True, help="Address of the service.")
@option(
    "--key-env",
    metavar="NAME",
    default=PULL_KEY,
    show_default=True,
    help="Variable that holds the API key.",
)
@option("--dataset", metavar="ID", multiple=True, help="A dataset to pull.")
@option("--app", metavar="ID", multiple=True, help="An app whose chats to pull.")
@option("--rows", is_flag=True, help="Pull the data rows of collections too.")
@option("--anonymize", is_flag=True, help="Replace names, tags, texts and ids.")
@option(
    "--format",
    "file_format",
    type=click.Choice(["yaml", "json"]),
    help="Format of the fixture; by default as the name of the file says.",
)
@option("--output", metavar="FILE", help="File to write instead of stdout.")
def pull(
    base_url: str,
    key_env: str,
    dataset: Sequence[str],
    app: Sequence[str],
    rows: bool,
    anonymize: bool,
    file_format: str | None,
    output: str | None,
) -> None:
    """Pull a fixture from a running service.

    The same command goes on where one with an --output was stopped.
    """
    key = _key(key_env)
    wanted = _wanted(dataset, app, rows)
    limits = Limits()
    try:
        service = Service(base_url, key, limits.pull_seconds, limits)
    except ValueError as error:
        raise BadValue(f"{error} - at --base-url") from None
    is_json = (file_format or Path(output or "").suffix[1:].lower()) == "json"
    target = Target(output, is_json, key if anonymize else None)
    save(service, wanted, target, key_env)


class Target(NamedTuple):
    """The file to write, or stdout; with a secret, anonymous."""

    path: str | None = None
    is_json: bool = False
    secret: str | None = None


def save(
    service: Service,
    wanted: Wanted,
    target: Target,
    key_env: str,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Write what is wanted of a service as a fixture, whole or not at all.

    Raises Stop, which names the variable of the key if that is to blame.
    """
    module = _walk_module()
    part = _part_of(target.path, Asked(service.url.rstrip("/"), wanted))
    counting = Counting("items pulled")
    if part.count:
        counting.line(f"going on after {part.count} pages in {target.path}{_PART}")
    with _told(part, key_env, target.path):
        try:
            walk = module.Walk(
                service, part, sleep=sleep, tell=counting.line, count=counting.count
            )
            lists = walk.run(wanted)
        finally:
            counting.clear()
            part.close()
        _write(document_of(lists, wanted), service.limits, part, target)


def _write(document: Any, limits: Limits, part: PartFile, target: Target) -> None:
    """Write the file, and remove what was kept on the way. Raises Stop, GivenUp."""
    if target.secret is not None:
        document = anonymous(document, target.secret)
    try:
        pieces = written(document, limits, is_json=target.is_json)
    except GivenUp:
        part.remove()  # it would always lead to this
        raise
    with whole_file(target.path) as file:
        for piece in pieces:
            file.write(piece)
        if target.is_json:
            file.write(b"\n")
    part.remove()


def _key(name: str) -> str:
    """The key in a variable. Raises BadValue; no message has the key."""
    key = os.environ.get(name, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        got = "other characters" if key else "none"
        place = f"the variable {one_line(name)}"
        raise BadValue(f"Expected an API key in visible ASCII, got {got} - at {place}")
    return key


def _wanted(datasets: Sequence[str], apps: Sequence[str], rows: bool) -> Wanted:
    """What is to be pulled. Raises BadValue."""
    if not datasets and not apps:
        raise BadValue("Expected a dataset or an app, got none - at --dataset or --app")
    for name, ids in (("--dataset", datasets), ("--app", apps)):
        for each in ids:
            if not 0 < len(each) <= Limits.id_chars:
                expected = f"an id of 1 to {Limits.id_chars} characters"
                got = f"one of {len(each)}"
                raise BadValue(f"Expected {expected}, got {got} - at {name}")
    return Wanted(tuple(datasets), tuple(apps), rows)


def _walk_module() -> Any:
    """The module that walks. Raises Stop without the library that it needs."""
    try:
        return import_module("mock_server.pull.walk")
    except ImportError as error:
        needed = "pip install 'fastgpt-mock-server[pull]'"
        raise Stop(f"pull needs the library {error.name}: {needed}", USAGE) from None


def _part_of(output: str | None, asked: Asked) -> PartFile:
    """What an earlier run of this command has left. Raises Stop."""
    if output is None:
        return PartFile(None, asked)
    target = Path(output)
    try:
        if target.is_dir():
            raise IsADirectoryError(0, "it is a directory")
        if not target.parent.is_dir():
            raise NotADirectoryError(0, f"{target.parent} is no directory")
        is_special = target.exists() and not target.is_file()
        part = None if is_special else Path(f"{output}{_PART}")
        return PartFile(part, asked)
    except OSError as error:
        raise _cannot_write(output, error) from None
    except OtherPull as error:
        hint = "give another --output, or remove it to begin anew"
        raise Stop(one_line(f"{error}: {hint}"), USAGE) from None


@contextmanager
def _told(part: PartFile, key_env: str, output: str | None) -> Iterator[None]:
    """Ends the command with one line for what can go wrong on the way."""
    try:
        yield
    except Declined as error:
        hint = f" (the key is that in {one_line(key_env)})"
        text = f"{error}{hint if error.is_for_the_key else ''}"
        status = USAGE if error.is_for_the_asked else UNFIT
        raise Stop(text + _kept(part, output), status) from None
    except Unreachable as error:
        raise Stop(f"{error}{_kept(part, output)}", UNREACHABLE) from None
    except Unfit as error:
        raise Stop(f"{error}{_kept(part, output)}", UNFIT) from None
    except OSError as error:
        raise _cannot_write(f"{output}{_PART}", error) from None


def _kept(part: PartFile, output: str | None) -> str:
    """How to go on, if there is something to go on from."""
    if not part.is_there:
        return ""
    return one_line(f"; the same command goes on from {output}{_PART}")


def _cannot_write(path: str, error: OSError) -> Stop:
    return Stop(one_line(f"cannot write {path}: {error.strerror}"), USAGE)

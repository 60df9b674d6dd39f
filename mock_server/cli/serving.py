"""Runs `mock-server serve`: a server in the foreground, with a banner on stderr."""

import gc
import json
import logging
import os
import shlex
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource
from starlette.types import ASGIApp

from mock_server.api.faults.fault import Fault
from mock_server.api.fixture_loading import load_fixture, with_faults
from mock_server.api.operations.table import OPERATIONS
from mock_server.app import Application, create_app
from mock_server.cli import output
from mock_server.cli.fixture_warnings import fixture_warnings
from mock_server.cli.json_lines import JsonLines
from mock_server.cli.output import LineWriter, Stop, count_text
from mock_server.cli.progress import load_with_progress
from mock_server.cli.reload import ReloadLog, Watcher
from mock_server.cli.reports import problems_end_command
from mock_server.control.environment import variable
from mock_server.domain.access import Caller, Level
from mock_server.domain.choices.choosing import choose
from mock_server.domain.choices.profiles import PROFILES
from mock_server.domain.choices.table import Value, table
from mock_server.domain.faults.definition import Definition
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.printable import LogFormat, json_text, one_line, wants_colour
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.fixture.source.files import path_of
from mock_server.wire.server import CannotBind, Server, bind, openable_url_of, url_of
from mock_server.wire.uvicorn_internals import (
    HttpParser,
    UnsupportedUvicorn,
    best_parser,
)

_MAX_FAULTS = 5
_CHECKED_COLLECTIONS = 1_000  # more would delay the start
_DEMO_PROFILE = "deployed"
"""The demo needs this profile, because it calls `updateHistory` without `top`."""


def serve(
    fixtures: Sequence[str],
    host: str,
    port: int,
    profile: str,
    choice: dict[str, str],
    fault: Sequence[Fault],
    http: HttpParser | None,
    cors_origin: Sequence[str],
    admin_token: str | None,
    allowed_host: Sequence[str],
    log_format: LogFormat | None,
    memory: int,
    watch: bool,
    demo: bool,
) -> None:
    """Serve with the options of the command. Raises Stop."""
    # The watcher is created before the files are read, so that it misses no change.
    files = [str(path_of(each)) for each in fixtures]
    lines = LineWriter(sys.stderr)
    log = JsonLines(lines.write) if log_format == "json" else lines
    watcher = Watcher(files) if watch else None
    source = click.get_current_context().get_parameter_source("profile")
    if demo and source in (None, ParameterSource.DEFAULT):
        profile = _DEMO_PROFILE
    profile, choices = read_profile_option(profile)
    try:
        app = create_app(
            with_faults(_load(fixtures, memory, log), fault),
            profile=profile,
            choices={**choices, **choice},
            cors_origins=cors_origin,
            admin_token=admin_token,
            allowed_hosts=allowed_host,
            memory=memory,
            demo=demo,
        )
        listener = bind(host, port, "--port 0")
    except ValueError as error:
        raise Stop(str(error), output.USAGE) from None
    except CannotBind as error:
        raise Stop(str(error), output.UNREACHABLE) from None
    app.reloader.files = files
    app.reloader.add_data = partial(with_faults, added_faults=fault)
    _run(
        app,
        listener,
        lines,
        log,
        http,
        log_format,
        watcher,
        is_admin_open=admin_token is None,
    )


def read_profile_option(
    profile: str, folder: Path = Path(), place: str = "--profile"
) -> tuple[str, Mapping[str, Value]]:
    """Return a named profile, or the profile and choices of a file. Raises Stop."""
    if profile in PROFILES:
        return profile, {}
    from mock_server.fixture.profile_file import read_profile

    path = folder / profile
    if not path.exists():
        missing = f"{path}: no such file, for {place}"
        raise Stop(one_line(missing), output.BROKEN_FIXTURE)
    with problems_end_command():
        file = read_profile(str(path))
    return file.profile, file.choices


def _load(
    fixtures: Sequence[str], max_bytes: int, log: LineWriter | JsonLines
) -> FixtureData:
    load = partial(load_fixture, *fixtures, max_bytes=max_bytes)
    with problems_end_command():
        return load_with_progress(fixtures, load, log.write) if fixtures else load()


def _run(
    app: Application,
    listener: socket.socket,
    lines: LineWriter,
    log: LineWriter | JsonLines,
    http: HttpParser | None,
    log_format: LogFormat | None,
    watcher: Watcher | None,
    *,
    is_admin_open: bool,
) -> None:
    stdout = LineWriter(sys.stdout)
    parser = http or best_parser()
    # Also warnings of uvicorn and of the server are written by the thread of `log`.
    handler = logging.StreamHandler(log)
    handler.terminator = ""
    logging.getLogger().addHandler(handler)

    reload_log = ReloadLog(app, watcher, log.write)

    def announce() -> None:
        url = openable_url_of(listener)
        log.write(
            banner(app.sandbox, url, parser, is_admin_open=is_admin_open, demo=app.demo)
        )
        reload_log.start()
        stdout.write(f"READY {url_of(listener)}")
        threading.Thread(target=import_remaining, args=(app,), daemon=True).start()

    # __main__ has disabled the garbage collector. Exclude the loaded data from it: to
    # scan 60,000 collections would delay all requests by 20 ms each time.
    gc.freeze()
    gc.enable()
    app.loader.on_growth = freeze_objects
    try:
        server = Server(
            _with_request_log(app, log_format, lines.write),
            parser,
            on_ready=announce,
            on_stop=reload_log.stop,
            on_hangup=reload_log.reload,
            on_wait=lambda count: log.write(_waiting_text(count)),
            is_embedded=False,
        )
        server.run([listener])
    except UnsupportedUvicorn as error:
        raise Stop(str(error), output.USAGE) from None
    stdout.close()
    lines.close()


def import_remaining(app: Application) -> None:
    """Import the modules that a start does not need, such as the admin API.

    Otherwise the first request would wait for the import, and fail if no file
    descriptor is left. Large data are prepared for their first change too.
    """
    import difflib  # noqa: F401 - for suggestions in messages
    import gzip  # noqa: F401 - for pages of the console

    import mock_server.admin.resources.table  # noqa: F401

    len(OPERATIONS)  # imports all operations
    app.sandbox.state.store.fixture.prepare_changes()
    freeze_objects()


def freeze_objects() -> None:
    """Exclude all existing objects from garbage collection.

    Garbage is collected before, because excluded garbage would never be freed. That
    takes 1 to 2 ms after 180,000 collections have been loaded in messages.
    """
    gc.collect()
    gc.freeze()


def _waiting_text(count: int) -> str:
    noun = "request" if count == 1 else "requests"
    return f"waiting for {count} {noun} to end (Ctrl-C again ends them)"


def _with_request_log(
    app: Application, log_format: LogFormat | None, write: Callable[[str], object]
) -> ASGIApp:
    """Return the application, with a request log if requested or on a terminal.

    If `log_format` requests the log, its lines and the responses have request ids.
    """
    is_terminal = bool(sys.stderr and sys.stderr.isatty())
    if log_format is None and not is_terminal:
        return app
    from mock_server.api.request_log import LogRedaction, RequestLog

    return RequestLog(
        app,
        log_format or "text",
        write,
        LogRedaction(app.sandboxes, app.secrets),
        is_coloured=wants_colour(is_terminal, os.environ),
        gives_ids=log_format is not None,
    )


def banner(
    sandbox: Sandbox,
    url: str,
    parser: HttpParser,
    *,
    is_admin_open: bool,
    demo: str | None = None,
) -> str:
    """Return the lines that a start writes, from the fixture to an example request.

    `url` is an address that can be opened on this machine, `demo` the path of the demo
    front end if it is served.
    """
    fixture, profile = sandbox.baseline, sandbox.state.profile
    admin = "open to whoever reaches this port" if is_admin_open else "needs the token"
    lines = (
        f"serving {count_text(fixture.contents())} from {', '.join(fixture.files)}, "
        f"profile {profile}, version {sandbox.choices.version}, HTTP by {parser}",
        f"keys: {_keys(sandbox)}",
        *_faults(sandbox),
        *_choices(sandbox),
        *_warnings(sandbox),
        f"console: {url}/__admin/ (the admin API: {admin})",
        *([f"demo: {url}{demo}"] if demo else ()),
        f"try: {_example(sandbox, url)}",
    )
    # Fixtures may come from others, so control characters of their texts are escaped.
    return "\n".join(map(one_line, lines))


def _choices(sandbox: Sandbox) -> Iterator[str]:
    """Yield a line with the choices that differ from the profile, if there are any."""
    defaults = choose(sandbox.state.profile)
    values = {name: getattr(sandbox.choices, name) for name in table()}
    changed = [
        f"{name}={value}"
        for name, value in values.items()
        if value != getattr(defaults, name)
    ]
    if changed:
        yield f"choices: {', '.join(changed)}"


def _warnings(sandbox: Sandbox) -> Iterator[str]:
    """Yield probable mistakes in the fixture, and a port in a wrong variable."""
    fixture = sandbox.state.store.fixture
    version = sandbox.choices.version
    for each in fixture_warnings(fixture, version, _CHECKED_COLLECTIONS):
        yield f"warning: {each}"
    port = os.environ.get("PORT")
    if port and not os.environ.get(variable("port")):
        fix = f"the port is {variable('port')} or --port"
        yield f"warning: PORT={port} has no effect ({fix})"


def _keys(sandbox: Sandbox) -> str:
    declared = ", ".join(sandbox.state.store.fixture.keys)
    if declared or sandbox.choices.unknown_key == "reject":
        return declared or "none is declared, and none is accepted"
    return "any bearer key is accepted"


def _faults(sandbox: Sandbox) -> list[str]:
    """Return a line with the faults of the start, and when each ends, if any."""
    faults = sandbox.baseline.faults
    texts = [f"f{number} {_fault(each)}" for number, each in enumerate(faults, 1)]
    hidden_count = len(texts) - _MAX_FAULTS
    if hidden_count > 0:
        texts[_MAX_FAULTS:] = [f"and {hidden_count} more"]
    return [f"faults: {', '.join(texts)}"] if texts else []


def _fault(fault: Definition) -> str:
    """Return a text such as `error of any operation (once, for 60 s at most)`."""
    where = "any operation" if fault.operation == "*" else fault.operation
    limits = [f"for {fault.ttl:g} s at most"]
    if fault.times is not None:
        limits.insert(0, "once" if fault.times == 1 else f"{fault.times:,} times")
    return f"{fault.kind} of {where} ({', '.join(limits)})"


def _example(sandbox: Sandbox, url: str) -> str:
    """Return a curl command: listV2 of a dataset that a key may read, or health.

    Datasets with collections come first, then those that are not folders.
    """
    fixture, list_v2 = sandbox.state.store.fixture, OPERATIONS["listV2"]
    filled = (each for each in _readable(fixture) if len(each[0].tree))
    empty = (each for each in _readable(fixture) if each[0].type != "folder")
    dataset, caller = next(filled, None) or next(empty, (None, None))
    if dataset is None or caller is None:
        return f"curl {url}/__admin/health"
    body = {"offset": 0, "datasetId": dataset.id, "parentId": None}
    # Quoted for a shell, because keys and ids may contain quotes.
    key = shlex.quote(f"Authorization: Bearer {caller.key}")
    data = shlex.quote(json_text(json.dumps(body, ensure_ascii=False)))
    return (
        f"curl -X {list_v2.method} {url}{list_v2.path} -H {key} "
        f"-H 'Content-Type: application/json' -d {data}"
    )


def _readable(fixture: FixtureData) -> Iterator[tuple[Dataset, Caller]]:
    # Without declared keys any API key is usually accepted, such as this one.
    callers = list(fixture.keys.values()) or [Caller("fastgpt-demo")]
    for dataset in fixture.datasets.values():
        for caller in callers:
            if dataset.level_of(caller) >= Level.READ:
                yield dataset, caller

"""Run `mock-server serve`: a server in the foreground, a banner on stderr."""

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
from itertools import islice
from pathlib import Path

import click
from click.core import ParameterSource
from starlette.types import ASGIApp

from mock_server.api.faults.fault import Fault, warnings_of
from mock_server.api.fixture_loading import load_fixture, with_faults
from mock_server.api.operations.table import OPERATIONS
from mock_server.app import Application, create_app
from mock_server.cli import output
from mock_server.cli.json_lines import JsonLines
from mock_server.cli.output import LineWriter, Stop, counted
from mock_server.cli.progress import loaded
from mock_server.cli.reload import Following, Watcher
from mock_server.cli.reports import stopped_by_problems
from mock_server.control.environment import variable
from mock_server.domain.access import Caller, Level
from mock_server.domain.choices.choosing import choose
from mock_server.domain.choices.profiles import PROFILES
from mock_server.domain.choices.table import Value, table
from mock_server.domain.faults.definition import Definition
from mock_server.domain.objects.dataset import Dataset
from mock_server.domain.objects.fixture_data import Generation
from mock_server.domain.printable import LogFormat, json_text, one_line, wants_colour
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.fixture.source.files import path_of
from mock_server.wire.parts import HttpParser, UnfitUvicorn, best_parser
from mock_server.wire.server import CannotBind, Server, bind, openable_url_of, url_of

_SHOWN_FAULTS = 5
_WARNINGS = 10
_DEMO_PROFILE = "deployed"
"""The demo's profile: it renames chats by an `updateHistory` without `top`."""


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
    # Before files are read, so that no later change is missed.
    files = [str(path_of(each)) for each in fixtures]
    lines = LineWriter(sys.stderr)
    err = JsonLines(lines.write) if log_format == "json" else lines
    watcher = Watcher(files) if watch else None
    source = click.get_current_context().get_parameter_source("profile")
    if demo and source in (None, ParameterSource.DEFAULT):
        profile = _DEMO_PROFILE
    profile, choices = chosen(profile)
    try:
        app = create_app(
            with_faults(_loaded(fixtures, memory, err), fault),
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
    app.reloader.complete = partial(with_faults, added=fault)
    _run(
        app,
        listener,
        lines,
        err,
        http,
        log_format,
        watcher,
        is_open=admin_token is None,
    )


def chosen(
    profile: str, folder: Path = Path(), place: str = "--profile"
) -> tuple[str, Mapping[str, Value]]:
    """Return the profile and the choices of a name, or of a file. Raises Stop."""
    if profile in PROFILES:
        return profile, {}
    from mock_server.fixture.profile_file import read_profile

    path = folder / profile
    if not path.exists():
        missing = f"{path}: no such file, for {place}"
        raise Stop(one_line(missing), output.BROKEN_FIXTURE)
    with stopped_by_problems():
        found = read_profile(str(path))
    return found.profile, found.choices


def _loaded(
    fixtures: Sequence[str], max_bytes: int, err: LineWriter | JsonLines
) -> Generation:
    load = partial(load_fixture, *fixtures, max_bytes=max_bytes)
    with stopped_by_problems():
        return loaded(fixtures, load, err.write) if fixtures else load()


def _run(
    app: Application,
    listener: socket.socket,
    lines: LineWriter,
    err: LineWriter | JsonLines,
    http: HttpParser | None,
    log_format: LogFormat | None,
    watcher: Watcher | None,
    *,
    is_open: bool,
) -> None:
    out = LineWriter(sys.stdout)
    parser = http or best_parser()
    # Warnings of uvicorn and of the server must not wait for a slow stderr either.
    handler = logging.StreamHandler(err)
    handler.terminator = ""
    logging.getLogger().addHandler(handler)

    following = Following(app, watcher, err.write)

    def announce() -> None:
        url = openable_url_of(listener)
        err.write(banner(app.sandbox, url, parser, admin_open=is_open, demo=app.demo))
        following.start()
        out.write(f"READY {url_of(listener)}")
        threading.Thread(target=load_the_rest, args=(app,), daemon=True).start()

    # __main__ has disabled the collector. It need never scan the data loaded by now:
    # with 60,000 collections that would hold up all requests for 20 ms at a time.
    gc.freeze()
    gc.enable()
    app.loader.on_growth = settle
    try:
        server = Server(
            _logged(app, log_format, lines.write),
            parser,
            on_ready=announce,
            on_stop=following.stop,
            on_hangup=following.hang_up,
            on_wait=lambda count: err.write(_waiting(count)),
            embedded=False,
        )
        server.run([listener])
    except UnfitUvicorn as error:
        raise Stop(str(error), output.USAGE) from None
    out.close()
    lines.close()


def load_the_rest(app: Application) -> None:
    """Import what a start does without, such as the admin API and related routes.

    Otherwise the first request would wait for the import, and fail where there are no
    more descriptors. Large data are prepared for their first change too.
    """
    import difflib  # noqa: F401 - names that are nearly right
    import gzip  # noqa: F401 - pages

    import mock_server.admin.resources.table  # noqa: F401

    len(OPERATIONS)  # looks all of them up
    app.sandbox.state.store.generation.prepare_changes()
    settle()


def settle() -> None:
    """Exclude all present objects from garbage collection.

    Excluded garbage is never freed. So it is collected once before, which takes 1 to 2
    ms after 180,000 collections that came in parts.
    """
    gc.collect()
    gc.freeze()


def _waiting(count: int) -> str:
    noun = "request" if count == 1 else "requests"
    return f"waiting for {count} {noun} to end (Ctrl-C again ends them)"


def _logged(
    app: Application, log_format: LogFormat | None, write: Callable[[str], object]
) -> ASGIApp:
    """Return the application, with a request log if it is asked for or on a terminal.

    If it is asked for, lines and responses have the id of their request.
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
    admin_open: bool,
    demo: str | None = None,
) -> str:
    """Return lines: content, keys, faults, choices, warnings, console, a call to try.

    `url` is an address that can be opened on this machine, `demo` the path of the demo
    if it is served.
    """
    fixture, profile = sandbox.baseline, sandbox.state.profile
    admin = "open to whoever reaches this port" if admin_open else "needs the token"
    lines = (
        f"serving {counted(fixture.contents())} from {', '.join(fixture.files)}, "
        f"profile {profile}, version {sandbox.choices.version}, HTTP by {parser}",
        f"keys: {_keys(sandbox)}",
        *_faults(sandbox),
        *_choices(sandbox),
        *_warnings(sandbox),
        f"console: {url}/__admin/ (the admin API: {admin})",
        *([f"demo: {url}{demo}"] if demo else ()),
        f"try: {_example(sandbox, url)}",
    )
    # Names and keys come from fixtures, which may be other people's files.
    return "\n".join(map(one_line, lines))


def _choices(sandbox: Sandbox) -> Iterator[str]:
    """Yield the choices that differ from the profile's."""
    usual = choose(sandbox.state.profile)
    given = {name: getattr(sandbox.choices, name) for name in table()}
    others = [
        f"{name}={value}"
        for name, value in given.items()
        if value != getattr(usual, name)
    ]
    if others:
        yield f"choices: {', '.join(others)}"


def _warnings(sandbox: Sandbox) -> Iterator[str]:
    """Yield probable mistakes in the fixture, and a port in a wrong variable."""
    generation = sandbox.state.store.generation
    if warning := generation.warning_under(sandbox.choices.version):
        yield f"warning: {warning}"
    found = warnings_of(generation)
    yield from (f"warning: {each}" for each in islice(found, _WARNINGS))
    port = os.environ.get("PORT")
    if port and not os.environ.get(variable("port")):
        how = f"the port is {variable('port')} or --port"
        yield f"warning: PORT={port} has no effect ({how})"


def _keys(sandbox: Sandbox) -> str:
    declared = ", ".join(sandbox.state.store.generation.keys)
    if declared or sandbox.choices.unknown_key == "reject":
        return declared or "none is declared, and none is accepted"
    return "any bearer key is accepted"


def _faults(sandbox: Sandbox) -> list[str]:
    """Return a line with the faults from the start and their ends, if there are any."""
    faults = sandbox.baseline.faults
    texts = [f"f{at} {_fault(each)}" for at, each in enumerate(faults, 1)]
    more = len(texts) - _SHOWN_FAULTS
    if more > 0:
        texts[_SHOWN_FAULTS:] = [f"and {more} more"]
    return [f"faults: {', '.join(texts)}"] if texts else []


def _fault(fault: Definition) -> str:
    """Return a text such as `error of any operation (once, for 60 s at most)`."""
    where = "any operation" if fault.operation == "*" else fault.operation
    ends = [f"for {fault.ttl:g} s at most"]
    if fault.times is not None:
        ends.insert(0, "once" if fault.times == 1 else f"{fault.times:,} times")
    return f"{fault.kind} of {where} ({', '.join(ends)})"


def _example(sandbox: Sandbox, url: str) -> str:
    """Return a curl command: listV2 of a dataset that a key may read, or health.

    A dataset with collections comes first: others may be empty, or a folder.
    """
    generation, list_v2 = sandbox.state.store.generation, OPERATIONS["listV2"]
    full = (each for each in _readable(generation) if len(each[0].tree))
    plain = (each for each in _readable(generation) if each[0].type != "folder")
    dataset, caller = next(full, None) or next(plain, (None, None))
    if dataset is None or caller is None:
        return f"curl {url}/__admin/health"
    body = {"offset": 0, "datasetId": dataset.id, "parentId": None}
    # The line is to be pasted into a shell; keys and ids may hold quotes.
    key = shlex.quote(f"Authorization: Bearer {caller.key}")
    data = shlex.quote(json_text(json.dumps(body, ensure_ascii=False)))
    return (
        f"curl -X {list_v2.method} {url}{list_v2.path} -H {key} "
        f"-H 'Content-Type: application/json' -d {data}"
    )


def _readable(generation: Generation) -> Iterator[tuple[Dataset, Caller]]:
    # Without declared keys any is usually accepted, so this makes one up.
    callers = list(generation.keys.values()) or [Caller("fastgpt-demo")]
    for dataset in generation.datasets.values():
        for caller in callers:
            if dataset.level_of(caller) >= Level.READ:
                yield dataset, caller

"""What `mock-server serve` does: a server in the foreground, a banner on stderr."""

import gc
import json
import logging
import os
import shlex
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module

import click
from click.core import ParameterSource
from starlette.types import ASGIApp

from mock_server import server
from mock_server.api.faults.fault import Fault
from mock_server.api.fixture import load_fixture
from mock_server.api.log_format import LogFormat
from mock_server.api.operations.table import OPERATIONS
from mock_server.app import Application, MissingLibrary, create_app
from mock_server.cli.output import (
    BROKEN_FIXTURE,
    UNREACHABLE,
    USAGE,
    LineHandler,
    LineWriter,
    Stop,
    counted,
)
from mock_server.cli.progress import Loading
from mock_server.cli.reload import Following, Watcher, watcher_of
from mock_server.cli.reports import report_text
from mock_server.cli.starting_faults import with_faults
from mock_server.domain.access import Caller, Level
from mock_server.domain.choices import Value
from mock_server.domain.faults import Definition
from mock_server.domain.generation import Generation
from mock_server.domain.printable import json_text, one_line, wants_colour
from mock_server.domain.profiles import PROFILES
from mock_server.domain.sandbox import Sandbox
from mock_server.fixture.files import located
from mock_server.fixture.problems import FixtureError
from mock_server.server import CannotBind, bind, openable_url_of, url_of
from mock_server.wire.parts import HttpParser, UnfitUvicorn, best_parser

_SHOWN_FAULTS = 5
_DEMO_PROFILE = "deployed"
"""What the demo needs: it lists chats, which the documented operations cannot."""


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
    metrics: bool,
    demo: bool,
) -> None:
    """Serve with the options of the command. Raises Stop."""
    # Before files are read: what changes after that is not missed.
    files = [str(located(each)) for each in fixtures]
    watcher = watcher_of(files) if watch else None
    profile, choices = _chosen(
        _DEMO_PROFILE if demo and not _is_given("profile") else profile
    )
    try:
        app = create_app(
            with_faults(_loaded(fixtures, memory), fault),
            profile=profile,
            choices={**choices, **choice},
            cors_origins=cors_origin,
            admin_token=admin_token,
            allowed_hosts=allowed_host,
            memory=memory,
            demo=demo,
            metrics=metrics,
        )
        listener = bind(host, port, "--port 0")
    except (MissingLibrary, ValueError) as error:
        raise Stop(str(error), USAGE) from None
    except CannotBind as error:
        raise Stop(str(error), UNREACHABLE) from None
    app.reloader.files = files
    app.reloader.complete = partial(with_faults, added=fault)
    _run(app, listener, http, log_format, watcher, is_open=admin_token is None)


def _chosen(profile: str) -> tuple[str, Mapping[str, Value]]:
    """The profile and the choices of a name or a file. Raises Stop."""
    if profile in PROFILES:
        return profile, {}
    found = import_module("mock_server.cli.profile_file").read(profile)
    return found.profile, found.choices


def _is_given(name: str) -> bool:
    """Whether an option of the command, or its variable, has been set."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


def _loaded(fixtures: Sequence[str], max_bytes: int) -> Generation:
    """The fixture of these files, of at most so much memory. Raises Stop."""
    try:
        if not fixtures:
            return load_fixture(max_bytes=max_bytes)
        with Loading(fixtures) as loading:
            generation = load_fixture(*fixtures, max_bytes=max_bytes)
            loading.done(generation)
            return generation
    except FixtureError as error:
        raise Stop(report_text(error.problems), BROKEN_FIXTURE) from None


def _run(
    app: Application,
    listener: socket.socket,
    http: HttpParser | None,
    log_format: LogFormat | None,
    watcher: Watcher | None,
    *,
    is_open: bool,
) -> None:
    """Serve, with a banner and perhaps request lines, until asked to stop."""
    out, err = LineWriter(sys.stdout), LineWriter(sys.stderr)
    parser = http or best_parser()
    # Warnings of uvicorn and of the server must not wait for a slow stderr either.
    logging.getLogger().addHandler(LineHandler(err))

    following = Following(app, watcher, err.write)

    def announce() -> None:
        url = openable_url_of(listener)
        err.write(banner(app.sandbox, url, parser, admin_open=is_open, demo=app.demo))
        following.start()
        out.write(f"READY {url_of(listener)}")

    # __main__ has disabled the collector. It need never look at what is loaded by now:
    # with 60,000 collections that would hold up all requests for 20 ms at a time.
    gc.freeze()
    gc.enable()
    app.loader.on_growth = settle
    try:
        server.serve(
            logged(app, app, log_format, err.write, gives_ids=log_format is not None),
            listener,
            http=parser,
            on_ready=announce,
            on_stop=following.stop,
            on_hangup=following.hang_up,
            on_wait=lambda count: err.write(waiting(count)),
        )
    except UnfitUvicorn as error:
        raise Stop(str(error), USAGE) from None
    out.close()
    err.close()


def settle() -> None:
    """Have the collector of garbage pass over what there is from now on.

    Not over garbage: what it passes over it never frees. So it looks once more, which
    takes 1 to 2 ms after 180,000 collections that came in parts.
    """
    gc.collect()
    gc.freeze()


def waiting(count: int) -> str:
    """What a stop says that does not come at once."""
    noun = "request" if count == 1 else "requests"
    return f"waiting for {count} {noun} to end (Ctrl-C again ends them)"


def logged(
    app: ASGIApp,
    own: Application,
    log_format: LogFormat | None,
    write: Callable[[str], object],
    *,
    gives_ids: bool = False,
) -> ASGIApp:
    """The application, with request lines if they are asked for or on a terminal.

    `own` knows the operations, and what is no business of a log. If the application
    `gives_ids`, lines and answers have the id of their request.
    """
    is_terminal = bool(sys.stderr and sys.stderr.isatty())
    if log_format is None and not is_terminal:
        return app
    lines: ASGIApp = import_module("mock_server.api.request_log").RequestLog(
        app,
        log_format or "text",
        write,
        own.operations,
        own.redact,
        own.redact_message,
        is_coloured=wants_colour(is_terminal, os.environ),
        gives_ids=gives_ids,
    )
    return lines


def banner(
    sandbox: Sandbox,
    url: str,
    parser: HttpParser,
    *,
    admin_open: bool,
    demo: str | None = None,
) -> str:
    """Lines: the content, the keys, faults if any, the console, a call to try.

    `url` is an address that can be opened on this machine, `demo` the path of the demo
    if it is served.
    """
    fixture, profile = sandbox.baseline, sandbox.state.profile
    admin = "open to whoever reaches this port" if admin_open else "needs the token"
    lines = (
        f"serving {counted(fixture.counts())} from {', '.join(fixture.files)}, "
        f"profile {profile}, HTTP by {parser}",
        f"keys: {_keys(sandbox)}",
        *_faults(sandbox),
        f"console: {url}/__admin/ (the admin API: {admin})",
        *([f"demo: {url}{demo}"] if demo else ()),
        f"try: {_example(sandbox, url)}",
    )
    # Names and keys come from fixtures, which may be other people's files.
    return "\n".join(map(one_line, lines))


def _keys(sandbox: Sandbox) -> str:
    declared = ", ".join(sandbox.store.generation.keys)
    if declared or sandbox.choices.unknown_key == "reject":
        return declared or "none is declared, and none is accepted"
    return "any bearer key is accepted"


def _faults(sandbox: Sandbox) -> list[str]:
    """A line that tells the faults from the start, and when they end; or none."""
    faults = sandbox.baseline.faults
    texts = [f"f{at} {_fault(each)}" for at, each in enumerate(faults, 1)]
    more = len(texts) - _SHOWN_FAULTS
    if more > 0:
        texts[_SHOWN_FAULTS:] = [f"and {more} more"]
    return [f"faults: {', '.join(texts)}"] if texts else []


def _fault(fault: Definition) -> str:
    """`error of any operation (once, for 60 s at most)`."""
    where = "any operation" if fault.operation == "*" else fault.operation
    ends = [f"for {fault.ttl:g} s at most"]
    if fault.times is not None:
        ends.insert(0, "once" if fault.times == 1 else f"{fault.times:,} times")
    return f"{fault.kind} of {where} ({', '.join(ends)})"


def _example(sandbox: Sandbox, url: str) -> str:
    """A curl command: listV2 of the first dataset that a key may read, or health."""
    generation = sandbox.store.generation
    # Without declared keys any is accepted, as a rule, so one is made up.
    callers = list(generation.keys.values()) or [Caller("fastgpt-demo")]
    list_v2 = OPERATIONS["listV2"]
    for dataset in generation.datasets.values():
        for caller in callers:
            if dataset.level_of(caller) >= Level.READ:
                body = {"offset": 0, "datasetId": dataset.id, "parentId": None}
                # The line is to be pasted into a shell; keys and ids may hold quotes.
                key = shlex.quote(f"Authorization: Bearer {caller.key}")
                data = shlex.quote(json_text(json.dumps(body, ensure_ascii=False)))
                return (
                    f"curl -X {list_v2.method} {url}{list_v2.path} -H {key} "
                    f"-H 'Content-Type: application/json' -d {data}"
                )
    return f"curl {url}/__admin/health"

"""`mock-server serve`: a server in the foreground, with a banner on stderr."""

import gc
import json
import logging
import shlex
import socket
import sys
from collections.abc import Sequence
from typing import get_args

import click
from starlette.types import ASGIApp

from mock_server import server
from mock_server.api.middleware import LogFormat, RequestLog
from mock_server.api.operations.table import OPERATIONS
from mock_server.app import Application, create_app
from mock_server.cli import settings
from mock_server.cli.output import (
    BROKEN_FIXTURE,
    UNREACHABLE,
    USAGE,
    LineHandler,
    LineWriter,
    Stop,
)
from mock_server.cli.show import report_text
from mock_server.domain.access import Caller, Level
from mock_server.domain.choices import PROFILES
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits
from mock_server.domain.printable import json_text, one_line
from mock_server.domain.sandbox import Sandbox
from mock_server.fixture.load import load_fixture
from mock_server.fixture.problems import FixtureError
from mock_server.server import CannotBind, bind, url_of
from mock_server.wire.protocol import HttpParser


@click.command()
@click.argument(
    "fixtures",
    cls=settings.SettingArgument,
    metavar="[FIXTURE]...",
    nargs=-1,
    type=click.Path(),
    envvar=settings.PREFIX + "FIXTURE",
)
@settings.host_setting("Address to listen on.")
@settings.port_setting("Port to listen on; 0 takes a free one.")
@settings.setting(
    "profile",
    type=click.Choice(PROFILES),
    default="documented",
    help="The spec read strictly, or what the service does today.",
)
@settings.setting(
    "choice",
    multiple=True,
    type=settings.Listed(),
    metavar="NAME=VALUE",
    callback=settings.pairs,
    help="A choice other than the profile's, see `mock-server choices`; repeatable.",
)
@settings.setting(
    "http",
    type=click.Choice(get_args(HttpParser)),
    default="zttp",
    help="HTTP parser: native, or pure Python.",
)
@settings.setting(
    "cors-origin",
    multiple=True,
    type=settings.Listed(),
    metavar="ORIGIN",
    default=("*",),
    help="Origin whose pages may call the operations; repeatable.",
)
@settings.setting(
    "admin-token", metavar="TOKEN", help="Bearer token that the admin routes then need."
)
@settings.setting(
    "allowed-host",
    multiple=True,
    type=settings.Listed(),
    metavar="HOST",
    help="Additional host name that the admin routes answer to; repeatable.",
)
@settings.setting(
    "log-format",
    type=click.Choice(get_args(LogFormat)),
    help="Format of request lines on stderr; by default text on a terminal, else none.",
)
@settings.setting(
    "memory",
    type=settings.Size(),
    metavar="SIZE",
    default="1GiB",
    help="Memory that all data may take, such as 512MiB.",
)
def serve(
    fixtures: Sequence[str],
    host: str,
    port: int,
    profile: str,
    choice: dict[str, str],
    http: HttpParser,
    cors_origin: Sequence[str],
    admin_token: str | None,
    allowed_host: Sequence[str],
    log_format: LogFormat | None,
    memory: int,
) -> None:
    """Serve fixtures, or the shipped demo.

    A FIXTURE is a YAML or JSON file; several are merged.
    """
    limits = Limits()
    fixture = _loaded(fixtures, memory)
    try:
        app = create_app(
            fixture,
            profile=profile,
            choices=choice,
            cors_origins=cors_origin,
            admin_token=admin_token,
            allowed_hosts=allowed_host,
            memory=memory,
            limits=limits,
        )
        listener = bind(host, port)
    except ValueError as error:
        raise Stop(str(error), USAGE) from None
    except CannotBind as error:
        raise Stop(str(error), UNREACHABLE) from None
    _run(app, listener, http, log_format, limits, is_open=admin_token is None)


def _loaded(fixtures: Sequence[str], max_bytes: int) -> Generation:
    """The fixture of these files, of at most so much memory. Raises Stop."""
    try:
        return load_fixture(*fixtures, max_bytes=max_bytes)
    except FixtureError as error:
        raise Stop(report_text(error.problems), BROKEN_FIXTURE) from None


def _run(
    app: Application,
    listener: socket.socket,
    http: HttpParser,
    log_format: LogFormat | None,
    limits: Limits,
    *,
    is_open: bool,
) -> None:
    """Serve, with a banner and perhaps request lines, until asked to stop."""
    url = url_of(listener)
    out = LineWriter(sys.stdout, limits.waiting_lines)
    err = LineWriter(sys.stderr, limits.waiting_lines)
    # Warnings of uvicorn and of the server must not wait for a slow stderr either.
    logging.getLogger().addHandler(LineHandler(err))

    def announce() -> None:
        err.write(banner(app.sandbox, url, admin_open=is_open))
        out.write(f"READY {url}")

    if log_format is None and sys.stderr and sys.stderr.isatty():
        log_format = "text"
    logged: ASGIApp = app
    if log_format is not None:
        logged = RequestLog(app, log_format, err.write, app.operations, app.redact)
    # __main__ has disabled the collector. It need never look at what is loaded by now:
    # with 60,000 collections that would hold up all requests for 20 ms at a time.
    gc.freeze()
    gc.enable()
    server.serve(
        logged,
        listener,
        http=http,
        on_ready=announce,
        on_stop=app.close,
        limits=limits,
    )
    out.close()
    err.close()


def banner(sandbox: Sandbox, url: str, *, admin_open: bool) -> str:
    """Four lines: the content, the keys, who may use the admin API, a call to try."""
    fixture, profile = sandbox.baseline, sandbox.state.profile
    counts = ", ".join(f"{count} {name}" for name, count in fixture.counts().items())
    admin = "open to whoever reaches this port" if admin_open else "needs the token"
    lines = (
        f"serving {counts} from {', '.join(fixture.files)}, profile {profile}",
        f"keys: {_keys(sandbox)}",
        f"admin: {url}/__admin {admin}",
        f"try: {_example(sandbox, url)}",
    )
    # Names and keys come from fixtures, which may be other people's files.
    return "\n".join(map(one_line, lines))


def _keys(sandbox: Sandbox) -> str:
    declared = ", ".join(sandbox.store.generation.keys)
    if declared or sandbox.choices.unknown_key == "reject":
        return declared or "none is declared, and none is accepted"
    return "any bearer key is accepted"


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

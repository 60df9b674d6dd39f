"""`mock-server serve`: the server in the foreground."""

from __future__ import annotations

import gc
import logging
import socket
import sys
from collections.abc import Sequence
from typing import get_args

import click
from starlette.types import ASGIApp

from mock_server import server
from mock_server.app import Application, create_app
from mock_server.cli.banner import banner
from mock_server.cli.exits import UNREACHABLE, USAGE, Stop
from mock_server.cli.fixtures import loaded
from mock_server.cli.output import LineHandler, LineWriter
from mock_server.cli.settings import (
    PREFIX,
    Listed,
    SettingArgument,
    host_setting,
    pairs,
    port_setting,
    setting,
)
from mock_server.cli.sizes import Size
from mock_server.domain.choices import PROFILES
from mock_server.request_log import LogFormat, RequestLog
from mock_server.server import CannotBind, bind, url_of
from mock_server.wire.protocol import HttpParser


@click.command()
@click.argument(
    "fixtures",
    cls=SettingArgument,
    metavar="[FIXTURE]...",
    nargs=-1,
    type=click.Path(),
    envvar=PREFIX + "FIXTURE",
)
@host_setting
@port_setting
@setting(
    "profile",
    type=click.Choice(PROFILES),
    default="documented",
    help="The spec read strictly, or what the service does today.",
)
@setting(
    "choice",
    multiple=True,
    type=Listed(),
    metavar="NAME=VALUE",
    callback=pairs,
    help="One choice other than the profile's, see `mock-server choices`; repeatable.",
)
@setting(
    "http",
    type=click.Choice(get_args(HttpParser)),
    default="zttp",
    help="HTTP parser: native, or pure Python.",
)
@setting(
    "cors-origin",
    multiple=True,
    type=Listed(),
    metavar="ORIGIN",
    default=("*",),
    help="Origin whose pages may call the operations; repeatable.",
)
@setting(
    "admin-token", metavar="TOKEN", help="Bearer token that the admin routes then need."
)
@setting(
    "allowed-host",
    multiple=True,
    type=Listed(),
    metavar="HOST",
    help="Additional host name that the admin routes answer to; repeatable.",
)
@setting(
    "log-format",
    type=click.Choice(get_args(LogFormat)),
    help="Request lines on stderr; on a terminal they are text anyway.",
)
@setting(
    "memory",
    type=Size(),
    metavar="SIZE",
    default="1GiB",
    help="What all data may take of memory, such as 512MiB.",
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
    """Serve FIXTURE files (YAML or JSON, merged), or the shipped demo."""
    fixture = loaded(fixtures, memory)
    try:
        app = create_app(
            fixture,
            profile=profile,
            choices=choice,
            cors_origins=cors_origin,
            admin_token=admin_token,
            allowed_hosts=allowed_host,
            memory=memory,
        )
        listener = bind(host, port)
    except ValueError as error:
        raise Stop(str(error), USAGE) from None
    except CannotBind as error:
        raise Stop(str(error), UNREACHABLE) from None
    _run(app, listener, http, log_format, is_open=admin_token is None)


def _run(
    app: Application,
    listener: socket.socket,
    http: HttpParser,
    log_format: LogFormat | None,
    *,
    is_open: bool,
) -> None:
    """Serve, with a banner and perhaps a log, until the process is asked to stop."""
    url = url_of(listener)
    out, err = LineWriter(sys.stdout), LineWriter(sys.stderr)
    logging.getLogger().addHandler(LineHandler(err))

    def announce() -> None:
        err.write(banner(app.sandbox, url, admin_open=is_open))
        out.write(f"READY {url}")

    if log_format is None and sys.stderr and sys.stderr.isatty():
        log_format = "text"
    logged: ASGIApp = app
    if log_format is not None:
        logged = RequestLog(app, log_format, err.write, app.redact)
    gc.freeze()  # a collection need never look at what is loaded
    gc.enable()
    server.serve(logged, listener, http=http, on_ready=announce, on_stop=app.close)
    out.close()
    err.close()

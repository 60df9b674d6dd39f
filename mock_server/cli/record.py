"""`mock-server record`: a proxy in front of a real service, and a fixture of it."""

import gc
import logging
import os
import socket
import sys
from collections.abc import Mapping
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any, get_args

import click
import msgspec

from mock_server import server
from mock_server.api.log_format import LogFormat
from mock_server.cli import settings
from mock_server.cli.output import (
    UNREACHABLE,
    USAGE,
    LineHandler,
    LineWriter,
    Stop,
    counted,
    tell,
)
from mock_server.cli.serving import logged, waiting
from mock_server.cli.whole_file import check_writable, whole_file
from mock_server.domain.limits import Limits
from mock_server.domain.printable import lines, one_line
from mock_server.fixture.dump import document_as_yaml
from mock_server.http_call import Address, Budget, Unreachable, reach
from mock_server.server import CannotBind, bind, openable_url_of, url_of

if TYPE_CHECKING:
    from mock_server.recording.application import Recording
    from mock_server.recording.record import Record

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


@click.command()
@settings.option(
    "--target", required=True, metavar="URL", help="Address of the real service."
)
@settings.option(
    "--save",
    metavar="FILE",
    help="File for a fixture of what is seen, JSON if its name ends so, else YAML.",
)
@settings.host_setting("Address to listen on.")
@settings.port_setting("Port to listen on; 0 takes a free one.")
@settings.setting(
    "admin-token", metavar="TOKEN", help="Bearer token that the admin routes then need."
)
@settings.setting(
    "log-format",
    type=click.Choice(get_args(LogFormat)),
    help="Format of request lines on stderr; by default text on a terminal, else none.",
)
def record(
    target: str,
    save: str | None,
    host: str,
    port: int,
    admin_token: str | None,
    log_format: LogFormat | None,
) -> None:
    """Pass requests on to a real service, and journal or save what passes.

    Point a client to this server instead of the service. It needs the extra `record`.
    """
    try:
        address = Address.of(target)
    except ValueError as error:
        raise Stop(f"{error} - at --target", USAGE) from None
    if save is not None:
        check_writable(save)
    recording = _recording(address, save is not None, admin_token)
    try:
        listener = bind(host, port, "--port 0")
    except CannotBind as error:
        raise Stop(str(error), UNREACHABLE) from None
    _check_not_itself(address, listener)
    _run(recording, address, listener, log_format, save, is_open=admin_token is None)
    if recording.record is not None and save is not None:
        tell(_saved(recording.record, save))


def _recording(address: Address, is_kept: bool, token: str | None) -> "Recording":
    """The application. Raises Stop, without the library that it needs too."""
    try:
        # The help of this command, and of all, does without it.
        module: Any = import_module("mock_server.recording.application")
    except ImportError as error:
        needed = "pip install 'fastgpt-mock-server[record]'"
        message = f"record needs the library {error.name}: {needed}"
        raise Stop(message, USAGE) from None
    try:
        recording: Recording = module.Recording(
            address, is_kept=is_kept, admin_token=token
        )
    except ValueError as error:
        raise Stop(str(error), USAGE) from None
    return recording


def _check_not_itself(address: Address, listener: socket.socket) -> None:
    """Raises Stop if what is passed on would come back, again and again."""
    host, port = listener.getsockname()[:2]
    if address.port == port and address.host in {host, *_LOOPBACK}:
        message = f"Expected another server, got {url_of(listener)} itself"
        listener.close()
        raise Stop(f"{message} - at --target", USAGE)


def _run(
    recording: "Recording",
    address: Address,
    listener: socket.socket,
    log_format: LogFormat | None,
    save: str | None,
    *,
    is_open: bool,
) -> None:
    """Pass on, with a banner and perhaps request lines, until asked to stop."""
    out, err = LineWriter(sys.stdout), LineWriter(sys.stderr)
    logging.getLogger().addHandler(LineHandler(err))

    def announce() -> None:
        url = openable_url_of(listener)
        err.write(_banner(recording.target.url, url, save, admin_open=is_open))
        Thread(target=_check, args=(address, err), daemon=True).start()
        out.write(f"READY {url_of(listener)}")

    gc.enable()  # __main__ has disabled the collector
    server.serve(
        logged(recording, recording.own, log_format, err.write),
        listener,
        on_ready=announce,
        on_stop=recording.close,
        on_hangup=lambda: err.write(_saved_now(recording.record, save)),
        on_wait=lambda count: err.write(waiting(count)),
        is_dated=False,
        limits=recording.served_limits,
    )
    out.close()
    err.close()


def _banner(target: str, url: str, save: str | None, *, admin_open: bool) -> str:
    """Lines: what is passed on where, what is kept, the console.

    `url` is an address that can be opened on this machine.
    """
    saved = "nothing is saved: --save FILE would make a fixture of what is seen"
    if save is not None:
        saved = f"what is seen is saved to {save} at the end, and at SIGHUP"
        saved += ", in place of what is there" if os.path.isfile(save) else ""
    admin = "open to whoever reaches this port" if admin_open else "needs the token"
    told = (
        f"passing on to {target}: give clients {url} as their address",
        saved,
        f"console: {url}/__admin/ (the admin API: {admin})",
    )
    return "\n".join(map(one_line, told))


def _check(address: Address, err: LineWriter) -> None:
    """Warn if the target cannot be reached; it may be started later."""
    try:
        reach(address, Budget(Limits.target_connect_seconds, 0))
    except Unreachable as error:
        where = f"{address.host}:{address.port}"
        warning = f"warning: cannot reach {where}: {error}; requests get 502 until then"
        err.write(one_line(warning))


def _saved_now(record: "Record | None", save: str | None) -> str:
    """What SIGHUP has come to."""
    if record is None or save is None:
        return "SIGHUP: no --save FILE was named, so there is nothing to save"
    try:
        return lines(_saved(record, save))
    except Stop as stop:
        return lines(stop.message)


def _saved(record: "Record", save: str) -> str:
    """Write the fixture; what was written, and what is incomplete. Raises Stop.

    Where nothing was seen, the file of an earlier run stays.
    """
    document = record.document()
    if not any(_counts(document).values()) and os.path.isfile(save):
        return one_line(f"nothing was seen to save: {save} stays as it was")
    if save.lower().endswith(".json"):
        content = msgspec.json.format(msgspec.json.encode(document)) + b"\n"
    else:
        content = document_as_yaml(document).encode()
    with whole_file(save) as file:
        file.write(content)
    told = [f"saved {counted(_counts(document))} to {save}"]
    told += [f"incomplete: {each}" for each in record.missing]
    return "\n".join(map(one_line, told))


def _counts(document: Mapping[str, Any]) -> dict[str, int]:
    """How many datasets, collections and chats a document holds."""
    datasets, apps = document.get("datasets", ()), document.get("apps", ())
    return {
        "datasets": len(datasets),
        "collections": sum(len(each.get("collections", ())) for each in datasets),
        "chats": sum(len(each.get("chats", ())) for each in apps),
    }

"""The commands that serve, and wait for a server."""

import errno
import logging
import os
import re
import sys
from asyncio import to_thread
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from select import select
from socket import socket
from time import monotonic, sleep
from typing import Any

import click
from click.core import ParameterSource

from mock_server.admin.sandbox_state import Health
from mock_server.admin.sandboxes import owner_key
from mock_server.application import create_app
from mock_server.choices import choice_table
from mock_server.cli.common import (
    FIXTURE,
    PORT,
    PREFIX,
    VARIABLES,
    Command,
    Exit,
    check_address,
    check_once,
    fail,
    option,
    print_to_stderr,
)
from mock_server.cli.offline import load_or_fail
from mock_server.fixture.load import load_fixture
from mock_server.fixture.source import FixtureError
from mock_server.http.server import listening_socket, serve, url_at, url_of
from mock_server.releases.fastgpt import PROFILES
from mock_server.sandbox import Baseline, Sandboxes
from mock_server.text.redaction import redact_query

REPLACED_BY_URL = ("host", "port", "process")
"""The options of `wait` in whose place an URL stands."""


def check_each(expected: str, pattern: str) -> Callable[..., tuple[str, ...]]:
    """A callback that refuses an option's texts unless each is as expected: of this pattern."""

    def check(
        context: click.Context, param: click.Parameter, texts: tuple[str, ...]
    ) -> tuple[str, ...]:
        for text in texts:
            if not re.fullmatch(pattern, text):
                fail(f"Expected {expected}, got {text!r} - at {param.get_error_hint(context)}")
        return texts

    return check


def check_host(context: click.Context, param: click.Parameter, host: str) -> str:
    """The name or address of a host. One with a scheme or a path is refused."""
    if "/" in host:
        place = param.get_error_hint(context)
        fail(f"Expected a host such as 127.0.0.1, got {host!r} - at {place}")
    return host


@click.command("serve", cls=Command, context_settings=VARIABLES)
@click.argument("fixture", nargs=-1, envvar=FIXTURE, type=click.Path())
@option(
    "--host",
    default="127.0.0.1",
    callback=check_host,
    help="Address to listen on; 0.0.0.0 lets other machines in.",
)
@option("--port", type=PORT, default=8000, help="Port to listen on; 0 takes a free one.")
@option(
    "--profile",
    metavar="NAME|FILE",
    default="documented",
    help="What it does where the spec is silent. "
    + "".join(f"{name}: {it.sentence}; " for name, it in PROFILES.items())
    + "or a file that `verify` has written.",
)
@option(
    "--choice",
    metavar="NAME=VALUE",
    multiple=True,
    callback=check_each("NAME=VALUE", "(?s)[^=]*=.*"),
    help="A choice that differs from the profile, such as page_size_max=100. docs/choices.md lists "
    "all, GET /__admin/choices those in force. May be repeated.",
)
@option(
    "--admin-token",
    # click takes an empty variable for none: then the admin API would be open.
    default=lambda: os.environ.get(f"{PREFIX}ADMIN_TOKEN"),
    show_default=False,
    help="Token that the admin API asks for (Authorization: Bearer TOKEN). Without it, everybody "
    "who reaches the port may use it.",
)
@option(
    "--allowed-host",
    multiple=True,
    help="A host name with a dot by which the admin API may be reached. May be repeated.",
)
@option(
    "--cors-origin",
    multiple=True,
    callback=check_each(
        "an origin with scheme and without path, such as http://localhost:3000",
        r"\*|null|[a-z][a-z0-9+.-]*://[^/?#\s]+",
    ),
    show_default="every origin",
    help="An origin whose pages may call the service, http://localhost:3000. May be repeated.",
)
@option("--demo", is_flag=True, help="Also serve a front end at /demo/, which calls the service.")
@option("--watch", is_flag=True, help="Load the fixture files again whenever they change.")
@option("--log", is_flag=True, help="Print a line for each request, even if stderr is no terminal.")
def serve_command(
    fixture: tuple[str, ...],
    host: str,
    port: int,
    profile: str,
    choice: tuple[str, ...],
    admin_token: str | None,
    allowed_host: tuple[str, ...],
    cors_origin: tuple[str, ...],
    demo: bool,
    watch: bool,
    log: bool,
) -> None:
    """Serve fixtures, or the shipped demo.

    A FIXTURE is a YAML or JSON file, or one of demo, empty, paging, permissions; several
    are merged.
    """
    refuse_choices_and_commands(fixture)
    loaded = load_or_fail(fixture)
    try:
        application = create_app(
            loaded,
            profile=profile,
            choices=named_values(choice),
            cors_origins=cors_origin or ("*",),
            admin_token=admin_token,
            allowed_hosts=allowed_host,
            demo=demo,
        )
    except FixtureError as error:
        fail(str(error), Exit.BROKEN_FIXTURE)
    except ValueError as error:
        fail(str(error))
    listener = listener_at(host, port)
    print_to_stderr(banner(loaded, profile, url_of(listener), is_open=admin_token is None))
    if demo:
        print_to_stderr(f"demo: {url_of(listener)}/demo/")
    reload = None
    if watch:
        reload = Watch(fixture, application.state.sandboxes).reload_if_changed
    set_up_logs()
    # Without a stderr there is none.
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    serve(application, listener, access_log=log or is_terminal, every_second=reload)


def named_values(choices: tuple[str, ...]) -> dict[str, str]:
    """The values of choices by name. One that is named twice is refused."""
    pairs = [it.split("=", 1) for it in choices]
    check_once("choice", [name for name, _ in pairs])
    return dict(pairs)


def refuse_choices_and_commands(fixture: tuple[str, ...]) -> None:
    """Refuse a choice, or a command, in place of a fixture."""
    root: Any = click.get_current_context().find_root().command
    for name in fixture:
        if Path(name).exists():
            continue
        if name.partition("=")[0] in choice_table():
            fail(f"Expected a fixture, got {name!r} (did you mean '--choice {name}'?)")
        if name in root.commands:
            fail(f"Expected a fixture, got {name!r} (a command comes first: mock-server {name})")


def listener_at(host: str, port: int) -> socket:
    """A socket that listens."""
    try:
        return listening_socket(host, port)
    except (OSError, UnicodeError) as error:
        # The system says why it does not listen; an encoding, why a name is no host.
        reason = str(getattr(error, "strerror", error)).partition(" (while")[0]
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            reason += " (--port 0 takes a free port)"
        fail(f"cannot listen on {host}:{port}: {reason}", Exit.UNREACHABLE)


class Watch:
    """Loads the files of the default sandbox's fixture again when they have changed."""

    def __init__(self, files: tuple[str, ...], sandboxes: Sandboxes) -> None:
        self._files = files
        self._sandboxes = sandboxes
        self._versions = [*map(file_version, files)]

    async def reload_if_changed(self) -> None:
        """Load the files if one has changed; a broken fixture replaces nothing."""
        # To read a FIFO may take for ever, and would keep the server from its stop.
        if any(Path(it).is_fifo() for it in self._files):
            return
        versions = await to_thread(list, map(file_version, self._files))
        if versions == self._versions:
            return
        self._versions = versions
        try:
            fixture = await to_thread(load_fixture, *self._files)
        except FixtureError as error:
            logging.info("%s\nthe last good fixture stays", error)
            return
        self._sandboxes.set_fixture(self._sandboxes.default, fixture)
        for warning in fixture.warnings:
            logging.info("warning: %s", warning)
        logging.info("loaded again: %s", fixture.summary)


def file_version(path: str) -> bytes:
    """A hash of the content of a file; empty while it is none, or cannot be read."""
    file = Path(path)
    with suppress(OSError):
        if file.is_file():
            return sha256(file.read_bytes()).digest()
    return b""


def set_up_logs() -> None:
    """Log requests without their secrets; of all else log only errors."""
    logging.basicConfig(format="%(message)s", level=logging.INFO)
    logging.root.handlers[0].addFilter(stderr_has_room)
    for name in ("uvicorn.error", "python_multipart"):
        logging.getLogger(name).setLevel(logging.ERROR)
    logging.getLogger("uvicorn.access").addFilter(hide_secrets)


def stderr_has_room(_: logging.LogRecord) -> bool:
    """A log filter that drops what a full pipe would block: maybe nobody reads stderr."""
    # Windows cannot tell.
    return sys.stderr is None or os.name == "nt" or bool(select([], [sys.stderr], [], 0)[1])


def hide_secrets(record: logging.LogRecord) -> bool:
    """A log filter that hides the secrets of a query in uvicorn's access log."""
    if isinstance(record.args, tuple):
        client, method, target, *rest = record.args
        path, mark, query = str(target).partition("?")
        # A pipe that has room takes 4 KiB.
        record.args = (client, method, (path + mark + redact_query(query))[:4000], *rest)
    return True


def banner(fixture: Baseline, profile: str, url: str, *, is_open: bool) -> str:
    """The lines that `serve` prints first: fixture, profile, keys, address, and an example."""
    store = fixture.store
    keys = ", ".join(store.keys) or "any key is accepted"
    warning = " (open to all: set --admin-token)" if is_open else ""
    # The example is a call that works.
    example = f"curl {url}/__admin/health"
    if store.datasets:
        key = owner_key(store) or next(iter(store.keys))
        body = f'{{"offset": 0, "datasetId": "{next(iter(store.datasets))}"}}'
        example = (
            f"curl {url}/api/core/dataset/collection/listV2 -H 'Authorization: Bearer {key}' \\\n"
            f"  -H 'Content-Type: application/json' -d '{body}'"
        )
    return f"""mock-server: {fixture.summary} ({", ".join(fixture.files)})
profile: {profile}
API keys: {keys}
console and admin API: {url}/__admin/{warning}
try it: {example}"""


def address_of_process(process: int, host: str, port: int) -> tuple[str, int]:
    """Host and port of the command of a server; those given if it has none, or cannot be read.

    Raises click.BadParameter for a port that is no number.
    """
    try:
        command = Path(f"/proc/{process}/cmdline").read_text("utf-8", "replace")
    except OSError:
        return host, port
    # The words of a command end with NUL; an option and its value are two words, or one with `=`.
    options = dict(re.findall(r"\0--(host|port)[=\0]([^\0]+)", command))
    port = PORT.convert(options.get("port", port), None, None)
    return options.get("host", host), port


def refuse_two_addresses(context: click.Context) -> None:
    """Refuse what is typed beside an option that stands in its place."""
    source = context.get_parameter_source
    typed = [it for it in REPLACED_BY_URL if source(it) is ParameterSource.COMMANDLINE]
    if typed and source("url") is ParameterSource.COMMANDLINE:
        fail(f"Expected one address, got --url and --{typed[0]}")


@click.command("wait", cls=Command, context_settings=VARIABLES)
@option("--url", callback=check_address, help="Address of the server, in place of host and port.")
@option("--host", default="127.0.0.1", callback=check_host, help="Host of the server.")
@option("--port", type=PORT, default=8000, help="Port of the server.")
@option("--timeout", default=30.0, type=click.FloatRange(0), help="Seconds to wait.")
@option("--process", type=int, help="Id of the process of a server, in place of host and port.")
def wait_command(
    url: str | None, host: str, port: int, timeout: float, process: int | None
) -> None:
    """Wait until a mock server is ready."""
    refuse_two_addresses(click.get_current_context())
    import httpx2

    from mock_server.control.admin_client import (
        client_at,
        connection_error_in_words,
        json_fields,
        other_server_in_words,
    )

    if process is not None:
        host, port = address_of_process(process, host, port)
    url = url or url_at(host, port)
    deadline = monotonic() + timeout
    with client_at(url) as client:
        while True:
            try:
                # The guard of the admin API accepts this host, whatever name the URL has.
                response = client.get("/__admin/health", headers={"Host": "localhost"}, timeout=2)
                # Other servers may answer any path with 200.
                if json_fields(response).keys() >= {*Health.__struct_fields__}:
                    break
                problem = other_server_in_words(url, response)
            except (httpx2.HTTPError, UnicodeError) as error:
                problem = (
                    f"no server at {url} ({connection_error_in_words(error, client.base_url)})"
                )
            # A deadline that is not a number is over.
            if not monotonic() <= deadline:
                fail(f"not ready after {timeout:g} s: {problem}", Exit.TIMED_OUT)
            sleep(0.1)
    click.echo("ready")

"""The command line: `mock-server [serve]`, `check`, `choices`, `healthcheck`.

Exit codes: 0 asked stop, 1 usage or a check that is false, 2 fixture broken or
missing, 3 cannot bind or reach.
"""

from __future__ import annotations

import contextlib
import http.client
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click
import msgspec

from mock_server import __version__
from mock_server.api.request_log import LogFormat, RequestLog
from mock_server.app import create_app
from mock_server.banner import banner
from mock_server.domain.choices import PROFILES, UnknownChoice, table
from mock_server.fixture.load import Fixture, load_fixture
from mock_server.fixture.problems import FixtureError
from mock_server.server import CannotBind, HttpParser, bind, serve, url_of

USAGE, BROKEN_FIXTURE, UNREACHABLE = 1, 2, 3
PREFIX = "MOCK_SERVER_"
Command = TypeVar("Command", bound=Callable[..., Any])


class Stop(click.ClickException):
    """Ends the command with a message, which says all there is, and an exit code."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    def show(self, file: Any = None) -> None:
        """Print the message as it is."""
        click.echo(self.message, file=file, err=True)


class ServeByDefault(click.Group):
    """A group whose command is `serve` when none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `serve` in front of arguments that name no command."""
        own = {*self.commands, *ctx.help_option_names, "--version"}
        named = bool(args) and args[0] in own
        return super().parse_args(ctx, args if named else ["serve", *args])


class Listed(click.types.StringParamType):
    """A text; where a variable gives several, commas part them."""

    envvar_list_splitter = ","

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """The text without the space that may follow a comma."""
        return super().convert(value, param, ctx).strip()


def pairs(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, str]:
    """The names and values of `NAME=VALUE` texts."""
    named = [value.partition("=") for value in values]
    for name, equals, _ in named:
        if not equals:
            raise click.BadParameter(f"Expected NAME=VALUE, got {name!r}", ctx, param)
    return {name: value for name, _, value in named}


def setting(name: str, **attributes: Any) -> Callable[[Command], Command]:
    """An option that the variable MOCK_SERVER_<NAME> gives too."""
    variable = PREFIX + name.upper().replace("-", "_")
    attributes = {"show_default": True, "show_envvar": True} | attributes
    return click.option(f"--{name}", envvar=variable, **attributes)


fixtures_argument = click.argument(
    "fixtures",
    metavar="[FIXTURE]...",
    nargs=-1,
    type=click.Path(),
    envvar="MOCK_SERVER_FIXTURE",
)
host_setting = setting("host", default="127.0.0.1", help="Address to listen on.")
port_setting = setting(
    "port",
    default=8000,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one.",
)


@click.group(
    cls=ServeByDefault, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="mock-server")
def cli() -> None:
    """A stateful mock server for FastGPT's chat pin and dataset collection list.

    Without a command it serves.
    """


@cli.command("serve")
@fixtures_argument
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
    type=click.Choice(["zttp", "h11"]),
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
    help="Further host name that the admin routes answer to; repeatable.",
)
@setting(
    "log-format",
    type=click.Choice(["text", "json"]),
    help="Request lines on stderr; on a terminal they are text anyway.",
)
def serve_command(
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
) -> None:
    """Serve FIXTURE files (YAML or JSON, merged), or the shipped demo."""
    fixture = loaded(fixtures)
    try:
        app = create_app(
            fixture,
            profile=profile,
            choices=choice,
            cors_origins=cors_origin,
            admin_token=admin_token,
            allowed_hosts=allowed_host,
        )
        listener = bind(host, port)
    except UnknownChoice as error:
        raise Stop(str(error), USAGE) from None
    except CannotBind as error:
        raise Stop(str(error), UNREACHABLE) from None
    url = url_of(listener)

    def announce() -> None:
        tell(banner(fixture, url, profile, admin_open=admin_token is None))
        click.echo(f"READY {url}")

    if log_format is None and sys.stderr.isatty():
        log_format = "text"
    logged = RequestLog(app, log_format, tell) if log_format else app
    serve(logged, listener, http=http, on_ready=announce)


@cli.command()
@click.argument("fixtures", nargs=-1, required=True, type=click.Path())
def check(fixtures: Sequence[str]) -> None:
    """Say whether FIXTURE files load together; exit 2 and say why if not."""
    counts = loaded(fixtures).counts()
    click.echo(
        "ok: " + ", ".join(f"{number} {name}" for name, number in counts.items())
    )


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def choices(as_json: bool) -> None:
    """Show what the spec leaves open and what each profile makes of it."""
    if as_json:
        rows = msgspec.json.format(msgspec.json.encode(list(table().values())))
        click.echo(rows.decode())
        return
    for row in table().values():
        click.echo(f"{row.name} = {row.values_text()}   (spec {row.section})")
        click.echo(f"    {row.sentence}")
        click.echo(f"    documented: {row.documented}   deployed: {row.deployed}")


@cli.command()
@host_setting
@port_setting
def healthcheck(host: str, port: int) -> None:
    """Ask the server on this machine whether it is ready; exit 3 if it is not."""
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    connection = http.client.HTTPConnection(target, port, timeout=2)
    try:
        connection.request("GET", "/__admin/health", headers={"Host": "localhost"})
        status = connection.getresponse().status
    except OSError as error:
        raise Stop(f"cannot reach {target}:{port}: {error}", UNREACHABLE) from None
    finally:
        connection.close()
    if status != 200:
        raise Stop(f"{target}:{port} answered {status}", UNREACHABLE)
    click.echo("ready")


def loaded(fixtures: Sequence[str]) -> Fixture:
    """The fixture of these files. Raises Stop."""
    try:
        return load_fixture(*fixtures)
    except FixtureError as error:
        raise Stop(str(error), BROKEN_FIXTURE) from None


def tell(line: str) -> None:
    """Write to stderr; a stderr that is gone is no reason to stop serving."""
    with contextlib.suppress(OSError, ValueError):
        click.echo(line, err=True)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command and exit; click's own errors are usage errors."""
    try:
        status = cli.main(args, prog_name="mock-server", standalone_mode=False)
    except Stop as stop:
        stop.show()
        sys.exit(stop.status)
    except click.ClickException as error:
        error.show()
        sys.exit(USAGE)
    except click.Abort:
        sys.exit(USAGE)
    sys.exit(status)

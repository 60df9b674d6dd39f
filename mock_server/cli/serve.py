"""`mock-server serve`: its options. What it does is in `serving`.

That is imported when it is run: to tell the options, as `mock-server serve --help`
does, would take five times as long.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, get_args

import click

from mock_server.api.log_format import LogFormat
from mock_server.cli import settings
from mock_server.cli.profile import ProfileName
from mock_server.cli.settings import later
from mock_server.environment import variable
from mock_server.wire.deferred import defer
from mock_server.wire.parts import HttpParser


def _faults(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> Any:
    """Called by click; as `values.faults`, which knows all kinds of them."""
    return later("values", "faults")(ctx, param, values) if values else ()


@click.command()
@click.argument(
    "fixtures",
    cls=settings.SettingArgument,
    metavar="[FIXTURE]...",
    nargs=-1,
    type=click.Path(),
    envvar=variable("fixture"),
    shell_complete=later("complete", "fixtures"),
)
@settings.strict_setting()
@settings.host_setting("Address to listen on.")
@settings.port_setting("Port to listen on; 0 takes a free one.")
@settings.setting(
    "profile",
    type=ProfileName(),
    default="documented",
    shell_complete=later("complete", "profiles"),
    help="The spec read strictly, what the service does today, or what `verify` saw.",
)
@settings.setting(
    "choice",
    multiple=True,
    type=settings.Listed(),
    metavar="NAME=VALUE",
    callback=later("pairs", "pairs"),
    shell_complete=later("complete", "assignments"),
    help="A choice other than the profile's, see `mock-server choices`; repeatable.",
)
@settings.setting(
    "fault",
    multiple=True,
    type=settings.FaultText(),
    metavar="KIND[:FIELD=VALUE,...]",
    callback=_faults,
    shell_complete=later("complete", "fault_texts"),
    help="A fault, or a preset, that is in force from the start; repeatable.",
)
@settings.setting(
    "http",
    type=click.Choice(get_args(HttpParser)),
    help="HTTP parser: native (the default where it is installed), or pure Python.",
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
@settings.flag("watch", help="Load the fixture files again when they change.")
@settings.flag("metrics", help="Tell metrics for Prometheus at /__admin/metrics.")
@settings.flag(
    "demo", help="Serve a demo front end at /demo/, and by default profile deployed."
)
def serve(**options: Any) -> None:
    """Serve fixtures, or the shipped demo.

    A FIXTURE is a YAML or JSON file; several are merged.
    """
    # In this process only: in others, such as a test run, uvicorn is not ours alone.
    defer()
    import_module("mock_server.cli.serving").serve(**options)

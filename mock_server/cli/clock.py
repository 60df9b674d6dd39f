"""`mock-server clock`: the time that a running server goes by."""

import math
import re
from typing import Any

import click
import msgspec

from mock_server.cli.group import Group
from mock_server.cli.remote import remote_command, show
from mock_server.client import AdminClient
from mock_server.views import View

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_DURATION = re.compile("([0-9]{1,9})([smhd])", re.ASCII)


class ClockView(View):
    """The time of a server, and whether it is frozen."""

    now: str
    frozen: bool


class Duration(click.types.StringParamType):
    """Seconds as a number, or a whole number with a unit: `30s`, `15m`, `2h`, `1d`."""

    name = "duration"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Any:
        """The seconds."""
        text = str(value)
        if found := _DURATION.fullmatch(text):
            return int(found[1]) * _SECONDS[found[2]]
        try:
            seconds = float(text) if text.isascii() else math.nan
        except ValueError:
            seconds = math.nan
        if not (math.isfinite(seconds) and seconds >= 0):
            expected = "seconds, or a time like 30s, 15m, 2h or 1d"
            self.fail(f"Expected {expected}, got {text!r}", param, ctx)
        return seconds


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
def clock() -> None:
    """Show, freeze, run and advance the clock of a running server."""


@clock.command("show")
@remote_command
def show_clock(client: AdminClient) -> None:
    """Print the time, and whether it is frozen."""
    show(client.ask(ClockView, "GET", "/clock"))


@clock.command()
@click.argument("time", required=False)
@remote_command
def freeze(client: AdminClient, time: str | None) -> None:
    """Freeze the clock, at a TIME such as 2026-01-31T12:00:00Z or at its own."""
    _put(client, frozen=True, **({} if time is None else {"now": time}))


@clock.command()
@remote_command
def run(client: AdminClient) -> None:
    """Let a frozen clock go on."""
    _put(client, frozen=False)


@clock.command()
@click.argument("duration", type=Duration())
@remote_command
def advance(client: AdminClient, duration: float) -> None:
    """Move the clock forward, by seconds or a DURATION such as 15m, 2h or 1d.

    Frozen or not, it stays so.
    """
    content = msgspec.json.encode({"seconds": duration})
    show(client.ask(ClockView, "POST", "/clock/advance", content))


def _put(client: AdminClient, **fields: object) -> None:
    show(client.ask(ClockView, "PUT", "/clock", msgspec.json.encode(fields)))

"""Defines the common options and errors of commands for a running server."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource

from mock_server.api.errors import BadFixture
from mock_server.cli import output
from mock_server.cli.options import ParsedText, header_text, setting, timeout_setting
from mock_server.cli.output import BadValue
from mock_server.control.client import TIMEOUT_SECONDS, AdminClient, Refused, Response
from mock_server.control.environment import variable
from mock_server.control.http_call import Unreachable
from mock_server.domain.printable import json_text

_START = """running there? start it with `mock-server serve`, or name its address with \
--url or MOCK_SERVER_URL"""


def remote_command(
    command: Callable[..., None], sandbox: str = "Sandbox other than the default."
) -> Callable[..., None]:
    """Add the options of an AdminClient, which becomes the command's first argument."""

    @setting("url", default="http://127.0.0.1:8000", help="Address of the server.")
    @setting("sandbox", metavar="NAME", type=ParsedText(header_text), help=sandbox)
    @setting(
        "admin-token",
        metavar="TOKEN",
        type=ParsedText(header_text),
        help="Bearer token of the admin routes.",
    )
    @timeout_setting(TIMEOUT_SECONDS)
    # click takes the name and the help of a command from its function.
    @wraps(command)
    def wrapped(
        url: str,
        sandbox: str | None,
        admin_token: str | None,
        timeout: float,
        **options: Any,
    ) -> None:
        try:
            client = AdminClient(url, sandbox, admin_token, timeout, output.log)
        except ValueError as error:
            source = click.get_current_context().get_parameter_source("url")
            is_variable = source == ParameterSource.ENVIRONMENT
            place = variable("url") if is_variable else "--url"
            raise BadValue(f"{error} - at {place}") from None
        try:
            command(client, **options)
        except Unreachable as error:
            message = str(error).replace("running there?", _START)
            raise output.Stop(message, output.UNREACHABLE) from None
        except Refused as error:
            raise output.Stop(str(error), _status(error)) from None

    return wrapped


def _status(error: Refused) -> int:
    if error.status >= 500:
        # The server has a problem, and the command may be correct.
        return output.UNREACHABLE
    is_broken = error.status_text == BadFixture.row.plain.status_text
    return output.BROKEN_FIXTURE if is_broken else output.USAGE


def show(response: Response[Any]) -> None:
    """Print the JSON of a response, with control characters escaped."""
    output.write(json_text(response.text).rstrip("\n"))

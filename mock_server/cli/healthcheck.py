"""Defines `mock-server healthcheck`, for containers and scripts."""

import json

import click

from mock_server.cli.options import host_setting, port_setting, timeout_setting
from mock_server.cli.output import UNREACHABLE, Stop, echo
from mock_server.control import http_call
from mock_server.control.http_call import Address, Budget, RawResponse, Request
from mock_server.domain.printable import one_line

_MAX_BYTES = 1024 * 1024
# The admin routes accept only known hosts. These always include localhost, but not
# every address that the server may listen on.
_REQUEST = Request("GET", "/__admin/health", {"Host": "localhost"})


@click.command()
@host_setting("Address that the server listens on.")
@port_setting("Port that the server listens on.")
@timeout_setting(2.0)
def healthcheck(host: str, port: int, timeout: float) -> None:
    """Check that a server on this machine is ready.

    Exit 3 if it is not.
    """
    # A server that listens on all addresses listens on the loopback address too.
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    place = one_line(f"{target}:{port}")
    address, budget = Address("http", target, port), Budget(timeout, _MAX_BYTES)
    try:
        response = http_call.call(address, _REQUEST, budget)
    except http_call.Unreachable as error:
        raise Stop(f"cannot reach {place}: {error}", UNREACHABLE) from None
    if not _is_ready(response):
        expected = "the health of a mock server"
        message = f"Expected {expected}, got {response.summary()} - at {place}"
        raise Stop(message, UNREACHABLE)
    echo("ready")


def _is_ready(response: RawResponse) -> bool:
    """Return whether this is a `GET health` response (HealthView) of a ready server."""
    # Checked by hand, because importing HealthView would add 10 ms of CPU time to 65,
    # and the command may run every second.
    try:
        health = json.loads(response.body)
    except (ValueError, RecursionError):
        return False
    return (
        response.status == 200
        and isinstance(health, dict)
        and health.get("status") == "ready"
        and isinstance(health.get("fixture"), dict)
        and isinstance(health.get("generation"), int)
    )

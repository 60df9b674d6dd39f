"""`mock-server healthcheck`, for containers and scripts."""

from __future__ import annotations

import contextlib
import http.client

import click

from mock_server.cli.exits import UNREACHABLE, Stop, say
from mock_server.cli.settings import host_setting, port_setting


@click.command()
@host_setting
@port_setting
def healthcheck(host: str, port: int) -> None:
    """Ask the server on this machine whether it is ready; exit 3 if it is not."""
    target = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104
    try:
        connection = http.client.HTTPConnection(target, port, timeout=2)
        with contextlib.closing(connection):
            connection.request("GET", "/__admin/health", headers={"Host": "localhost"})
            status = connection.getresponse().status
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise Stop(f"cannot reach {target}:{port}: {error}", UNREACHABLE) from None
    if status != 200:
        raise Stop(f"{target}:{port} answered {status}", UNREACHABLE)
    say("ready")

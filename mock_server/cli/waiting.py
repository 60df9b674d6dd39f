"""The command that waits for a server."""

import urllib.request
from http.client import HTTPException
from time import monotonic, sleep

import click

from mock_server.cli.options import PORT, SETTINGS, option
from mock_server.cli.terminal import TIMED_OUT, fail
from mock_server.server import url_at


@click.command("wait", context_settings=SETTINGS)
@option("--url", metavar="URL", help="Address of the server, in place of host and port.")
@option("--host", default="127.0.0.1", help="Host of the server.")
@option("--port", type=PORT, default=8000, help="Port of the server.")
@option("--timeout", default=30.0, help="Seconds to wait.")
def wait_command(url: str | None, host: str, port: int, timeout: float) -> None:
    """Wait until a server is ready."""
    url = (url or url_at(host, port)).rstrip("/")
    if "://" not in url:
        fail(f"Expected an address such as http://127.0.0.1:8000, got {url!r} - at --url")
    end = monotonic() + timeout
    problem = problem_of(url)
    while problem is not None:
        if monotonic() > end:
            fail(f"{url} is not ready after {timeout:g} s: {problem}", TIMED_OUT)
        sleep(0.1)
        problem = problem_of(url)
    click.echo("ready")


def problem_of(url: str) -> str | None:
    """Why a server is not ready, None if it is."""
    no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        # Whatever the server's name, the guard of its admin API accepts this one.
        request = urllib.request.Request(f"{url}/__admin/health", headers={"Host": "localhost"})
        with no_proxy.open(request, timeout=2):
            return None
    except (OSError, HTTPException, ValueError) as error:
        return str(error)

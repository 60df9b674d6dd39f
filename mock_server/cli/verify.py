"""Defines `mock-server verify`, the conformance check of a server."""

import secrets
from contextlib import nullcontext
from typing import Any

import click

from mock_server.cli import output
from mock_server.cli.options import Seconds, option, read_secret
from mock_server.cli.output import BadValue, Stop, atomic_file
from mock_server.control.environment import VERIFY_KEY
from mock_server.control.http_call import Address, Unreachable, UnusableResponse
from mock_server.fixture.profile_file import profile_text
from mock_server.service.conformance import report as conformance
from mock_server.service.conformance.exchange import Client, VerifyOptions
from mock_server.service.conformance.report import FORMATS, Report

_SECONDS = 300.0
_NOTHING_OBSERVED = (
    "no rule could be observed: give --dataset with the id of a dataset that the key "
    "may read, and for pins --app and --chat"
)


@click.command()
@option("--base-url", metavar="URL", required=True, help="Address of the server.")
@option(
    "--key-env",
    metavar="NAME",
    default=VERIFY_KEY,
    show_default=True,
    help="Variable with the API key.",
)
@option("--dataset", metavar="ID", help="Dataset whose collections may be listed.")
@option("--app", metavar="ID", help="App of the chat that may be pinned.")
@option("--chat", metavar="ID", help="Chat that may be pinned.")
@option(
    "--reader-key-env",
    "reader",
    metavar="NAME",
    help="Variable with an API key that may only read the dataset.",
)
@option(
    "--outsider-key-env",
    "outsider",
    metavar="NAME",
    help="Variable with an API key that may not read the dataset.",
)
@option(
    "--token-env",
    "token",
    metavar="NAME",
    help="Variable with a login token.",
)
@option(
    "--write",
    "may_write",
    is_flag=True,
    help="Pin the chat and create a collection, then undo both.",
)
@option(
    "--format",
    "report_format",
    type=click.Choice(tuple(FORMATS)),
    default="text",
    show_default=True,
    help="Format of the report.",
)
@option(
    "--write-profile",
    metavar="FILE",
    help="Write the choices for `serve --profile FILE`.",
)
@option(
    "--timeout",
    type=Seconds(),
    metavar="SECONDS",
    default=_SECONDS,
    show_default=True,
    help="Seconds that the whole command may take.",
)
def verify(
    base_url: str,
    key_env: str,
    report_format: str,
    write_profile: str | None,
    timeout: float,
    **values: Any,
) -> None:
    """Check any server against the spec, and detect its choices.

    Each rule passes, differs, or is not observable. Nothing is changed without --write.
    Without --dataset, the server's first dataset is used.

    Example (of the demo): MOCK_SERVER_VERIFY_KEY=any mock-server verify --base-url
    http://127.0.0.1:8000 --dataset 6593e137231a2be9c5603bb1
    """
    for name in ("dataset", "app", "chat"):
        if values[name] == "":  # perhaps an unset variable of the shell
            raise BadValue(f"Expected an id, got '' - at --{name}")
    if (values["app"] is None) != (values["chat"] is None):
        raise BadValue("Expected an app and a chat, got one of them - at --app, --chat")
    for name in ("reader", "outsider", "token"):
        if values[name] is not None:
            place = "--token-env" if name == "token" else f"--{name}-key-env"
            values[name] = read_secret(values[name], place)
    key = read_secret(key_env, "--key-env")
    # An unknown id: as many random hex digits as ids have.
    options = VerifyOptions(secrets.token_hex(12), **values)
    # Opened first, so that an unwritable file fails before the first request.
    profile_target = (
        nullcontext() if write_profile is None else atomic_file(write_profile)
    )
    with profile_target as file:
        report = _report(base_url, key, options, timeout)
        if file and write_profile:
            is_json = write_profile.lower().endswith(".json")
            text = profile_text(report.values, report.undetected, is_json=is_json)
            file.write(text.encode())
    (output.echo if report_format == "text" else output.write)(
        FORMATS[report_format](report)
    )
    if report.differs:
        raise Stop("", output.USAGE)
    if not report.has_observed:
        raise Stop(_NOTHING_OBSERVED, output.USAGE)


def _report(base_url: str, key: str, options: VerifyOptions, timeout: float) -> Report:
    try:
        address = Address.of(base_url)
    except ValueError as error:
        raise BadValue(f"{error} - at --base-url") from None
    try:
        client = Client(address, key, timeout, output.log, options.credentials)
        return conformance.verify(base_url, client, options)
    except Unreachable as error:
        raise Stop(f"cannot reach {base_url}: {error}", output.UNREACHABLE) from None
    except UnusableResponse as error:
        raise Stop(str(error), output.UNFIT) from None

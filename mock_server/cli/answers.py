"""Defines `mock-server answer` and `reply`, which add scripted responses."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec import Raw

from mock_server.admin.views import FaultView
from mock_server.cli import output
from mock_server.cli.options import Command, ParsedText, option
from mock_server.cli.remote import remote_command, show
from mock_server.control.client import AdminClient
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.printable import one_line


def _json(example: str, text: str) -> Raw:
    """Return the text if it is JSON, else raise ValueError with an example."""
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        from mock_server.cli.values import json_mistake

        mistake = json_mistake(text)
        expected = f"JSON such as {example}, in single quotes for a shell"
        raise ValueError(mistake or f"Expected {expected}, got {text!r}") from None
    return Raw(text.encode())


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon:
        raise ValueError(f"Expected a header such as 'X-Trace: 7', got {text!r}")
    return name.strip(), value.strip()


def _json_option(name: str, help_text: str) -> Callable[[Command], Command]:
    example = '{"question": "x"}' if name == "--match" else '{"id": 7}'
    parsed = ParsedText(partial(_json, example))
    return option(name, metavar="JSON", type=parsed, help=help_text)


def _request_options(command: Command) -> Command:
    """Add the options that limit the requests to answer."""
    times = "Number of requests to answer; unlimited by default."
    match = 'Answer only requests that match: {"body": {"offset": 0}}.'
    command = option("--times", type=int, help=times)(command)
    return _json_option("--match", match)(command)


@click.command()
@click.argument("words", metavar="OPERATION|METHOD PATH", nargs=-1, required=True)
@_json_option("--data", "The `data` of the response envelope.")
@_json_option("--json", "The whole body as JSON.")
@option("--text", help="The whole body as a text.")
@option(
    "--body-file", metavar="FILE", type=click.Path(), help="File with the whole body."
)
@option("--status", type=int, help="The HTTP status, 200 by default.")
@option(
    "--header",
    "headers",
    metavar="'NAME: VALUE'",
    type=ParsedText(_header),
    multiple=True,
    help="A further header; repeatable.",
)
@option("--delay-ms", "delayMs", type=int, help="Milliseconds before the response.")
@_request_options
@remote_command
def answer(
    client: AdminClient,
    words: Sequence[str],
    headers: Sequence[tuple[str, str]],
    body_file: str | None,
    **fields: Any,
) -> None:
    """Add an answer for an operation or a path of a running server.

    The answer lasts until the next reset of the server, or for --times requests. A PATH
    may have parameters in braces.

    Example: mock-server answer GET '/api/x/{id}' --json '{"ok": true}'
    """
    body_options = "data", "json", "text"
    bodies = [f"--{name}" for name in body_options if fields[name] is not None]
    bodies += ["--body-file"] if body_file is not None else []
    if len(bodies) > 1:
        raise click.UsageError(f"Expected one body, got {' and '.join(bodies)}")
    if words[1:] and words[-1].startswith(("{", "[")):
        got = f"got {words[-1]!r} too (write --json before the body)"
        raise click.UsageError(f"Expected OPERATION or METHOD PATH, {got}")
    names = [name.lower() for name, _ in headers]
    if repeated := {name for name in names if names.count(name) > 1}:
        name = min(repeated)
        raise click.UsageError(f"Expected the header {name!r} once, got it again")
    if body_file is not None:
        fields["base64"] = _read_base64(body_file)
    _add(client, "answer", operation=" ".join(words), headers=dict(headers), **fields)


@click.command()
@click.argument("text", required=False)
@_json_option("--parts", 'Parts of the reply: ["Hello", {"quotes": [...]}].')
@_json_option("--stream", 'Stream speed: {"firstTokenMs": 300, "tokensPerSecond": 20}.')
@_request_options
@remote_command
def reply(client: AdminClient, text: str | None, **fields: Any) -> None:
    """Add a reply of the chat completions of a running server.

    The reply lasts until the next reset of the server, or for --times requests.
    """
    if (text is None) == (fields["parts"] is None):
        got = "neither" if text is None else "both"
        raise click.UsageError(f"Expected TEXT or --parts, got {got}")
    _add(client, "reply", text=text, **fields)


def _read_base64(file: str) -> str:
    try:
        with Path(file).open("rb") as stream:
            # The server refuses more; a device has no end.
            return b64encode(stream.read(DEFAULT_LIMITS.body_bytes + 1)).decode()
    except OSError as error:
        message = f"cannot read {file}: {error.strerror}"
        raise output.Stop(one_line(message), output.USAGE) from None


def _add(client: AdminClient, kind: str, **fields: Any) -> None:
    body = {name: value for name, value in fields.items() if value is not None}
    response = client.call(FaultView, "POST", "/faults", {"kind": kind, **body})
    show(response)
    for each in response.value.warnings:
        output.log(f"warning: {each}")

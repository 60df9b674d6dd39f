"""The command `verify`: whether a server keeps to the interface description."""

import os
import secrets
from collections.abc import Callable
from functools import partial

import click

from mock_server.cli.output import UNFIT, UNREACHABLE, USAGE, Stop, say, tell, write
from mock_server.cli.settings import BadValue, Seconds, option
from mock_server.cli.whole_file import whole_file
from mock_server.conformance.asker import Asker
from mock_server.conformance.formats import FORMATS
from mock_server.conformance.report import Report
from mock_server.conformance.report import verify as verified
from mock_server.conformance.subject import Told
from mock_server.fixture.profile import profile_text
from mock_server.http_call import Address, Unfit, Unreachable
from mock_server.setting_names import VERIFY_KEY

_SECONDS = 300.0


@click.command()
@option("--base-url", metavar="URL", required=True, help="Address of the server.")
@option(
    "--key-env",
    metavar="NAME",
    default=VERIFY_KEY,
    show_default=True,
    help="Variable that holds the API key.",
)
@option("--dataset", metavar="ID", help="Dataset whose collections may be listed.")
@option("--app", metavar="ID", help="App of the chat that may be pinned.")
@option("--chat", metavar="ID", help="Chat that may be pinned.")
@option(
    "--reader-key-env",
    metavar="NAME",
    help="Variable that holds a key that may read the dataset, and no more.",
)
@option(
    "--outsider-key-env",
    metavar="NAME",
    help="Variable that holds a key that may not read the dataset.",
)
@option("--token-env", metavar="NAME", help="Variable that holds the token of a login.")
@option(
    "--write",
    "may_write",
    is_flag=True,
    help="Pin the chat too, and make a collection; both are put back.",
)
@option(
    "--format",
    "form",
    type=click.Choice(tuple(FORMATS)),
    default="text",
    show_default=True,
    help="Format of the report.",
)
@option(
    "--write-profile",
    metavar="FILE",
    help="Save the choices that were seen, for `serve --profile FILE`.",
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
    dataset: str | None,
    app: str | None,
    chat: str | None,
    reader_key_env: str | None,
    outsider_key_env: str | None,
    token_env: str | None,
    may_write: bool,
    form: str,
    write_profile: str | None,
    timeout: float,
) -> None:
    """Check any server against the interface description, and see its choices.

    Each rule passes, differs, or is not observable. Nothing is changed without --write.

    Example (of the demo): MOCK_SERVER_VERIFY_KEY=any mock-server verify
    --base-url http://127.0.0.1:8000 --dataset 6593e137231a2be9c5603bb1
    """
    for name, given in (("dataset", dataset), ("app", app), ("chat", chat)):
        if given == "":  # as of a variable that is not set
            raise BadValue(f"Expected an id, got '' - at --{name}")
    if (app is None) != (chat is None):
        raise BadValue("Expected an app and a chat, got one of them - at --app, --chat")
    told = Told(
        # Hex digits, as many as ids have: no server has seen it.
        secrets.token_hex(12),
        dataset,
        app,
        chat,
        _optional(reader_key_env, "--reader-key-env"),
        _optional(outsider_key_env, "--outsider-key-env"),
        _optional(token_env, "--token-env"),
        may_write,
    )
    key = _secret(key_env, "--key-env")
    ask = partial(_report, base_url, key, told, timeout)
    report = ask() if write_profile is None else _saved(write_profile, ask)
    (say if form == "text" else write)(FORMATS[form](report))
    if report.differs:
        raise Stop("", USAGE)


def _saved(path: str, ask: Callable[[], Report]) -> Report:
    """A report, its choices written to a profile at `path`. Raises Stop."""
    # Opened first: a file that cannot be written shows before all is asked.
    with whole_file(path) as file:
        report = ask()
        is_json = path.lower().endswith(".json")
        text = profile_text(report.values, report.unseen, is_json=is_json)
        file.write(text.encode())
    return report


def _report(base_url: str, key: str, told: Told, timeout: float) -> Report:
    """The report on a server. Raises Stop."""
    try:
        address = Address.of(base_url)
    except ValueError as error:
        raise BadValue(f"{error} - at --base-url") from None
    try:
        return verified(base_url, Asker(address, key, timeout, tell), told)
    except Unreachable as error:
        raise Stop(f"cannot reach {base_url}: {error}", UNREACHABLE) from None
    except Unfit as error:
        raise Stop(str(error), UNFIT) from None


def _optional(name: str | None, place: str) -> str | None:
    return None if name is None else _secret(name, place)


def _secret(name: str, place: str) -> str:
    """The value of a variable; no message shows it. Raises BadValue."""
    value = os.environ.get(name, "")
    if not value:
        raise BadValue(f"Expected a key in the variable {name}, got none - at {place}")
    if not (value.isascii() and value.isprintable()) or " " in value:
        expected = f"visible ASCII in the variable {name}"
        raise BadValue(f"Expected {expected}, got other characters - at {place}")
    return value

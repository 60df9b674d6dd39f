"""`mock-server init`: files to start with."""

import os
from pathlib import Path

import click

from mock_server.cli.output import USAGE, Stop, say
from mock_server.domain.printable import one_line
from mock_server.fixture.published import published

FIXTURE, SCHEMA, CONFTEST = "mock-server.yaml", "fixture.schema.json", "conftest.py"
_FIXTURE = f"""\
# yaml-language-server: $schema={SCHEMA}
#
# What the mock server holds when it starts, and after each reset.
#   mock-server {FIXTURE}          serves it
#   mock-server check {FIXTURE}    tells every mistake in it
# Editors with a YAML language server complete it, by the schema named above.

# Without keys, any API key is accepted, and may do everything.
keys:
  - key: team-owner # made up: this server knows no real one
    permission: owner # owner, manage, write, read or none
  - key: team-reader
    permission: read

apps:
  - id: app-support
    name: Support
    chats:
      - chatId: chat-refund
        title: Where is my refund?
        top: true # pinned
      - chatId: chat-hello
        title: Hello

datasets:
  - id: handbook
    name: Handbook
    permissions:
      team-reader: none # other than the key's own, here and in all below
    collections:
      - name: Guides # a folder, since it has children
        children:
          - name: Install
            tags: [setup]
            dataAmount: 3
          - name: Upgrade
      - name: "Page {{n:02}}" # 25 collections, Page 01 to Page 25
        repeat: 25
        type: link
        updateTime:
          start: 2026-01-01T00:00:00Z
          step: 1h

# Time stands still at this point; without this line it runs.
# clock: 2026-01-31T12:00:00Z
"""
_CONFTEST = f'''\
"""Tests have a running mock server as the fixture `mock_server`.

For example:

    def test_the_refund_is_pinned(mock_server):
        my_client = Client(mock_server.url, mock_server.key)
        assert mock_server.chat("app-support", "chat-refund").top is True
"""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def mock_server_fixture():
    """What the server holds at the start of each test."""
    return Path(__file__).with_name("{FIXTURE}")
'''


def starter() -> dict[str, bytes]:
    """The files to start with, by their names."""
    return {
        FIXTURE: _FIXTURE.encode(),
        CONFTEST: _CONFTEST.encode(),
        SCHEMA: published(),
    }


@click.command()
@click.argument(
    "folder", metavar="[DIR]", default=".", type=click.Path(file_okay=False)
)
def init(folder: str) -> None:
    """Write a fixture to start with and a conftest.py for pytest into a folder.

    The folder is the current one unless DIR is given. With them comes the JSON Schema
    of fixtures, for editors. Nothing is overwritten: if one of the files is there,
    nothing is written.
    """
    paths = {Path(folder, name): content for name, content in starter().items()}
    # A link that leads nowhere is there too.
    present = [str(each) for each in paths if os.path.lexists(each)]
    if present:
        names = " and ".join(present)
        raise Stop(f"Expected no file of that name, got one - at {names}", USAGE)
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for path, content in paths.items():
            with path.open("xb") as file:
                file.write(content)
            say(f"wrote {path}")
    except OSError as error:
        message = f"cannot write {error.filename or folder}: {error.strerror}"
        raise Stop(one_line(message), USAGE) from None

"""Defines `mock-server import`, which converts recordings to fixtures."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from mock_server.api.fixture_loading import load_fixture
from mock_server.cli.options import Group, option
from mock_server.cli.output import (
    BROKEN_FIXTURE,
    USAGE,
    Stop,
    atomic_file,
    count_text,
    log,
)
from mock_server.domain.limits import DEFAULT_LIMITS, Published
from mock_server.domain.printable import one_line, size_text
from mock_server.fixture.dump import document_as_yaml
from mock_server.fixture.problems import FixtureError
from mock_server.service.har.importing import HarImport
from mock_server.service.har.reading import NotHar, read_har


@click.group("import", cls=Group, patterns={"har": r".+\."})
def import_() -> None:
    """Make fixtures from recordings of other programs."""


@import_.command()
@click.argument("file", metavar="FILE")
@option(
    "--origin",
    "origins",
    metavar="URL",
    multiple=True,
    help="Import only requests below this address, such as https://example.com; "
    "repeatable.",
)
@option(
    "--output",
    metavar="FILE",
    help="Write the fixture here instead of to stdout; a .json name means JSON.",
)
def har(file: str, origins: Sequence[str], output: str | None) -> None:
    """Make a fixture from a HAR file, as browsers record it.

    Responses of operations become datasets, collections and chats. All others become
    `responses`, the last one for each method and path. FILE may be `-` for stdin.
    """
    name = "stdin" if file == "-" else one_line(file)
    try:
        recording = read_har(_content(file, name), name)
    except NotHar as error:
        raise Stop(one_line(str(error)), BROKEN_FIXTURE) from None
    imported = HarImport(origins)
    imported.add_entries(recording.log.entries)
    if origins and not imported.origins:
        unfiltered = HarImport()
        unfiltered.add_entries(recording.log.entries)
        known = ", ".join(unfiltered.origins) or "nobody"
        similar = (
            each for each in unfiltered.origins if each.endswith(f"//{origins[0]}")
        )
        hint = "".join(f" (did you mean {each}?)" for each in similar)
        expected = f"Expected requests to {origins[0]}, got those of {known}"
        raise Stop(f"{expected} - at --origin{hint}", USAGE)
    document = imported.document()
    counts = _counts(document, name)
    if output is not None and output.lower().endswith(".json"):
        text = msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
        limit, advice = "json_file_bytes", "choose some of it with --origin"
    else:
        text = document_as_yaml(document).encode()
        limit, advice = "fixture_bytes", "write it to a .json file, which may be larger"
    max_bytes: int = getattr(DEFAULT_LIMITS, limit)
    if len(text) > max_bytes:
        expected = f"Expected a fixture of at most {size_text(max_bytes)}"
        got = f"got {size_text(len(text))} (limit {limit}; {advice})"
        raise Stop(f"{expected}, {got}", USAGE)
    with atomic_file(output) as stream:
        stream.write(text)
    log(f"imported {counts} from {', '.join(imported.origins) or 'nobody'}")
    for line in imported.advice():
        log(one_line(line))


def _counts(document: dict[str, object], name: str) -> str:
    try:
        fixture = load_fixture(document)
    except FixtureError as error:
        message = f"cannot make a fixture of {name}: {error.problems[0].message}"
        raise Stop(one_line(message), BROKEN_FIXTURE) from None
    return count_text({**fixture.counts(), "responses": len(fixture.answers)})


def _content(file: str, name: str) -> bytes:
    max_bytes = Published.har_bytes
    try:
        if file == "-":
            content = sys.stdin.buffer.read(max_bytes + 1)
        else:
            with Path(file).open("rb") as stream:
                content = stream.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Stop(one_line(f"cannot read {name}: {reason}"), BROKEN_FIXTURE) from None
    if len(content) > max_bytes:
        expected = f"a file of at most {size_text(max_bytes)} (limit har_bytes)"
        raise Stop(f"Expected {expected}, got a larger one - at {name}", BROKEN_FIXTURE)
    return content

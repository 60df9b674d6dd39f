"""The commands that read a real service, or a recording of one.

Each imports its tools when it runs: httpx2 would add 40 ms to each start of the server.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from mock_server.cli import common
from mock_server.cli.common import (
    FORCE,
    OUTPUT,
    Command,
    Exit,
    check_address,
    check_overwrite,
    fail,
    option,
    print_to_stderr,
    write_document,
    write_out,
)
from mock_server.fixture.load import ProfileFile, load_fixture, read_profile
from mock_server.text.wording import count_in_words


def key_from_variable(variable: str) -> str:
    """The API key in an environment variable."""
    # What is no name may be the key itself, which is never shown.
    if not re.fullmatch("[A-Z_][A-Z0-9_]*", variable):
        fail("Expected a variable's name such as FASTGPT_KEY, got something else - at --key-env")
    key = os.environ.get(variable, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        fail(f"Expected an API key in the variable {variable}, in printable ASCII characters")
    if key.lower().startswith("bearer "):
        fail(f"Expected an API key alone, got one after 'Bearer' in the variable {variable}")
    return key


def baseline_or_fail(file: Path | str) -> ProfileFile:
    """The baseline in a file, or a profile by its name."""
    try:
        return read_profile(file)
    except ValueError as error:
        fail(f"{error} (--write-baseline writes a baseline)", Exit.BROKEN_FIXTURE)


@contextmanager
def exit_on_service_errors() -> Iterator[None]:
    """End the command with a line if a service answers what it must not, or is broken off."""
    from mock_server.tools.real_responses import ServiceError, UnexpectedResponse

    try:
        yield
    except KeyboardInterrupt:
        fail("interrupted: nothing is written", Exit.UNREACHABLE)
    except UnexpectedResponse as error:
        fail(str(error), Exit.UNEXPECTED_RESPONSE)
    except ServiceError as error:
        fail(str(error), Exit.UNREACHABLE)


def expected_profile(
    profile: str | None, baseline: Path | None, *, is_written: bool
) -> ProfileFile | None:
    """What a server is held to: a profile, or a baseline that is not to be written, or nothing."""
    if is_written and not baseline:
        fail("Expected --baseline FILE, got none - at --write-baseline")
    if profile and baseline:
        fail("Expected --profile or --baseline, got both")
    expected = profile or baseline
    if is_written or not expected:
        return None
    return baseline_or_fail(expected)


@click.command("verify", cls=Command)
@option("--base-url", required=True, callback=check_address, help="Address of the server.")
@click.option("--key-env", default=common.VERIFY_KEY, help="Name of the variable with the API key.")
@click.option(
    "--dataset", metavar="ID", help="Dataset to look at; by default the best of the first 10."
)
@click.option("--app", metavar="ID", help="App to look at; by default the best of the first 10.")
@click.option("--write", "may_write", is_flag=True, help="Also pin a chat, and put it back.")
@click.option(
    "--format",
    "report",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Format of the report on stdout.",
)
@click.option("--write-profile", **OUTPUT, help="Profile file to write, with the values seen.")
@FORCE
@click.option("--baseline", **OUTPUT, help="File of known drift: only what it lacks is a failure.")
@option("--profile", metavar="NAME", help="Profile to hold the server to, as to a baseline.")
@click.option("--write-baseline", is_flag=True, help="Write that file.")
def verify_command(
    base_url: str,
    key_env: str,
    dataset: str | None,
    app: str | None,
    may_write: bool,
    report: str,
    write_profile: Path | None,
    force: bool,
    baseline: Path | None,
    profile: str | None,
    write_baseline: bool,
) -> None:
    """Find the choices of a server, and what it answers in another way than this mock."""
    from mock_server.control.admin_client import client_at
    from mock_server.tools import verify
    from mock_server.tools.account_reader import NotReadable

    check_overwrite(write_profile, "--write-profile", force, baseline)
    known = expected_profile(profile, baseline, is_written=write_baseline)
    client = client_at(base_url, key_from_variable(key_env), trust_env=True)
    try:
        with exit_on_service_errors():
            result = verify.verify_server(
                client,
                dataset=dataset,
                app=app,
                baseline=known,
                key_env=key_env,
                may_write=may_write,
                log=print_to_stderr,
            )
    except NotReadable as error:
        problem = f"nothing is observed with the key in {key_env}: {error}"
        if known:
            problem += " (the baseline names it)"
        fail(problem)
    write_out(verify.REPORTS[report](result) + "\n", None)
    if write_profile:
        write_document(verify.profile_document(result), write_profile, verify.comment_of(result))
    if baseline and write_baseline:
        write_out(verify.json_report(result.seen) + "\n", baseline)
        raise SystemExit(not result.observed)
    raise SystemExit(not result.is_one_profile or bool(known and result.drift))


@click.command("pull", cls=Command)
@option("--base-url", required=True, callback=check_address, help="Address of FastGPT.")
@click.option("--key-env", default=common.PULL_KEY, help="Name of the variable with the API key.")
@click.option("--dataset", multiple=True, help="Id of a dataset to read, by default all.")
@click.option("--app", multiple=True, help="Id of an app to read, by default all.")
@click.option("--rows", is_flag=True, help="Read the rows of collections, too.")
@click.option("--anonymize", is_flag=True, help="Replace texts, members and links.")
@click.option("--output", **OUTPUT, help="File to write, instead of stdout.")
@FORCE
def pull_command(
    base_url: str,
    key_env: str,
    anonymize: bool,
    output: Path | None,
    force: bool,
    **selection: Any,
) -> None:
    """Read an account of a real FastGPT into a fixture."""
    from mock_server.tools.pull import anonymized, pull

    check_overwrite(output, "--output", force)
    key = key_from_variable(key_env)
    with exit_on_service_errors():
        document, problems = pull(base_url, key, log=print_to_stderr, **selection)
        for problem in problems:
            print_to_stderr(problem)
        if not (document["apps"] or document["datasets"]):
            fail(f"nothing could be read with the key in {key_env}, nothing is written")
        if anonymize:
            document = anonymized(document)
        write_document(document, output)
        print_to_stderr(f"wrote {load_fixture(document).summary} to {output or 'stdout'}")
    raise SystemExit(bool(problems))


@click.group("import")
def import_group() -> None:
    """Make a fixture from a recording of a service."""


@import_group.command("har", cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--app", metavar="ID", help="App of all replies; by default the one of each request.")
@click.option("--pace", is_flag=True, help="Keep how long each reply took.")
@click.option("--output", **OUTPUT, help="File to write, instead of stdout.")
@FORCE
def har_command(file: Path, app: str | None, pace: bool, output: Path | None, force: bool) -> None:
    """Make replies of the completions in a HAR recording. No header and no key is kept."""
    from mock_server.tools.har import fixture_of_recording

    check_overwrite(output, "--output", force, file.resolve())
    try:
        with file.open("rb") as har:
            document, notes = fixture_of_recording(har, app, keeps_pace=pace)
        load_fixture(document)
    except OSError as error:
        fail(f"cannot read {file}: {error.strerror}", Exit.BROKEN_FIXTURE)
    except ValueError as error:
        fail(f"{file}: {error}", Exit.BROKEN_FIXTURE)
    for note in notes:
        print_to_stderr(note)
    if not document["apps"]:
        fail(f"{file} shows no reply")
    write_document(document, output)
    for app_entry in document["apps"]:
        replies = count_in_words(len(app_entry["replies"]), "exchange")
        print_to_stderr(
            f"wrote {replies} as replies of app {app_entry['id']} to {output or 'stdout'}"
        )

"""What commands say of themselves, and of what they were given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run
from tests.process import serving
from tests.support import SECONDS


def test_a_fixture_that_is_named_twice_is_told_once() -> None:
    done = run("demo", "demo")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert "demo: Expected each file once, got this one twice" in done.err


def test_an_empty_fixture_is_called_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.touch()
    assert "(an empty fixture: `mock-server init`" in run("check", str(path)).out


@pytest.mark.parametrize(
    ("fixture", "counts"),
    [
        ("responses: [{method: GET, path: /x}]", "0 chats, 1 response"),
        ("replies: [a, b]", "0 chats, 2 replies"),
        ("apps: [{id: a}]", "0 chats, 1 app"),
    ],
)
def test_a_fixture_with_anything_in_it_is_not_called_empty(
    tmp_path: Path, fixture: str, counts: str
) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(fixture)
    assert run("check", str(path)).out.endswith(f"{counts}\n")


def test_a_collection_with_children_that_is_no_folder_is_warned_of(
    tmp_path: Path,
) -> None:
    path = tmp_path / "odd.yaml"
    inner = "[{name: A, type: file, children: [{name: B}]}, {name: C, children: []}]"
    path.write_text(f"datasets: [{{id: d, collections: {inner}}}]")
    done = run("check", str(path))
    said = "collection 'A' of dataset 'd' has children but the type 'file'"
    how = "leave out type, or write type: folder"
    assert (done.status, done.err) == (0, f"warning: {said}: {how}\n")


def test_a_type_that_the_service_has_not_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    inner = "[{name: A, type: File}, {name: B, type: hologram}]"
    path.write_text(f"datasets: [{{id: d, collections: {inner}}}]")
    near, other = run("check", str(path)).err.splitlines()
    said = "collection 'A' of dataset 'd' has the unknown type 'File'"
    assert near == f"warning: {said} (did you mean 'file'?)"
    assert "type 'hologram' (FastGPT has folder, virtual, file, link, " in other


@pytest.mark.parametrize(
    ("collections", "warning"),
    [
        (
            "{name: 'A {n}'}",
            "'A {n}' of dataset 'd' keeps {n} in its name: write repeat",
        ),
        ("{name: 'A {n:03}'}", "keeps {n} in its name: write repeat beside it"),
        (
            "{repeat: 9, name: A}",
            "is like the ones before: with repeat, write {n} in it",
        ),
        (
            "{name: A, dataAmount: 10, data: [{q: a}]}",
            "has dataAmount 10 beside data of length 1: leave dataAmount out",
        ),
        ("{repeat: 3, name: 'A {n}'}", ""),
        ("{repeat: 2, name: A}", ""),
        ("{name: A}, {name: B}, {name: A, data: [{q: a}], dataAmount: 1}", ""),
    ],
)
def test_what_is_likely_no_name_or_amount_is_warned_of(
    tmp_path: Path, collections: str, warning: str
) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(f"datasets: [{{id: d, collections: [{collections}]}}]")
    done = run("check", str(path))
    assert (done.status, warning in done.err) == (0, True)
    assert bool(done.err) == bool(warning)


@pytest.mark.parametrize("group", ["fault", "snapshot", "clock", "sandbox", "import"])
def test_help_cuts_no_sentence(group: str) -> None:
    assert "..." not in run(group, "--help").out.partition("Commands:")[2]


@pytest.mark.ci
def test_a_start_warns_of_what_a_check_warns_of(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("datasets: [{id: d, collections: [{name: A, type: text}]}]")
    with serving(str(path), "--port=0") as (_, process):
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    (warning,) = run("check", str(path)).err.splitlines()
    assert warning in err.splitlines()

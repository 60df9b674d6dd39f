"""`--mock-server-choices`: what it selects, runs and leaves out, tells and accepts."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from mock_server import MockServer
from mock_server.app import create_app
from mock_server.domain.choices.choosing import choose, with_choices
from mock_server.domain.choices.reading import tolerates
from mock_server.testing import variants as names
from mock_server.testing.variants import RecordingChoices, Selection
from mock_server.wire.server import running
from tests.testing.conftest import Run

ACCEPT = "--mock-server-choices-accept"
SAME = """
URLS = set()


def test_one(mock_server):
    URLS.add(mock_server.url)
    assert len(URLS) == 1
"""


def choices(selected: str) -> str:
    """The option."""
    return f"--mock-server-choices={selected}"


def summary(result: pytest.RunResult) -> list[str]:
    """The lines of the section on choices."""
    lines: list[str] = result.outlines
    begin = next(
        number for number, line in enumerate(lines) if "= mock-server choices =" in line
    )
    after = lines[begin + 1 :]
    return after[: next(n for n, line in enumerate(after) if line.startswith("="))]


@pytest.mark.ci
def test_what_is_left_out_would_have_told_nothing(run: Run) -> None:
    quick = run("varied", choices("all"), "--tb=no", "-rN")
    whole = run("varied", choices("all!"), "--tb=no", "-rN")
    assert summary(quick) == summary(whole) != []
    counts, all_counts = quick.parseoutcomes(), whole.parseoutcomes()
    assert counts["failed"] == all_counts["failed"] > 20
    # pytest's parser takes the first word of `not needed`.
    runs = counts["failed"] + counts["passed"]
    all_runs = all_counts["failed"] + all_counts["passed"]
    assert runs + counts["not"] == all_runs > 2 * runs


@pytest.mark.ci
def test_every_value_but_that_of_the_settings_is_tried(run: Run) -> None:
    result = run("backwards", choices("all"), "-k", "a_pin", "--tb=no", alone=True)
    # It reads all choices there are.
    assert summary(result) == [
        "page_size_max=30 breaks 1: test_backwards.py::test_a_pin"
    ]
    ids = run("backwards", choices("list_order"), "-k", "a_pin", "-v", alone=True)
    shown = [line for line in ids.outlines if " PASSED " in line]
    names = [line.partition("[")[2].partition("]")[0] for line in shown]
    assert sorted(names) == [
        "baseline",
        "list_order=fixture",
        "list_order=update_time_desc",
    ]


@pytest.mark.parametrize(
    ("selected", "found"),
    [
        ("tags_empty", "tags_empty=absent tags_empty=list"),
        ("tags_empty=absent", "tags_empty=absent"),
        ("page_size_default", "page_size_default=1 page_size_default=30"),
        (
            "page_size_default=7,training=stepped",
            "page_size_default=7 training=stepped",
        ),
    ],
)
def test_choices_are_selected(selected: str, found: str) -> None:
    variants = Selection.of(selected).variants(None)
    assert sorted(map(str, variants)) == found.split()


def test_all_is_everything_but_the_baseline_and_what_is_fixed() -> None:
    variants = list(Selection.of("all").variants(choose(), ["list_order"]))
    assert "list_order" not in {each.name for each in variants}
    assert all(each.differs_from(choose()) for each in variants)
    assert Selection.of("all!").is_forced
    assert Selection.of("list_order,all").is_all()
    assert not Selection.of("list_order").is_all()


ANYWHERE = "parent_omitted=root test_accepting.py::test_anywhere\n"
IN_A_FIXTURE = "parent_omitted=root test_accepting.py::test_in_a_fixture\n"
DEPENDENT = "anywhere or fixture or small"


@pytest.fixture
def accepted(pytester: pytest.Pytester) -> Path:
    """The file that the project names."""
    pytester.makeini("[pytest]\nmock_server_choices_accepted = accepted.txt")
    return pytester.path / "accepted.txt"


@pytest.mark.ci
def test_only_new_dependences_fail(run: Run, accepted: Path) -> None:
    accepted.write_text(f"# Wanted.\n{ANYWHERE}")
    result = run("accepting", choices("parent_omitted"), "-k", DEPENDENT, "-rx")
    result.assert_outcomes(passed=4, xfailed=1, errors=1)
    assert "\n".join(summary(result)) == (
        "parent_omitted=root breaks 1: test_accepting.py::test_in_a_fixture\n"
        "parent_omitted=root (accepted in accepted.txt) breaks 1: "
        "test_accepting.py::test_anywhere"
    )
    result.stdout.fnmatch_lines(["XFAIL *parent_omitted=root* - accepted in accepted*"])
    accepted.write_text(ANYWHERE + IN_A_FIXTURE)
    result = run("accepting", choices("parent_omitted"), "-k", DEPENDENT)
    assert result.ret == pytest.ExitCode.OK


@pytest.mark.ci
def test_what_is_no_longer_so_is_told(run: Run, accepted: Path) -> None:
    small = "tags_empty=absent test_accepting.py::test_small_pages\n"
    unread = "chat_unknown=create test_accepting.py::test_small_pages\n"
    accepted.write_text(small + unread + ANYWHERE)
    result = run("accepting", choices("all"), "-k", "small")
    result.stdout.fnmatch_lines(
        [
            "chat_unknown=create no longer breaks (remove them from accepted.txt) 1: *",
            "tags_empty=absent no longer breaks (remove them from accepted.txt) 1: *",
        ]
    )
    # Of what was not tried nothing is known.
    assert "test_anywhere" not in "".join(summary(result))


@pytest.mark.ci
def test_what_is_found_can_be_written(run: Run, accepted: Path) -> None:
    options = choices("parent_omitted"), ACCEPT, "-k", DEPENDENT
    assert run("accepting", *options).ret == pytest.ExitCode.OK
    first = accepted.read_text()
    assert (
        first
        == f"# Tests that depend on a choice: NAME=VALUE TEST.\n\n{ANYWHERE}"
        + (IN_A_FIXTURE)
    )
    gone = "# Gone.\nparent_omitted=root test_accepting.py::test_small_pages\n"
    other = "tags_empty=absent test_accepting.py::test_small_pages\n"
    accepted.write_text(f"# Ours.\n\n{gone}{other}# Wanted.\n{ANYWHERE}# End.\n")
    assert run("accepting", *options).ret == pytest.ExitCode.OK
    expected = f"# Ours.\n\n# Wanted.\n{ANYWHERE}{IN_A_FIXTURE}{other}# End.\n"
    assert accepted.read_text() == expected


@pytest.mark.ci
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "(No such file or directory); --mock-server-choices-accept writes it"),
        (
            f"{ANYWHERE}what\n",
            "Expected NAME=VALUE TEST, got 'what' - at *accepted.txt:2",
        ),
        ("# C\n\ntraining=x a::b", "Expected training to be *, got 'x' - at *.txt:3"),
        ("trainin=x a::b", "got 'trainin' (did you mean 'training'?) - at *.txt:1"),
    ],
)
def test_a_file_that_cannot_be_is_one_line(
    run: Run, accepted: Path, content: str | None, said: str
) -> None:
    if content is not None:
        accepted.write_text(content)
    result = run("accepting", choices("all"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{said}*"])


@pytest.mark.ci
def test_workers_learn_from_each_other(run: Run) -> None:
    result = run("accepting", choices("all"), "-n2", "-k", "anywhere", apart=True)
    (line,) = summary(result)
    assert line == "parent_omitted=root breaks 1: test_accepting.py::test_anywhere"
    result.stdout.fnmatch_lines(["mock-server choices: 1 test, at most * runs; *"])


@pytest.mark.ci
def test_workers_leave_out_what_others_have_learnt(run: Run) -> None:
    options = "-k", "test_pins", "--tb=no"
    result = run("varied", choices("all"), "-n2", *options, apart=True)
    counts = result.parseoutcomes()
    assert counts["not"] > counts["passed"] + counts["failed"]


@pytest.mark.ci
def test_a_server_elsewhere_is_tried_with_all_values(run: Run) -> None:
    with MockServer({"apps": []}) as server:
        url = f"--mock-server-url={server.url}"
        result = run("accepting", choices("tags_empty,training"), url, "-k", "small")
    result.stdout.fnmatch_lines(
        ["*3 runs; the choices that a test reads are unknown with *"]
    )
    result.assert_outcomes(passed=3)


@pytest.mark.ci
def test_all_runs_of_a_test_have_the_same_server(
    run: Run, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(test_same=SAME)
    result = run("accepting", choices("all!"), "test_same.py")
    assert result.parseoutcomes().keys() == {"passed"}


@pytest.mark.ci
@pytest.mark.parametrize("workers", [0, 2], ids=["alone", "workers"])
def test_a_server_elsewhere_loads_a_fixture_once(run: Run, workers: int) -> None:
    app, loads = create_app({"apps": []}), []

    async def counting(scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") == "PUT" and scope["path"].endswith("/state"):
            loads.append(scope["path"])
        await app(scope, receive, send)

    with running(counting) as url:
        there = f"--mock-server-url={url}"
        options = [choices("tags_empty,training"), there]
        options += [f"-n{workers}"] if workers else []
        result = run("accepting", *options, apart=workers > 0)
    assert result.parseoutcomes()["passed"] > 6
    assert 1 <= len(loads) <= max(1, workers)  # once in each process
    assert [sandbox.name for sandbox in app.sandboxes.all()] == ["default"]


def test_only_what_is_read_is_noted() -> None:
    read: set[str] = set()
    noting = RecordingChoices.of(choose(), read)
    assert noting.list_order == "update_time_desc"
    assert not tolerates(noting, "unknown_key_at_all")
    other = with_choices(noting, {"training": "stepped"})
    assert other.training == "stepped"
    assert read == {"list_order", "training"}


def test_what_copies_all_choices_has_read_them() -> None:
    read: set[str] = set()
    noting = RecordingChoices.of(choose(), read)
    assert dataclasses.replace(noting, training="stepped") == with_choices(
        choose(), {"training": "stepped"}
    )
    assert read == {*dataclasses.asdict(choose())} - {"training"}


@pytest.mark.parametrize(
    ("parameters", "test"),
    [
        ("a=b", "x-a=b/t.py::t"),
        ("a=b-1", "x-a=b/t.py::t[1]"),
        ("1-a=b", "x-a=b/t.py::t[1]"),
        ("1-a=b--2", "x-a=b/t.py::t[1--2]"),
        ("a=bc-a=b", "x-a=b/t.py::t[a=bc]"),
    ],
)
def test_a_run_names_its_test(parameters: str, test: str) -> None:
    assert (
        names.node_id_without_run(f"x-a=b/t.py::t[{parameters}]", parameters, "a=b")
        == test
    )

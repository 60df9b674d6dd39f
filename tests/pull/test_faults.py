"""A pull from a service that fails, limits and changes: the same tree all the same."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from mock_server import MockServer
from mock_server.cli.output import UNFIT, UNREACHABLE, Stop
from tests.pull.walks import (
    BIG,
    COLLECTIONS,
    DATASET,
    SMALL,
    items_of,
    mostly_full,
    pull_of,
    served,
    tree_of,
)

RUNS = [
    # Two of them in every run of the tests, one for each profile.
    pytest.param(profile, seed, marks=() if seed == n else pytest.mark.ci)
    for n, profile in enumerate(("documented", "deployed"))
    for seed in range(40)
]


# The top level has two pages.
DRIFTS: list[tuple[str, dict[str, int]]] = [
    ("page_drift", {"skip": 1, "insert": 1}),
    ("page_drift", {"skip": 1, "remove": 1}),
    ("duplicate_item", {"times": 2}),
    ("wrong_total", {"times": 2}),
]


def longest_run(server: MockServer) -> int:
    """How often in a row one page was asked for."""
    bodies = [each["request"]["body"] for each in server.control.journal]
    return max(len(list(group)) for _, group in groupby(bodies))


@pytest.mark.ci
@pytest.mark.parametrize(("profile", "seed"), RUNS)
def test_failures_and_limits_change_nothing(
    tmp_path: Path, profile: str, seed: int
) -> None:
    with served(BIG, profile) as server:
        server.control.preset("flaky", seed)
        server.control.preset("rate-limited", seed)
        clock = server.control.clock
        made = pull_of(
            server.url, tmp_path / "a.json", COLLECTIONS, sleep=clock.advance
        )
        assert longest_run(server) <= 3
    ids = [each["_id"] for each in items_of(made)]
    assert len(ids) == len(set(ids)) == 1_000
    assert {(e["_id"], e["parentId"], e["name"]) for e in items_of(made)} == tree_of(
        BIG
    )


@pytest.mark.parametrize(("kind", "how"), DRIFTS)
def test_a_pull_begins_again_if_a_list_changes_meanwhile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str, how: dict[str, int]
) -> None:
    with served(SMALL) as server:
        quiet = pull_of(server.url, tmp_path / "quiet.yaml")
        server.control.fault(kind, operation="listV2", **how)
        assert pull_of(server.url, tmp_path / "moving.yaml") == quiet
    err = capsys.readouterr().err
    assert "changed meanwhile: " in err
    assert "; the pull begins again" in err


@pytest.mark.parametrize("skip", mostly_full(3, 1))
def test_a_folder_that_has_gone_is_not_pulled(tmp_path: Path, skip: int) -> None:
    def change(_: float) -> None:
        server.control.remove_collection(DATASET, "box-31")

    with served(SMALL) as server:
        # It fails once; the change comes in the pause before the next try.
        server.control.fault("error", operation="listV2", skip=skip)
        made = pull_of(server.url, tmp_path / "a.yaml", sleep=change)
        assert made == pull_of(server.url, tmp_path / "b.yaml")


def test_a_page_that_fails_is_put_off_to_the_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(SMALL) as server:
        quiet = pull_of(server.url, tmp_path / "quiet.yaml")
        server.control.fault("error", operation="listV2", skip=3, times=3)
        assert pull_of(server.url, tmp_path / "late.yaml") == quiet
    assert capsys.readouterr().err.count("put off to the end: collections in") == 1


def test_it_waits_as_long_as_it_is_told(tmp_path: Path) -> None:
    pauses: list[float] = []
    with served(SMALL) as server:
        server.control.fault("error", status=429, retryAfter=17, times=2)
        pull_of(server.url, tmp_path / "a.yaml", sleep=pauses.append)
    assert pauses == [17, 17]


def test_it_gives_up_where_it_would_wait_too_long(tmp_path: Path) -> None:
    pauses: list[float] = []
    with served(SMALL) as server:
        server.control.fault("error", status=503, retryAfter=3_600)
        with pytest.raises(Stop, match=r"503.* retry after 3600 s") as stop:
            pull_of(server.url, tmp_path / "a.yaml", sleep=pauses.append)
    assert (stop.value.status, pauses) == (UNREACHABLE, [])


def test_a_list_that_never_rests_ends_the_pull(tmp_path: Path) -> None:
    with served(SMALL) as server:
        server.control.fault("wrong_total", times=100)
        with pytest.raises(Stop, match="given up") as stop:
            pull_of(server.url, tmp_path / "a.yaml")
    assert stop.value.status == UNFIT


@pytest.mark.parametrize("preset", ["null-fields", "missing-fields"])
def test_items_that_are_none_end_the_pull(tmp_path: Path, preset: str) -> None:
    with served(SMALL) as server:
        server.control.preset(preset)
        with pytest.raises(Stop, match=r"POST http.*listV2 .*\$\.data\.list") as stop:
            pull_of(server.url, tmp_path / "a.yaml")
    assert stop.value.status == UNFIT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("preset", ["unknown-types", "extra-fields"])
def test_what_is_only_strange_is_pulled(tmp_path: Path, preset: str) -> None:
    with served({"datasets": [{"id": DATASET, "collections": []}]}) as server:
        server.control.put_collection(DATASET, {"_id": "a", "name": "A"})
        server.control.preset(preset)
        made = pull_of(server.url, tmp_path / "a.json", COLLECTIONS)
    assert [each["_id"] for each in items_of(made)] == ["a"]

"""Fixture files that change while they are served: `--watch`, and SIGHUP."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from tests.cli.saves import BAD, GOOD, by_rename, clients, in_place, version
from tests.process import serving
from tests.support import LIST, SECONDS, fetch, wait

Save = Callable[[Path, str], None]
HANGUP = getattr(signal, "SIGHUP", None)


@pytest.fixture
def fixture(tmp_path: Path) -> Path:
    """A file of version 1, in a folder that can be replaced."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "fixture.yaml").write_text(version(1))
    return folder / "fixture.yaml"


@pytest.fixture
def url(fixture: Path) -> Iterator[str]:
    with serving(str(fixture), "--watch", "--port=0") as (url, _):
        yield url


def health(url: str) -> dict[str, Any]:
    return dict(fetch("GET", f"{url}/__admin/health").json())


def served(url: str) -> int:
    """The version that is served."""
    return int(health(url)["fixture"]["collections"]) - 1


def has_generation(url: str, number: int) -> bool:
    return bool(health(url)["generation"] == number)


def problems(url: str) -> list[dict[str, Any]]:
    """What is wrong with the files, as far as the server has found out."""
    return list((health(url)["reload"] or {"problems": []})["problems"])


@pytest.mark.parametrize("saves", [GOOD[:1], pytest.param(GOOD, marks=pytest.mark.ci)])
def test_a_file_is_served_once_it_is_saved(
    url: str, fixture: Path, saves: Sequence[Save]
) -> None:
    for number, save in enumerate(saves, 2):
        save(fixture, version(number))
        wait(lambda number=number: served(url) == number)  # type: ignore[misc]
        assert health(url)["generation"] == number
        assert health(url)["reload"]["problems"] == []


@pytest.mark.ci
@pytest.mark.parametrize("save", BAD)
def test_a_broken_file_changes_nothing_until_it_is_good(
    url: str, fixture: Path, save: Save
) -> None:
    save(fixture, version(2))
    wait(lambda: problems(url))
    now = health(url)
    assert (now["status"], now["generation"], served(url)) == ("ready", 1, 1)
    assert problems(url)[0]["file"] == "fixture.yaml"
    in_place(fixture, version(3))
    wait(lambda: served(url) == 3)
    assert problems(url) == []


@pytest.mark.ci
def test_a_save_that_changes_nothing_resets_nothing(url: str, fixture: Path) -> None:
    in_place(fixture, "broken: [")
    wait(lambda: problems(url))
    in_place(fixture, version(1))
    wait(lambda: not problems(url))
    assert health(url)["generation"] == 1


@pytest.mark.ci
def test_a_problem_is_told_with_its_place(fixture: Path) -> None:
    with serving(str(fixture), "--watch", "--port=0") as (url, process):
        in_place(fixture, 'datasets:\n  - id: d\n    nmae: "##[x]\\e"\n')
        problem = wait(lambda: problems(url))[0]
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    assert (problem["line"], problem["column"]) == (3, 5)
    assert "did you mean 'name'" in problem["message"]
    assert f"{fixture}:3:5: " in err
    assert "what was loaded before is served" in err


@pytest.mark.ci
def test_a_reload_that_fails_logs_no_key_and_no_password(fixture: Path) -> None:
    user, key = "username: root, password: word-of-anna", "{key: key-of-anna}"
    in_place(fixture, f"users: [{{{user}}}]\nkeys: [{key}]")
    with serving(str(fixture), "--watch", "--port=0") as (url, process):
        in_place(fixture, f"users: [{{{user}, x: 1}}]\nkeys: [{key}, {key}]")
        wait(lambda: problems(url))
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    told = err.partition("watching")[2]
    assert ":1:50: unknown field 'x'" in told
    assert "duplicate key '[redacted]'" in told
    assert "of-anna" not in told


@pytest.mark.ci
def test_a_problem_quotes_no_fixture_to_those_without_the_token(fixture: Path) -> None:
    with serving(str(fixture), "--watch", "--port=0", "--admin-token=t") as (url, _):
        in_place(fixture, "apps: [{id: a, permissions: {fastgpt-secret: read}}]")
        assert wait(lambda: problems(url))[0]["message"] is None
        shown = {"Authorization": "Bearer t"}
        answer = fetch("GET", f"{url}/__admin/health", headers=shown)
        assert answer.json()["reload"]["problems"][0]["message"]


@pytest.mark.ci
def test_other_sandboxes_keep_what_they_have(url: str, fixture: Path) -> None:
    def make(name: str) -> str:
        body = {"name": name}
        key = fetch("POST", f"{url}/__admin/sandboxes", json=body).json()["key"]
        return str(key)

    def total(key: str) -> int:
        body, headers = {"offset": 0, "datasetId": "d"}, {"Authorization": key}
        answer = fetch("POST", url + LIST, json=body, headers=headers)
        return int(answer.json()["data"]["total"])

    old = f"Bearer {make('old')}"
    in_place(fixture, version(5))
    wait(lambda: served(url) == 5)
    assert (total(old), total(f"Bearer {make('new')}")) == (2, 6)


@pytest.mark.ci
def test_a_folder_may_be_replaced(url: str, fixture: Path) -> None:
    folder = fixture.parent
    for number in (2, 3):  # the new folder is watched too
        folder.rename(folder.with_name(f"old-{number}"))
        folder.mkdir()
        in_place(fixture, version(number))
        wait(lambda: served(url) == number)  # noqa: B023 - called at once


@pytest.mark.ci
def test_a_link_may_be_replaced_as_in_a_mounted_config_map(tmp_path: Path) -> None:
    def publish(number: int) -> None:
        folder = tmp_path / f"..{number}"
        folder.mkdir()
        (folder / "fixture.yaml").write_text(version(number))
        (tmp_path / "..data_tmp").symlink_to(folder.name)
        (tmp_path / "..data_tmp").replace(tmp_path / "..data")

    publish(1)
    link = tmp_path / "fixture.yaml"
    link.symlink_to("..data/fixture.yaml")
    with serving(str(link), "--watch", "--port=0") as (url, _):
        for number in (2, 3):
            publish(number)
            wait(lambda: served(url) == number)  # noqa: B023 - called at once


@pytest.mark.ci
def test_several_files_are_one_fixture(tmp_path: Path) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.json"
    first.write_text("datasets: [{id: d, collections: [{name: a}]}]")
    second.write_text('{"datasets": [{"id": "d", "collections": [{"name": "b"}]}]}')
    with serving(str(first), str(second), "--watch", "--port=0") as (url, _):
        second.unlink()
        wait(lambda: [each["file"] for each in problems(url)] == ["b.json"])
        by_rename(second, '{"datasets": [{"id": "d", "collections": []}]}')
        wait(lambda: health(url)["fixture"]["collections"] == 1)
        assert health(url)["fixture"]["files"] == ["a.yaml", "b.json"]


@pytest.mark.ci
def test_faults_of_files_and_options_begin_anew(fixture: Path) -> None:
    options = str(fixture), "--watch", "--fault=reset", "--port=0"
    with serving(*options) as (url, _):
        in_place(fixture, '{"faults": [{"kind": "error"}],' + version(2)[1:])
        wait(lambda: served(url) == 2)
        faults = fetch("GET", f"{url}/__admin/faults").json()["faults"]
    assert [each["kind"] for each in faults] == ["error", "reset"]


@pytest.mark.ci
def test_responses_and_their_files_are_loaded_again(url: str, fixture: Path) -> None:
    for number, body in enumerate(("one", "two"), 2):
        # Another line, as only the fixture file is watched.
        (fixture.parent / "a.txt").write_text(body)
        responses = f"responses: [{{method: GET, path: /a, file: a.txt}}] # {body}\n"
        fixture.write_text(responses)
        wait(partial(has_generation, url, number))
        assert fetch("GET", f"{url}/a").text == body


@pytest.mark.ci
def test_what_is_not_named_cannot_be_watched() -> None:
    with serving("--port=0", MOCK_SERVER_WATCH="true") as (_, process):
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    assert "\n--watch: no fixture file was named" in err


@pytest.mark.skipif(HANGUP is None, reason="no SIGHUP here")
@pytest.mark.ci
@pytest.mark.parametrize("options", [("--watch",), ()])
def test_sighup_reloads_and_ends_nothing(
    fixture: Path, options: tuple[str, ...]
) -> None:
    assert HANGUP is not None
    with serving(str(fixture), "--port=0", *options) as (url, process):
        process.send_signal(HANGUP)  # files that are as they were, too
        wait(lambda: health(url)["generation"] == 2)
        in_place(fixture, "broken: [")
        process.send_signal(HANGUP)
        wait(lambda: problems(url))
        assert served(url) == 1
        in_place(fixture, version(2))
        process.send_signal(HANGUP)
        wait(lambda: served(url) == 2)
        process.terminate()
        assert process.wait(SECONDS) == 0


@pytest.mark.ci
@pytest.mark.skipif(HANGUP is None, reason="no SIGHUP here")
def test_a_reload_that_takes_long_is_told_meanwhile(fixture: Path) -> None:
    assert HANGUP is not None
    entry = "{name: 'N {n}', repeat: 300000}"
    with serving("--port=0", str(fixture)) as (url, process):
        fixture.write_text(f"datasets: [{{id: d, collections: [{entry}]}}]")
        process.send_signal(HANGUP)
        wait(lambda: has_generation(url, 2))
        process.terminate()
        _, told = process.communicate()
    # After a second, or later where the machine is busy.
    assert re.search(rf"loading {re.escape(str(fixture))} again \.\.\. \d+ s\n", told)
    assert "reloaded 1 dataset, 300000 collections" in told


@pytest.mark.ci
@pytest.mark.skipif(HANGUP is None, reason="no SIGHUP here")
def test_sighup_without_files_says_that_there_are_none() -> None:
    assert HANGUP is not None
    with serving("--port=0") as (url, process):
        process.send_signal(HANGUP)
        assert health(url)["generation"] == 1
        process.terminate()
        _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0
    assert "\nSIGHUP: no fixture file was named" in err


@pytest.mark.ci
@pytest.mark.skipif(HANGUP is None, reason="no SIGHUP here")
def test_sighup_before_the_server_is_ready_ends_nothing() -> None:
    assert HANGUP is not None
    start = (
        "import os, signal, mock_server.__main__ as it\n"
        "os.kill(os.getpid(), signal.SIGHUP)\n"
        "it.main()"
    )
    command = [sys.executable, "-c", start]
    with serving("--port=0", command=command) as (url, process):
        assert health(url)["status"] == "ready"
        assert process.poll() is None


def is_told(url: str, fixture: Path, is_good: bool) -> bool:
    """Whether the server has come to know the file as it is now."""
    if not is_good:
        return bool(problems(url))
    return fixture.read_text() == version(served(url)) and not problems(url)


def saved_under_load(url: str, fixture: Path, saves: int, every: int) -> int:
    """Save a file so often, half of the times broken; how many answers were given.

    After so many saves the state of things is waited for.
    """
    good, bad, last = cycle(GOOD), cycle(BAD), 1
    with clients(url, 4) as end:
        for number in range(2, saves + 2):
            is_good = number % 2 == 1 or number == saves + 1
            save = next(good if is_good else bad)
            save(fixture, version(number))
            last = number if is_good else last
            if number // 2 % every == 0:
                wait(lambda: is_told(url, fixture, is_good))  # noqa: B023 - now
        wait(lambda: served(url) == last)
        seen = end()
    assert seen.failures == []
    assert seen.mixed() == []
    assert len(seen.versions) > saves // (4 * every)
    return seen.answers


@pytest.mark.ci
def test_saves_under_load_fail_no_request(url: str, fixture: Path) -> None:
    assert saved_under_load(url, fixture, 6, 1) > 10


@pytest.mark.full
def test_a_thousand_saves_under_load_fail_no_request(url: str, fixture: Path) -> None:
    answers = saved_under_load(url, fixture, 1_000, 4)
    print(f"{answers} answers, generation {health(url)['generation']}")
    assert answers > 1_000

"""What a server says of itself when it starts."""

from __future__ import annotations

import json
import shlex
import signal
from typing import Any

import pytest

from mock_server.app import create_app
from mock_server.cli.serving import banner
from tests.process import serving
from tests.support import LIST, SECONDS, fetch


def said(document: dict[str, Any], **choices: str) -> str:
    app = create_app(document, choices=choices)
    where = "http://localhost:1"
    return banner(app.sandbox, where, "h11", is_admin_open=True)


def test_the_call_to_try_survives_a_shell() -> None:
    name = 'it\'s "d"'
    call = said({"datasets": [{"id": name}]}).splitlines()[-1]
    assert json.loads(shlex.split(call)[-1])["datasetId"] == name


def test_the_call_uses_a_key_that_may_read() -> None:
    keys = [{"key": "nobody", "permission": "none"}, {"key": "reader"}]
    text = said({"keys": keys, "datasets": [{"id": "d"}]})
    assert "keys: nobody, reader" in text
    assert "Bearer reader" in text


def test_the_call_lists_something_where_a_dataset_has_something() -> None:
    datasets: list[dict[str, Any]] = [
        {"id": "folder", "type": "folder"},
        {"id": "empty"},
        {"id": "full", "collections": [{"name": "A"}]},
    ]
    call = said({"datasets": datasets}).splitlines()[-1]
    assert json.loads(shlex.split(call)[-1])["datasetId"] == "full"
    call = said({"datasets": datasets[:2]}).splitlines()[-1]
    assert json.loads(shlex.split(call)[-1])["datasetId"] == "empty"


@pytest.mark.parametrize("keys", [[], [{"key": "nobody", "permission": "none"}]])
def test_without_a_dataset_to_read_the_call_is_health(keys: list[Any]) -> None:
    datasets = [{"id": "d"}] if keys else []
    text = said({"keys": keys, "datasets": datasets})
    assert "try: curl http://localhost:1/__admin/health" in text


def test_keys_are_told_as_they_are_taken() -> None:
    assert "any bearer key is accepted" in said({})
    assert "none is accepted" in said({}, unknown_key="reject")


def test_what_a_fixture_holds_moves_no_terminal() -> None:
    name = "\x9b31m\u202e##[x]"
    text = said({"datasets": [{"id": name}]})
    assert all(line.isprintable() for line in text.splitlines())
    call = text.splitlines()[-1]
    assert json.loads(shlex.split(call)[-1])["datasetId"] == name
    assert "##[" not in text


def test_faults_from_the_start_are_told_with_their_ends() -> None:
    error = {"kind": "error", "status": 500, "times": 1_000}
    limit = {"kind": "rate_limit", "limit": 1, "window": 1, "ttl": 600}
    lists = {"kind": "hang", "operation": "listV2"}
    told = said({"faults": [error, limit, lists]}).splitlines()[2]
    assert told == (
        "faults: f1 error of any operation (1,000 times, for 60 s at most), "
        "f2 rate_limit of any operation (for 600 s at most), "
        "f3 hang of listV2 (once, for 60 s at most)"
    )
    many = said({"faults": [error] * 7}).splitlines()[2]
    assert many.endswith(" (1,000 times, for 60 s at most), and 2 more")
    assert "faults:" not in said({})


def test_choices_other_than_the_profiles_are_told() -> None:
    assert "\nchoices: list_order=name\n" in said({}, list_order="name")
    assert "choices: " not in said({})


def test_what_a_fixture_may_not_mean_is_told_when_it_is_served() -> None:
    answer = {"method": "GET", "path": "/users/:id", "json": {}}
    text = said({"responses": [answer]})
    assert "warning: GET /users/:id: ':id' is taken literally" in text


def test_a_port_of_another_variable_is_told_to_have_no_effect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PORT", "9000")
    assert "warning: PORT=9000 has no effect (the port is MOCK_SERVER_PORT" in said({})


def test_a_fixture_for_another_version_is_served_with_a_warning() -> None:
    told = "warning: the fixture is for version 4.14, not 4.16 (--choice version=4.14"
    assert said({"version": "4.14"}).count(told) == 1
    assert "warning" not in said({"version": "4.16"})


def test_one_is_told_in_the_singular() -> None:
    collections = [{"name": "a"}, {"name": "b"}]
    text = said({"datasets": [{"id": "d", "collections": collections}]})
    assert text.startswith("serving 1 dataset, 2 collections, 0 chats from ")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("bound", "opened"), [("0.0.0.0", "127.0.0.1"), ("::", "[::1]")]
)
def test_what_listens_everywhere_tells_an_address_to_open(
    bound: str, opened: str
) -> None:
    with serving("--port=0", "--host", bound) as (url, process):
        where = f"http://{opened}:{url.rpartition(':')[2]}"
        page = fetch("GET", f"{where}/__admin/")
        assert page.headers["content-type"].startswith("text/html")
        process.terminate()
        lines = process.communicate(timeout=SECONDS)[1].splitlines()
    assert bound in url  # the line for programs says what the server listens on
    told = lines[2].split()[1], lines[3].split()[4]
    assert told == (f"{where}/__admin/", where + LIST)


@pytest.mark.ci
def test_a_json_log_is_json_to_its_end() -> None:
    with serving("--port=0", "--log-format=json", "--demo") as (_, process):
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=SECONDS)
    said = [json.loads(line) for line in err.splitlines()]
    assert all(each.keys() == {"time", "message"} for each in said)
    assert said[0]["message"].startswith("serving ")

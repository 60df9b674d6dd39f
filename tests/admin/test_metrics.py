"""Metrics: right after requests of each kind, with few labels, and off by default."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

import mock_server
from mock_server import MockServer
from mock_server.admin.metrics import LoopLag
from mock_server.api.faults.table import KINDS
from mock_server.api.operations.table import OPERATIONS
from mock_server.app import create_app
from mock_server.domain.limits import Limits
from mock_server.wire.parts import best_parser
from tests.conftest import MakeApi
from tests.support import LIBRARY, LIST, Api, fetch, wait

PACKAGE = Path(mock_server.__file__).parent
METRICS = "/__admin/metrics"
DECLARED = {"responses": [{"method": "GET", "path": "/files/{name}", "text": "x"}]}
LAG = "mock_server_event_loop_lag_seconds"
HEADERS = {"Authorization": "Bearer any"}
Sample = tuple[str, ...]


def read(api: Api) -> dict[Sample, float]:
    """The samples by their names and the values of their labels."""
    return parsed(api.client.get(METRICS).text)


def parsed(text: str) -> dict[Sample, float]:
    return {
        (each.name, *each.labels.values()): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def of(name: str, found: Mapping[Sample, float]) -> dict[Sample, float]:
    """The samples of a metric that are not 0, by their labels."""
    full = f"mock_server_{name}"
    return {key[1:]: value for key, value in found.items() if key[0] == full and value}


@pytest.fixture
def face() -> str:
    """Over sockets: nothing here depends on how a request has come."""
    return best_parser()


@pytest.fixture
def api(make_api: MakeApi) -> Api:
    return make_api(LIBRARY | DECLARED, metrics=True)


def test_a_server_that_was_not_asked_has_none(make_api: MakeApi) -> None:
    answer = make_api().client.get(METRICS)
    assert (answer.status_code, answer.json()["statusText"]) == (404, "routeNotFound")
    for way in ("--metrics", "MOCK_SERVER_METRICS=true", "metrics=True"):
        assert way in answer.json()["message"]


def test_they_are_text_of_their_format(api: Api) -> None:
    answer = api.client.get(METRICS)
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    families = list(text_string_to_metric_families(answer.text))
    assert all(each.documentation and each.type != "unknown" for each in families)
    assert len({each.name for each in families}) == len(families)


def test_requests_are_counted_by_operation_and_status(api: Api) -> None:
    for _ in range(3):
        assert api.list_v2().status_code == 200
    for send in (api.list_v2, api.pin):
        assert send(key=None).status_code == 401
    api.pin(chatId="none")
    api.client.get("/files/a%20b")
    api.client.get("/favicon.ico")
    assert of("requests_total", read(api)) == {
        ("listV2", "200"): 3,
        ("listV2", "401"): 1,
        ("updateHistory", "401"): 1,
        ("updateHistory", "404"): 1,
        ("declared", "200"): 1,
        ("none", "404"): 1,
    }


def test_what_no_journal_has_is_not_counted(api: Api) -> None:
    api.admin("POST", "/reset")
    api.client.get("/openapi.json")
    asked = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}
    assert api.client.options(LIST, headers=asked).status_code == 204
    assert of("requests_total", read(api)) == {}


def test_faults_are_counted_by_kind_and_all_kinds_listed(api: Api) -> None:
    for fields in ({"kind": "error", "times": 2}, {"kind": "wrong_total", "by": 1}):
        assert api.admin("POST", "/faults", fields).status_code == 201
    for _ in range(4):
        api.list_v2()
    found = read(api)
    assert of("faults_fired_total", found) == {("error",): 2, ("wrong_total",): 1}
    listed = {key[1] for key in found if key[0] == "mock_server_faults_fired_total"}
    assert listed == {*KINDS}
    assert of("requests_total", found) == {("listV2", "503"): 2, ("listV2", "200"): 2}


def test_a_request_without_an_answer_has_status_0() -> None:
    with MockServer(LIBRARY, metrics=True) as server:
        server.control.fault("empty")
        with pytest.raises(httpx2.TransportError):
            fetch("POST", server.url + LIST, json={}, headers=HEADERS)
        found = parsed(fetch("GET", server.url + METRICS).text)
    assert of("requests_total", found) == {("listV2", "0"): 1}
    assert of("faults_fired_total", found) == {("empty",): 1}


def test_the_journal_tells_why_as_ever(api: Api) -> None:
    api.send("POST", LIST + "/", {})
    (entry,) = api.journal()
    assert "did you mean" in entry["hint"]


def test_drops_are_counted_across_resets(make_api: MakeApi) -> None:
    api = make_api(metrics=True, limits=Limits(journal_entries=3))
    for _ in range(2):
        for _ in range(5):
            api.list_v2()
        found = read(api)
        assert of("journal_entries", found) == {(): 3}
        api.admin("POST", "/reset")
    found = read(api)
    assert of("journal_dropped_total", found) == {(): 4}
    assert of("journal_entries", found) == {}
    assert of("requests_total", found) == {("listV2", "200"): 10}


def test_sandboxes_are_counted_and_their_requests_are_one_sum(api: Api) -> None:
    made = api.admin("POST", "/sandboxes", {"name": "team"}).json()
    api.list_v2()
    api.list_v2(made["key"])
    api.send("POST", f"/__sandboxes/team{LIST}", {}, "any")
    found = read(api)
    assert of("sandboxes", found) == {(): 2}
    assert of("journal_entries", found) == {(): 3}
    api.admin("DELETE", "/sandboxes/team")
    found = read(api)
    assert (of("sandboxes", found), of("journal_entries", found)) == ({(): 1}, {(): 1})
    assert sum(of("requests_total", found).values()) == 3
    assert "team" not in api.client.get(METRICS).text


def test_reading_them_keeps_no_sandbox_alive(api: Api) -> None:
    api.admin("POST", "/sandboxes", {"ttl": 0.2})
    assert of("sandboxes", read(api)) == {(): 2}
    wait(lambda: of("sandboxes", read(api)) == {(): 1})


def test_memory_is_that_of_health(api: Api) -> None:
    memory = api.client.get("/__admin/health").json()["memory"]
    found = read(api)
    assert found["mock_server_memory_limit_bytes",] == memory["limit"]
    assert found["mock_server_memory_bytes",] == pytest.approx(memory["used"], rel=0.2)


def test_no_label_comes_from_a_client(api: Api) -> None:
    for sent in ("fastgpt-secret", "a b", "ü"):
        api.list_v2(sent if sent.isascii() and " " not in sent else "x", tag=sent)
        api.client.get(f"/files/{sent}")
        api.client.request(f"M{len(sent)}", f"/{sent}")
    labels = {key[0] for key in of("requests_total", read(api))}
    assert labels <= {*OPERATIONS, "declared", "none"}
    assert not {"declared", "none"} & {*OPERATIONS}


def test_each_application_counts_by_itself() -> None:
    with MockServer(metrics=True) as one, MockServer(metrics=True) as other:
        fetch("GET", f"{one.url}/favicon.ico")
        counts = [
            parsed(fetch("GET", each.url + METRICS).text) for each in (one, other)
        ]
    assert [of("requests_total", each) for each in counts] == [{("none", "404"): 1}, {}]


def test_the_token_guards_them(make_api: MakeApi) -> None:
    api = make_api(metrics=True, admin_token="s3cret")
    assert api.client.get(METRICS).status_code == 401
    for headers, status in (
        ({"Authorization": "Bearer s3cret"}, 200),
        ({"Authorization": "Bearer s3cret", "Host": "mock.example"}, 421),
        ({"Authorization": "Bearer s3cret", "Origin": "https://a.example"}, 403),
    ):
        assert api.client.get(METRICS, headers=headers).status_code == status


def test_a_busy_loop_shows_as_lag() -> None:
    found: list[float] = []

    async def busy() -> None:
        lag = LoopLag(found.append)
        lag.follow()
        lag.follow()
        time.sleep(0.25)
        while not found:
            await asyncio.sleep(0.01)
        lag.close()

    asyncio.run(busy())
    assert len(found) == 1
    assert 0.1 < found[0] < 2


@pytest.mark.ci
def test_the_lag_is_measured_from_the_first_reading_on() -> None:
    server, before = MockServer(metrics=True), 0.0

    def seen(least: float = 0) -> float:
        found = parsed(fetch("GET", server.url + METRICS).text)[f"{LAG}_count",]
        return found * (found >= least)

    # A server that is started again has another loop.
    for _ in range(2):
        with server:
            assert before <= seen()
            before = wait(partial(seen, before + 2))


def test_a_request_without_them_runs_no_line_that_counts() -> None:
    app, files = create_app(LIBRARY), set[Path]()

    def note(frame: Any, *_: object) -> None:
        files.add(Path(frame.f_code.co_filename))

    async def ask() -> None:
        body = {"type": "http.request", "body": b"{}"}
        headers = [(b"authorization", b"Bearer x"), (b"x-request-id", b"mine")]
        scope = {"type": "http", "method": "POST", "path": LIST, "query_string": b""}
        scope |= {"raw_path": LIST.encode(), "headers": headers, "http_version": "1.1"}

        async def receive() -> Any:
            return body

        async def send(_: Any) -> None: ...

        sys.setprofile(note)
        await app(scope, receive, send)
        sys.setprofile(None)

    asyncio.run(ask())
    assert PACKAGE / "api" / "journaling.py" in files
    names = {each.stem for each in files}
    assert not names & {"counting", "metrics", "request_id", "request_log"}


@pytest.mark.ci
def test_only_who_asks_for_them_loads_the_library_and_needs_it() -> None:
    code = (
        "import sys, mock_server.cli.serving\n"
        "from mock_server import MockServer\n"
        "from mock_server.exceptions import MissingLibrary\n"
        "MockServer({})\n"
        "print('prometheus_client' in sys.modules)\n"
        "sys.modules['prometheus_client'] = None\n"
        "try: MockServer({}, metrics=True)\n"
        "except MissingLibrary as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    said = "metrics need the library prometheus_client: pip install"
    assert done.stdout.startswith(f"False\n{said} 'fastgpt-mock-server[metrics]'")
    assert done.stderr == ""

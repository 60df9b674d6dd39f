"""Logged requests have an id: in the line, in the answer, and to find the entry by."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from mock_server.api.request_log import LogRedaction, RequestLog
from mock_server.app import create_app
from mock_server.domain.printable import LogFormat
from mock_server.wire.server import running
from tests.support import LIBRARY, LIST, client_of, wait

KEY = "fastgpt-declared-key"
HEADER = "x-request-id"
DECLARED = [
    {"method": "GET", "path": "/own", "headers": {"X-Request-Id": "of-the-fixture"}},
    {"method": "GET", "path": "/files/{name}", "text": "x"},
]
FIXTURE = LIBRARY | {"keys": [{"key": KEY}], "responses": DECLARED}


class Logged:
    """A client of a server with a log, whose answers have ids or not."""

    def __init__(self, log_format: LogFormat, *, gives_ids: bool) -> None:
        app = create_app(FIXTURE)
        self.lines: list[str] = []
        self.log = RequestLog(
            app,
            log_format,
            self.lines.append,
            LogRedaction(app.sandboxes, app.secrets),
            gives_ids=gives_ids,
        )
        self.client = client_of("")

    def ask(
        self, method: str = "POST", path: str = LIST, *sent: str, key: str = KEY
    ) -> tuple[httpx2.Response, dict[str, Any]]:
        """The answer to a request with these ids, and its line."""
        headers = [
            ("Authorization", f"Bearer {key}"),
            *((HEADER, each) for each in sent),
        ]
        before = len(self.lines)
        answer = self.client.request(method, path, json={}, headers=headers)
        wait(lambda: len(self.lines) > before)
        return answer, json.loads(self.lines[-1])

    def found(self, request_id: str, sandbox: str = "default") -> list[int]:
        """The numbers of the entries that the journal finds by an id."""
        path = f"/__admin/sandboxes/{sandbox}/journal"
        answer = self.client.get(path, params={"requestId": request_id})
        return [entry["seq"] for entry in answer.json()["entries"]]


@pytest.fixture
def logged() -> Iterator[Logged]:
    made = Logged("json", gives_ids=True)
    with running(made.log) as url, client_of(url) as made.client:
        yield made


@pytest.mark.ci
@pytest.mark.parametrize("sent", ["a", "4bf92f35.77b3_4da6-A", "x" * 128])
def test_the_id_of_a_client_is_taken(logged: Logged, sent: str) -> None:
    answer, line = logged.ask("POST", LIST, sent)
    assert answer.headers[HEADER] == line["requestId"] == sent
    logged.ask()
    assert logged.found(sent) == [1]


@pytest.mark.ci
@pytest.mark.parametrize(
    "sent",
    [
        (),
        ("",),
        ("x" * 129,),
        ("a b",),
        ("a/b",),
        ("a:b",),
        ("one", "two"),
        (KEY,),
        (f"x-{KEY}-y",),
    ],
)
def test_of_any_other_request_it_names_the_entry(
    logged: Logged, sent: tuple[str, ...]
) -> None:
    for number in (1, 2):
        answer, line = logged.ask("POST", LIST, *sent)
        assert answer.headers[HEADER] == line["requestId"] == f"default-1-{number}"
        assert logged.found(line["requestId"]) == [number]
    assert KEY not in "".join(logged.lines)


def test_ids_are_of_the_sandbox_and_of_its_generation(logged: Logged) -> None:
    made = logged.client.post("/__admin/sandboxes", json={"name": "my-team"}).json()
    key = made["keys"][KEY]
    ids = [logged.ask(key=key)[1]["requestId"]]
    logged.client.post("/__admin/sandboxes/my-team/reset", json={})
    ids.append(logged.ask(key=key)[1]["requestId"])
    ids.append(logged.ask(path=f"/__sandboxes/my-team{LIST}")[1]["requestId"])
    assert ids == ["my-team-1-1", "my-team-2-2", "my-team-2-3"]
    assert [logged.found(each, "my-team") for each in ids] == [[], [2], [3]]
    assert logged.found(ids[1]) == []


@pytest.mark.ci
def test_what_is_in_no_journal_is_counted(logged: Logged) -> None:
    ids = [
        logged.ask(method, path)[0].headers[HEADER]
        for method, path in (
            ("GET", "/__admin/health"),
            ("GET", "/openapi.json"),
            ("POST", f"/__sandboxes/none{LIST}"),
            ("GET", "/__admin/nowhere"),
        )
    ]
    assert ids == ["request-1", "request-2", "request-3", "request-4"]


def test_a_request_without_an_answer_has_one_too(logged: Logged) -> None:
    logged.client.post("/__admin/faults", json={"kind": "empty"})
    with pytest.raises(httpx2.TransportError):
        logged.ask()
    line = json.loads(wait(lambda: logged.lines[1:])[0])
    assert (line["status"], line["requestId"]) == (0, "default-1-1")


def test_a_path_with_escapes_has_an_entry_too(logged: Logged) -> None:
    answer, line = logged.ask("GET", "/files/a%20b")
    assert answer.headers[HEADER] == line["requestId"] == "default-1-1"
    assert line["operation"] == "GET /files/{name}"


def test_a_declared_response_keeps_its_own(logged: Logged) -> None:
    answer, line = logged.ask("GET", "/own", "mine")
    assert answer.headers.get_list(HEADER) == ["of-the-fixture"]
    assert line["requestId"] == "of-the-fixture"
    assert logged.found("mine") == [1]


def test_without_ids_an_answer_is_as_without_a_log() -> None:
    bare, plain = create_app(FIXTURE), Logged("json", gives_ids=False)
    answers = []
    for app in (bare, plain.log):
        with running(app) as url, client_of(url) as client:
            headers = {"Authorization": f"Bearer {KEY}", HEADER: "mine"}
            answer = client.post(LIST, json={}, headers=headers)
            answers.append((list(answer.headers)[1:], answer.content))
    assert answers[0] == answers[1]
    assert HEADER not in answers[0][0]
    assert json.loads(plain.lines[0])["requestId"] is None


def test_text_has_it_behind_the_time_it_took() -> None:
    made = Logged("text", gives_ids=True)
    with running(made.log) as url, client_of(url) as client:
        headers = {"Authorization": f"Bearer {KEY}"}
        client.post("/__admin/faults", json={"kind": "error", "message": "Out"})
        client.post(LIST, json={}, headers=headers)
    assert re.search(r" ms id request-1$", made.lines[0])
    assert re.search(r" 503 \S+ ms id default-1-1 fault f1 error - Out$", made.lines[1])

"""The client of a running server: its bounds, and what it makes of answers."""

from __future__ import annotations

import json
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from typing import Any

import pytest

from mock_server.admin.views import HealthView, ResetView
from mock_server.cli.main import main
from mock_server.control.client import JSON, YAML, AdminClient, Refused
from mock_server.control.embedding import MockServer
from mock_server.control.http_call import Budget, Unreachable
from mock_server.domain.limits import Published
from mock_server.wire.server import bind
from tests.strangers import Behaviour, Strange, answer, says, strangers
from tests.support import LIST, SECONDS, client_of, fetch

RESET = {"sandbox": "default", "generation": 2}
HARM = "\x9b2J\u202e\u2028##[x]\x7f文"
FAULTS = {
    "faults": [
        {"id": HARM, "kind": "x", "remaining": 1, "fired": 0, "matches": 0, "endsIn": 1}
        | {"preset": None, "warnings": []}
    ]
}


def envelope(message: str, status: int = 400) -> bytes:
    failure = {"code": status, "statusText": "x", "message": message, "data": None}
    return json.dumps(failure, ensure_ascii=False).encode()


def busy(times: int, after: str, *, first: bytes = b"") -> Behaviour:
    """Answers that it is busy, so often; then to a reset."""
    asked = 0

    async def behave(reader: StreamReader, writer: StreamWriter) -> None:
        nonlocal asked
        del reader
        asked += 1
        refusal = answer("503 Busy", first or envelope("busy", 503), after)
        good = answer(body=json.dumps(RESET | {"newer": [1]}).encode())
        writer.write(refusal if asked <= times else good)

    return behave


def answers() -> dict[str, Behaviour]:
    """What a mock server could answer, and what only looks like that."""
    return {
        "busy": busy(2, "Retry-After: 0"),
        "busy_page": busy(1, "Retry-After: 0", first=b"<html>"),
        "busy_long": busy(99, "Retry-After: 3600"),
        "busy_ever": busy(99, "Retry-After: 0"),
        "refusing": says(answer("400 No", envelope(f"::error::a\r\nb{HARM}"))),
        "faults": says(answer(body=json.dumps(FAULTS, ensure_ascii=False).encode())),
        "verified": says(answer(body=b'{"ok":false,"count":3}')),
        "unverified": says(answer("409 No", b'{"ok":true,"count":3}')),
        "chunked": says(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b'5\r\n{"san\r\n24\r\ndbox":"default","generation":2}     \r\n0\r\n\r\n'
        ),
    }


@pytest.fixture
def strange() -> Iterator[Strange]:
    with strangers(answers()) as running:
        yield running


def reset(client: AdminClient, **how: Any) -> ResetView:
    return client.call(ResetView, "POST", "/reset", **how).value


@pytest.mark.parametrize(("name", "times"), [("busy", 2), ("busy_page", 1)])
def test_a_busy_server_is_asked_again_and_each_time_is_told(
    strange: Strange, name: str, times: int
) -> None:
    told: list[str] = []
    client = AdminClient(strange.url(name), log=told.append)
    assert reset(client) == ResetView("default", 2)
    assert told == [f"{client.url} is busy (503), retrying in 0.1 s"] * times


def test_a_command_tells_of_each_retry_on_stderr(
    strange: Strange, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["reset", "--url", strange.url("busy")])
    out, err = capsys.readouterr()
    assert (ended.value.code, json.loads(out)["sandbox"]) == (None, "default")
    assert [line.endswith("ing in 0.1 s") for line in err.splitlines()] == [True] * 2


@pytest.mark.parametrize(
    ("name", "seconds"), [("busy_long", SECONDS), ("busy_ever", 0.3)]
)
def test_a_server_that_stays_busy_is_given_up(
    strange: Strange, name: str, seconds: float
) -> None:
    with pytest.raises(Refused, match=r"^busy$") as refused:
        reset(AdminClient(strange.url(name), timeout=seconds))
    assert refused.value.status == 503
    assert refused.type.__module__ == "mock_server.exceptions"


def test_a_verification_that_cannot_be_made_is_not_a_false_one(
    strange: Strange, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["journal", "--exactly", "0", "--url", strange.url("busy_long")])
    assert (ended.value.code, capsys.readouterr().err) == (3, "busy\n")


def test_a_server_that_reads_nothing_is_given_up() -> None:
    with bind("127.0.0.1", 0) as listener:
        client = AdminClient(
            f"http://127.0.0.1:{listener.getsockname()[1]}", timeout=0.2
        )
        with pytest.raises(Unreachable, match=r"no full response in 0\.2 s"):
            client.call(ResetView, "PUT", "/state", bytes(64 * 2**20))


def test_wait_goes_on_until_what_answers_is_a_mock_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with MockServer() as server:
        health = fetch("GET", server.url + "/__admin/health").content
    pages = [answer(body=b"<html>"), answer("502 Bad Gateway"), b"no HTTP"]

    async def late(reader: StreamReader, writer: StreamWriter) -> None:
        del reader
        writer.write(pages.pop() if pages else answer(body=health))

    with strangers({"late": late}) as strange, pytest.raises(SystemExit) as ended:
        main(["wait", "--url", strange.url("late")])
    out, err = capsys.readouterr()
    assert (ended.value.code, out.encode(), err) == (None, health + b"\n", "")


def test_an_answer_in_chunks_is_read(strange: Strange) -> None:
    assert reset(AdminClient(strange.url("chunked"))) == ResetView("default", 2)


@pytest.mark.parametrize("name", ["endless_body", "endless_trailer"])
def test_an_answer_is_bounded_in_bytes(strange: Strange, name: str) -> None:
    with pytest.raises(Unreachable, match="more than 1000000 bytes"):
        reset(AdminClient(strange.url(name)), budget=Budget(20, 1_000_000))


@pytest.mark.parametrize("name", ["verified", "unverified"])
def test_a_verification_that_contradicts_itself_is_none(
    strange: Strange, name: str
) -> None:
    with pytest.raises(Unreachable, match="Expected a response of a mock server"):
        AdminClient(strange.url(name)).verify({"exactly": 0})


def test_a_message_of_a_server_is_one_printable_line(
    strange: Strange, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["reset", "--url", strange.url("refusing")])
    escaped = r"\x3a:error::a\r\nb\x9b2J\u202e\u2028#\x23[x]\x7f文"
    assert (ended.value.code, capsys.readouterr().err) == (1, escaped + "\n")


def test_printed_json_is_the_same_json_without_controls(
    strange: Strange, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["fault", "list", "--url", strange.url("faults")])
    out = capsys.readouterr().out
    assert json.loads(out) == FAULTS
    assert out.removesuffix("\n").isprintable()
    assert "##[" not in out
    assert "文" in out


def test_a_printed_journal_has_the_numbers_that_were_sent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    body = '{"offset":123456789012345678901234567890,"n":1.50,"\u2028":1e5}'
    with MockServer() as server:
        headers = {"Authorization": "Bearer k", "Content-Type": "application/json"}
        fetch("POST", server.url + LIST, content=body.encode(), headers=headers)
        with pytest.raises(SystemExit):
            main(["journal", "--json", "--url", server.url])
    assert body.replace("\u2028", r"\u2028") in capsys.readouterr().out


@pytest.mark.ci
def test_a_journal_of_many_pages_is_read_to_its_end() -> None:
    with MockServer() as server:
        with client_of(server.url) as client:
            for _ in range(Published.journal_page + 5):
                client.get("/nowhere")
        page = json.loads(AdminClient(server.url).journal({}))
    seqs = [entry["seq"] for entry in page["entries"]]
    assert seqs == list(range(1, Published.journal_page + 6))
    assert page["next"] == seqs[-1] + 1


@pytest.mark.parametrize("option", [[], ["--yaml"]])
def test_a_printed_state_is_the_same_state_without_controls(
    capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    document = {"datasets": [{"id": "d", "name": HARM + "\x1b\U000e0041"}]}
    with MockServer(document) as server:
        with pytest.raises(SystemExit):
            main(["state", *option, "--url", server.url])
        text = capsys.readouterr().out
        assert all(line.isprintable() for line in text.splitlines())
        before = AdminClient(server.url).state().plain()
        kind = YAML if option else JSON
        path, content = "/state", text.encode()
        client = AdminClient(server.url)
        client.call(ResetView, "PUT", path, content, content_type=kind)
        assert client.state().plain() == before
    assert before["datasets"][0]["name"] == HARM + "\x1b\U000e0041"


def test_a_base_path_and_a_name_are_part_of_the_address() -> None:
    with MockServer() as server:
        port = server.url.rsplit(":", 1)[1]
        by_name = AdminClient(f"http://localhost:{port}/")
        health = by_name.call(HealthView, "GET", "/health").value
        assert health.status == "ready"
        with pytest.raises(Refused, match="/below/__admin/health"):
            AdminClient(f"{server.url}/below").call(HealthView, "GET", "/health")


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8000",
        "ftp://a",
        "http://",
        "http://a:b",
        "http://a:99999",
        "http://user:pw@a",
        "http://a?b",
        "http://a#b",
        "http://a b",
        "http://ä",
        "http://[::1",
        "http://a\nb",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"^Expected http://HOST:PORT, got '"):
        AdminClient(url)

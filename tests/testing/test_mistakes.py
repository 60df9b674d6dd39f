"""What is said to those who make a mistake: where it was made, and nothing of ours.

Each table has the code of a test and what the report of that test has to say. All of a
table run together, as tests of one file.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec
import pytest

import mock_server
from mock_server import AdminClient, Fault, MockServer, MockServerFixture
from mock_server.control.client import Refused
from mock_server.control.faults import near_miss, unfired_text
from mock_server.control.http_call import RawResponse
from mock_server.control.report import entry_lines
from mock_server.domain.journal import redacted_key
from tests.said import Case, Text
from tests.strangers import strangers
from tests.support import fetch
from tests.testing import calls
from tests.testing.conftest import Run

FIVE = [
    "2:9: Expected a string of 1 to 256 characters or null, got 5: quote it",
    "3:14: unknown field 'chatID' (did you mean 'chatId'?)",
    '3:43: Expected true or false, got the string "maybe"',
    "6:26: Expected a string of up to 8192 characters, got 5: quote it",
    '6:46: Expected an array, got the string "red": write it as a list: ["red"]',
]
THERE = " - at --mock-server-url"
SAID = Path(__file__).with_name("said")


def said(name: str) -> dict[str, str]:
    """What is said to each code of a file, in which `*` stands for anything."""
    return {each.given: each.said for each in Text(SAID / f"{name}.txt").cases}


SHARED = """
import pytest
from mock_server import MockServer

with MockServer() as STOPPED:
    CONTROL = STOPPED.control
    CONTROL.key

@pytest.fixture(scope="module", autouse=True)
def used():
    global USED
    with MockServer() as running:
        USED = int(running.url.rpartition(":")[2])
        yield

"""


def source(codes: Mapping[str, str], test: str) -> str:
    """A module with a test for each code, in which CODE and NUMBER are filled in."""
    return SHARED + "\n".join(
        test.replace("CODE", code).replace("NUMBER", str(n))
        for n, code in enumerate(codes)
    )


def reports(result: pytest.RunResult) -> Iterator[list[str]]:
    """The lines of the report of each test, in the order of the tests."""
    text = result.stdout.str().partition("short test summary")[0]
    head = r"^_+ (?:ERROR at setup of )?\S*test_(\d+)\S* _+$"
    _, *parts = re.split(head, text, flags=re.MULTILINE)
    found = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
    yield from (found[number].splitlines() for number in sorted(found))


def untold(
    run: Run, pytester: pytest.Pytester, table: Mapping[str, str], test: str
) -> list[str]:
    """What is not as it is to be in the reports of a table's tests."""
    pytester.makepyfile(test_mistakes=source(table, test))
    result = run("mistakes", alone=True)
    shown = list(reports(result))
    assert len(shown) == len(table), result.stdout.str()
    problems = []
    for number, ((code, wanted), lines) in enumerate(
        zip(table.items(), shown, strict=True)
    ):
        wanted = wanted.replace("NUMBER", str(number)).replace("[", "[[]")
        told = [line for line in lines if fnmatchcase(line, f"*{wanted}")]
        if len(told) != 1:
            problems.append(f"{code}: {len(told)} times {wanted} in {lines}")
        problems += [f"{code}: {line}" for line in lines if "mock_server/" in line]
    return problems


IN_MARKER = "@pytest.mark.mock_server(CODE)\ndef test_NUMBER(mock_server):\n    pass\n"
OVERRIDDEN = """
class TestNUMBER:
    @pytest.fixture
    def {}(self):
        return CODE

    def test_NUMBER(self, mock_server):
        pass
"""
DECLARING = "{'keys': [{'key': 'fastgpt-owner'}, {'key': 'fastgpt-guest'}]}"
KEYS = f"@pytest.mark.mock_server(fixture={DECLARING})\n"
STEERING = "def test_NUMBER(mock_server):\n    mock_server.CODE\n"
MORE = "def test_NUMBER(mock_server_factory):\n    CODE\n"
IN_PROCESS = "def test_NUMBER(mock_server_app):\n    CODE\n"
PLAIN = "def test_NUMBER():\n    CODE\n"


@pytest.mark.ci
@pytest.mark.parametrize(
    ("table", "test"),
    [
        ("marker", IN_MARKER),
        ("settings", OVERRIDDEN.format("mock_server_settings")),
        ("fixture", OVERRIDDEN.format("mock_server_fixture")),
        ("steering", STEERING),
        ("keys", KEYS + STEERING),
        ("run", PLAIN),
        ("more", MORE),
        ("app", IN_PROCESS),
    ],
)
def test_a_mistake_is_told_once_at_the_line_of_its_author(
    run: Run, pytester: pytest.Pytester, table: str, test: str
) -> None:
    assert untold(run, pytester, said(table), test) == []


@pytest.mark.ci
@pytest.mark.parametrize(
    "test",
    [
        '@pytest.mark.mock_server(fixture="five.yaml")\n'
        "def test_0(mock_server):\n    pass\n",
        'def test_0(mock_server):\n    mock_server.load("five.yaml")\n',
        'def test_0():\n    MockServer("five.yaml")\n',
        'def test_0(mock_server_factory):\n    mock_server_factory("five.yaml")\n',
    ],
    ids=["marker", "load", "run", "more"],
)
def test_all_mistakes_of_a_fixture_are_told_with_their_places(
    run: Run, pytester: pytest.Pytester, test: str
) -> None:
    pytester.makepyfile(test_mistakes=SHARED + test)
    (lines,) = reports(run("mistakes", alone=True))
    told = [line for line in lines if "five.yaml:" in line]
    assert [line.partition("five.yaml:")[2] for line in told] == FIVE
    assert not [line for line in lines if "mock_server/" in line]


@pytest.mark.ci
def test_a_marker_with_a_mistake_does_not_stop_the_run_under_all_choices(
    run: Run, pytester: pytest.Pytester
) -> None:
    fine = "def test_1(mock_server):\n    pass\n"
    wrong = IN_MARKER.replace("CODE", "5").replace("NUMBER", "0")
    pytester.makepyfile(test_mistakes=SHARED + wrong + fine)
    result = run("mistakes", "--mock-server-choices=all", alone=True)
    outcomes = result.parseoutcomes()
    assert outcomes["errors"] == 1
    assert outcomes["passed"] > 1
    result.stdout.fnmatch_lines(["mock-server: Expected arguments by name *"])


def test_nothing_at_the_address_is_said_to_be_so(run: Run) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        result = run("demo", f"--mock-server-url=http://127.0.0.1:{port}", alone=True)
    told = f"mock-server: cannot reach http://127.0.0.1:{port}: *"
    told_once(result, f"{told} (is mock-server running there?){THERE}")


def test_something_else_at_the_address_is_shown(run: Run) -> None:
    with strangers() as strange:
        url = strange.url("page_404")
        result = run("demo", f"--mock-server-url={url}", alone=True)
    said = "Expected a response of a mock server, got 404 text/html "
    told_once(result, f"mock-server: {said}*{url}/__admin/sandboxes *{THERE}")


def told_once(result: pytest.RunResult, said: str) -> None:
    """Fail unless the one report has one line like this, and nothing of ours."""
    result.assert_outcomes(errors=1)
    lines = result.stdout.str().partition("short test summary")[0].splitlines()
    assert len([line for line in lines if fnmatchcase(line, said)]) == 1, lines
    assert not [line for line in lines if "mock_server/" in line]


def test_a_server_without_a_route_may_be_an_older_one() -> None:
    failure = {
        "code": 404,
        "statusText": "routeNotFound",
        "message": "Expected a route",
    }
    raw = RawResponse(404, json.dumps(failure).encode())
    client = AdminClient("http://old:8000", send=lambda *_: raw)
    with pytest.raises(
        Refused, match=r"route \(is http://old:8000 an older mock-server"
    ):
        MockServerFixture(client).why("handbook")


def test_a_fault_that_never_fires_can_fail_the_test(
    run: Run, pytester: pytest.Pytester
) -> None:
    fault = 'mock_server.fault("error", operation="listV2")'
    pytester.makepyfile(test_unfired=f"def test_0(mock_server): {fault}")
    result = run("mistakes", "-Werror", alone=True)
    (lines,) = reports(result)
    never = "the fault f1 (error of listV2) matched no request and never fired"
    assert f"mock-server: {never}" in lines
    assert not [line for line in lines if "mock_server/" in line]


def test_an_assertion_that_is_not_called_can_fail_the_test(
    run: Run, pytester: pytest.Pytester
) -> None:
    read = "def test_read(mock_server): mock_server.assert_no_violations"
    pytester.makepyfile(test_uncalled=read)
    uncalled = "-Werror::mock_server.exceptions.UncalledAssertionWarning"
    lost = "-Werror::pytest.PytestUnraisableExceptionWarning"
    result = run("mistakes", uncalled, lost, alone=True)
    result.assert_outcomes(failed=1)


MISNAMED = """
import pytest

@pytest.fixture
def mock_server_fixtures():
    return {}

@pytest.fixture
def mock_server_setting(mock_server):
    return mock_server

@pytest.fixture
def mock_server_client(mock_server):
    return mock_server

def mock_server_settings():
    return {}
"""


def test_a_conftest_with_what_is_nearly_a_fixture_of_ours_is_told_so_once(
    bare: Run, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(MISNAMED)
    own = "def test_1(mock_server_setting): ..."
    pytester.makepyfile(f"def test_0(mock_server): ...\n{own}")
    result = bare("-Wdefault")
    result.assert_outcomes(passed=2, warnings=2)
    told = "the fixture mock_server_fixtures at conftest.py:3 (did you mean*_fixture'?)"
    result.stdout.fnmatch_lines([f"*mock-server: no test of this run uses {told}"])
    told = "mock_server_settings at conftest.py:15 is no pytest fixture: write @pytest"
    result.stdout.fnmatch_lines([f"*mock-server: {told}.fixture*"])


PROGRAMS = said("programs")


@pytest.fixture(scope="module")
def control() -> Iterator[Any]:
    """The control object of one server: to stop one for each call takes long."""
    with MockServer() as server:
        yield server.control


@pytest.mark.parametrize("case", calls.TEXT.cases, ids=str)
def test_a_wrong_call_says_what_to_write(control: Any, case: Case) -> None:
    assert calls.message_of(control, case.given) == case.said


@pytest.mark.parametrize("call", PROGRAMS)
def test_a_program_is_told_what_to_write(call: str) -> None:
    wrong = TypeError, AttributeError, mock_server.FixtureError
    with pytest.raises(wrong) as raised:
        eval(call, {each: getattr(mock_server, each) for each in mock_server.__all__})
    assert fnmatchcase(str(raised.value), PROGRAMS[call])


def test_a_fault_is_made_by_its_kind() -> None:
    fault = Fault("error", status=503)
    assert (fault.kind, isinstance(fault, Fault)) == ("error", True)
    assert fault == Fault.of("error", status=503)


def test_a_block_that_waits_for_nothing_is_entered_without_async() -> None:
    async def enter(block: Any) -> None:
        async with block:
            pass

    with MockServer() as server:
        for block in (server.control.fault("error"), server):
            with pytest.raises(TypeError, match=r"got `async with` .drop `async`."):
                asyncio.run(enter(block))


def test_what_lasts_by_itself_is_told_to_need_no_block() -> None:
    with MockServer() as server:
        lasting: Any = server.control
        with pytest.raises(TypeError, match="write it without `with`"), lasting:
            pass


def test_an_argument_that_the_server_does_not_have_is_told() -> None:
    with pytest.raises(TypeError, match=r"'fixtures' - at MockServer .*'fixture'"):
        MockServer(fixtures="demo")  # type: ignore[call-arg]


def test_a_field_that_was_sent_by_another_name_is_told() -> None:
    with MockServer() as server:
        body = {"appId": "a", "chatId": "c", "top": True}
        path = "/api/core/chat/history/updateHistory"
        headers = {"Authorization": f"Bearer {server.key}"}
        fetch("PUT", server.url + path, json=body, headers=headers)
        told = "no call had a field 'chatID' .did you mean 'chatId'"
        with pytest.raises(AssertionError, match=told):
            server.control.assert_called("updateHistory", body={"chatID": "c"})


def test_a_fault_that_matched_nothing_says_what_it_matches() -> None:
    with MockServer() as server:
        match = {"key": "fastgpt-secret", "body": {"appID": "a"}}
        server.control.fault("error", match=match)
        (fault,) = server.control.unfired()
        client = server.control._client
        assert near_miss(client, fault) == ""
        for name in "appID", "appId":
            fetch("POST", f"{server.url}/api/none", json={name: "b"})
        near = near_miss(client, fault)
    key = f"$.key: expected {redacted_key('fastgpt-secret')!r}, got None"
    assert near == f" (nearest: #2, {key}; $.body.appID: expected 'a', got nothing)"
    assert near_miss(client, fault) == ""
    shown = {**match, "key": redacted_key("fastgpt-secret")}
    said = f"the fault f1 (error of any operation, match {shown}) matched no request"
    assert unfired_text(fault) == f"{said} and never fired"
    assert " matched 1 request but never " in unfired_text(fault | {"matches": 1})


def test_a_report_says_the_message_of_a_refusal_once() -> None:
    with MockServer() as server:
        fetch("POST", f"{server.url}/api/core/chat/resume", json={})
        (entry,) = server.control.journal
    text = "\n".join(entry_lines(entry))
    assert text.count("this mock does not implement it") == 1
    assert '"statusText":"routeNotFound","message":"…"' in text


def test_a_body_that_was_not_waited_for_is_said_to_be_so() -> None:
    with MockServer() as server:
        fetch("GET", f"{server.url}/api/x")
        (entry,) = server.control.journal
    assert [*entry_lines(entry)][1] == "    sent null"
    entry["request"]["headers"]["content-length"] = "9000"
    assert [*entry_lines(entry)][1] == "    sent (refused before the body arrived)"


def test_a_name_that_stands_deeper_in_an_entry_is_told() -> None:
    with MockServer() as server:
        fetch("POST", f"{server.url}/api/none")
        (entry,) = server.control.journal
        with pytest.raises(
            KeyError, match=r"'status' is not in entry: write entry.'answer'"
        ):
            entry["status"]


def test_a_name_that_is_called_otherwise_in_an_entry_is_told() -> None:
    with MockServer() as server:
        fetch("POST", f"{server.url}/api/none", json={})
        (entry,) = server.control.journal
    for read, meant in said("entry").items():
        with pytest.raises((KeyError, AttributeError)) as raised:
            eval(read, {"entry": entry})
        assert str(raised.value.args[0]).endswith(f": write {meant}")
    with pytest.raises(KeyError, match=r"'xyz' is not in entry .it has seq, time, "):
        entry["xyz"]
    assert json.loads(msgspec.json.encode(entry)) == entry


@pytest.mark.parametrize("case", Text(SAID / "modules.txt").cases, ids=str)
def test_a_module_with_a_mistake_is_told_so_once(
    bare: Run, pytester: pytest.Pytester, case: Case
) -> None:
    pytester.makepyfile(test_said=case.given)
    result = bare("-Wdefault")
    outcomes, *told = case.said.split("\n")
    pairs = (each.split("=") for each in outcomes.split())
    result.assert_outcomes(**{name: int(count) for name, count in pairs})
    for said in told:
        pattern = said.removeprefix("without ")
        lines = [each for each in result.outlines if fnmatchcase(each, pattern)]
        assert len(lines) == (pattern == said), result.outlines

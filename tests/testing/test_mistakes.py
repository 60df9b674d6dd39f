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
from typing import Any

import httpx2
import pytest

import mock_server
from mock_server import AdminClient, Fault, MockServer, MockServerFixture
from mock_server.control.client import Refused
from mock_server.control.faults import unfired
from mock_server.control.http_call import RawResponse
from mock_server.control.report import entry_lines
from mock_server.domain.journal import redacted_key
from tests.strangers import strangers
from tests.support import fetch
from tests.testing.conftest import Run

OWN = """
import pytest


@pytest.fixture
def mock_server({takes}):
    return [5, {takes}]


@pytest.mark.mock_server(profile="deployed")
def test_marked(mock_server):
    assert mock_server


def test_app(mock_server_app):
    assert mock_server_app
"""
MARKER = " - at the marker mock_server of test_mistakes.py::test_NUMBER"
MISSING = (
    "Expected the path of a file, or one of demo, empty, paging, permissions, "
    "got 'missing.yaml'"
)
GONE = " (there is no /*/missing.yaml)"
MARKED = {
    '"x.yaml"': "Expected arguments by name (fixture=, profile=, choices=, strict=), "
    "got 'x.yaml'" + MARKER,
    'profil="deployed"': "Expected an argument, got 'profil' "
    "(did you mean 'profile'?)" + MARKER,
    "colour=5": "Expected an argument, got 'colour' "
    "(there are fixture, profile, choices, strict)" + MARKER,
    'profile="deploied"': "Expected the profile to be documented or deployed, "
    "got 'deploied'*" + MARKER,
    'choices={"list_ordr": "name"}': "Expected the name of a choice, got 'list_ordr' "
    "(did you mean 'list_order'?)" + MARKER,
    'choices={"list_order": "nam"}': "Expected list_order to be update_time_desc or "
    "name or fixture, got 'nam' (did you mean 'name'?)" + MARKER,
    'choices=["a"]': "Expected choices to be a dictionary such as "
    '{"list_order": "name"}, got [\'a\']' + MARKER,
    "choices={5: 5}": "Expected names of choices, got 5" + MARKER,
    "fixture=5": "Expected fixture to be a path, a document, or a list of these, "
    "got 5" + MARKER,
    "fixture=[5]": "Expected fixture to be a path, *, got [5]" + MARKER,
    'fixture="missing.yaml"': MISSING + MARKER + GONE,
    'fixture="five.yml"': "*, got 'five.yml' (did you mean 'five.yaml'?)"
    + MARKER
    + " *",
    'fixture=[{}, "missing.yaml"]': MISSING + MARKER + GONE,
    'strict="yes"': "Expected strict to be true, false or names of violations, "
    "got 'yes'" + MARKER,
    'strict=["unknown_field"]': "Expected true, false or names of violations, "
    "got 'unknown_field' (did you mean 'unknown_fields'?)" + MARKER,
}
FIVE = [
    "2:9: Expected a string of 1 to 256 characters or null, got 5: quote it",
    "3:14: unknown field 'chatID' (did you mean 'chatId'?)",
    '3:43: Expected true or false, got the string "maybe"',
    "6:26: Expected a string, got 5: quote it",
    '6:46: Expected an array, got the string "red"',
]
HERE = " - at the fixture mock_server_settings"
SETTINGS = {
    '{"prot": 1}': "Expected an argument, got 'prot' (did you mean 'port'?)" + HERE,
    '{"port": "x"}': "Expected port to be a number from 0 to 65535, got 'x'" + HERE,
    '{"port": True}': "Expected port to be a number from 0 to 65535, got True" + HERE,
    '{"admin_token": 5}': "Expected admin_token to be a text, got 5" + HERE,
    '{"choices": 5}': "Expected choices to be a dictionary such as *, got 5" + HERE,
    '{"profile": "x"}': "Expected the profile to be documented or deployed, got 'x'*"
    + HERE,
    "[1]": "Expected a dictionary, got [1]" + HERE,
}
FIXTURES = {
    "5": "Expected fixture to be a path, a document, or a list of these, got 5 - "
    "at the fixture mock_server_fixture",
    '"missing.yaml"': MISSING + " - at the fixture mock_server_fixture (there is no "
    "/*/missing.yaml; relative to the test file: use Path(__file__).with_name(...))",
    "None": "Expected a fixture, got None - at the fixture mock_server_fixture "
    "(does it return what it makes?)",
}
THERE = " - at --mock-server-url"
APP = "65d8a1f0c3b2a94e7f106a01"
OPERATION = (
    "Expected one of updateHistory, listV2 or * related routes *, got the string "
)
STEERED = {
    'chat("a", "c9")': 'Expected the id of an app, got the string "a" - at path '
    '(there are "65d8a1f0c3b2a94e7f106a01", *',
    f'chat("{APP}", "c9")': 'Expected a chat of the app, got the string "c9" - at path '
    '(there are "refund-4711", *',
    "chat(None, None)": "Expected a string, got None",
    'keys["x"]': "Expected a key that the fixture declares, got 'x' "
    "(the fixture declares no keys; send `.key`, or any text)",
    'restore("nope") if mock_server.snapshot("a") else 0': "Expected the name of a "
    'snapshot, got the string "nope" - at path (there is "a")',
    "restore(5)": "Expected a string, got 5*",
    'fault("eror")': 'Expected one of error, *, got the string "eror" '
    "(did you mean 'error'?) - at $.kind",
    'fault("error", statsu=5)': "unknown field 'statsu' (did you mean 'status'?) - "
    "at $.statsu",
    'clock.advance("5")': "Expected seconds or a timedelta, got '5'",
    'clock.freeze("yesterday")': "Expected a time like 2024-01-31T12:00:00Z, "
    'got the string "yesterday" - at $.now',
    "clock.freeze(5)": "Expected a time such as '2026-01-01T00:00:00Z', or a datetime, "
    "got 5",
    'load("my.yaml")': "my.yaml: no such file in /*, and no shipped fixture (demo, *",
    "load(5)": "Expected a path or a document, got 5",
    'assert_called("pin")': OPERATION + '"pin"*',
    'assert_called("updateHistry")': OPERATION + "*(did you mean 'updateHistory'?)*",
    'assert_in_order("listV2")': "Expected a list of steps, got 'listV2' - at "
    "assert_in_order (write assert_in_order(['updateHistory', 'listV2']))",
    'assert_in_order([{"operation": "listV2", "statu": 5}])': "Expected a field of a "
    "step, got 'statu' (did you mean 'status'?)*",
    'assert_in_order([{"operatio": "listV2"}])': "Expected an operation, or *, "
    "got {'operatio': 'listV2'}*",
    'assert_no_violations(["unknown_field"])': "Expected names of violations, "
    "got 'unknown_field' (did you mean 'unknown_fields'?) - at allowed",
    'assert_no_violations("related_route")': "Expected a list of names of *",
    'assert_called("listV2", key=5)': "Expected key to be a text, got 5",
    'assert_called("listV2", times="1")': "Expected times to be 0 or more, got '1'",
    "assert_in_order([])": "Expected a list of steps, got []*",
    'fault("flaky")': 'Expected a kind of fault, got "flaky", which is a preset *',
    'fault("delay", seconds=1)': "unknown field 'seconds' (there are *ms, *) - at $.*",
    'fault("error", retry_after=1, retryAfter=1)': "Expected 'retryAfter' once, *",
    'why("d", parentID=None)': "Expected a field of listV2, got the field *",
    "faults.append({})": "`.faults` has no 'append', as it shows what is there: "
    "add one by `.fault(kind, ...)`, take away by `.faults.remove(id)` or "
    "`.faults.clear()`",
    'faults.remove("f9")': 'Expected the id of a fault, got the string "f9" - at path '
    "(there are none)",
    'choices["list_ordr"] = "name"': "Expected the name of a choice, got 'list_ordr' "
    "(did you mean 'list_order'?)*",
    f'put_chat("{APP}", {{"chatID": "c"}})': "Expected a string, got nothing "
    "(did you mean 'chatId' by 'chatID'?) - at $.chatId of a chat",
}
DECLARED = {
    'keys["fastgpt-gest"]': "Expected a key that the fixture declares, "
    "got 'fastgpt-gest' (did you mean \"fastgpt-guest\"? There are *)",
    'keys["x"]': "Expected a key that the fixture declares, got 'x' "
    '(there are "fastgpt-owner", "fastgpt-guest")',
}
NOT_STARTED = (
    "the server has not been started yet: "
    "use `with MockServer() as server:`, or call `start()`"
)
STOPPED = (
    "the server has been stopped: call it within its `with` block, "
    "or `start()` it again"
)
EMBEDDED = {
    "MockServer().url": NOT_STARTED,
    "MockServer().key": NOT_STARTED,
    "MockServer().control.reset()": NOT_STARTED,
    "STOPPED.url": STOPPED,
    "STOPPED.control": STOPPED,
    'CONTROL.fault("error")': STOPPED,
    "CONTROL.journal": STOPPED,
    "MockServer(port=USED).start()": "cannot listen on 127.0.0.1:*: *",
    "MockServer(port=70000).start()": "cannot listen on *: a port is from 0 to 65535",
    'MockServer(port="x")': "Expected port to be a number from 0 to 65535, got 'x' - "
    "at MockServer",
    'MockServer(profile="x")': "Expected the profile to be documented or deployed, "
    "got 'x'* - at MockServer",
    'MockServer(choices={"list_ordr": 1})': "Expected the name of a choice, "
    "got 'list_ordr' (did you mean 'list_order'?) - at MockServer",
    'MockServer("missing.yaml")': "missing.yaml: no such file in /*",
    "MockServer(prot=1)": "Expected *, got 'prot' - at MockServer *",
    'MockServer().fault("error")': "* no attribute 'fault': use `.control.fault`",
}
FACTORY = {
    'mock_server_factory(profil="x")': "Expected an argument, got 'profil' "
    "(did you mean 'profile'?) - at mock_server_factory",
    "mock_server_factory(strict=True)": "Expected an argument, got 'strict' "
    "(there are fixture, profile, choices) - at mock_server_factory",
    'mock_server_factory("missing.yaml")': MISSING + " - at mock_server_factory" + GONE,
}
APPS = {
    'mock_server_app.fault("error")': "'MockServerApp' object has no attribute 'fault'"
    ": use `.control.fault`",
    "mock_server_app.nothing": "'MockServerApp' object has no attribute 'nothing'",
}
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
    for number, ((code, said), lines) in enumerate(
        zip(table.items(), shown, strict=True)
    ):
        wanted = said.replace("NUMBER", str(number)).replace("[", "[[]")
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
        (MARKED, IN_MARKER),
        (SETTINGS, OVERRIDDEN.format("mock_server_settings")),
        (FIXTURES, OVERRIDDEN.format("mock_server_fixture")),
        (STEERED, STEERING),
        (DECLARED, KEYS + STEERING),
        (EMBEDDED, PLAIN),
        (FACTORY, MORE),
        (APPS, IN_PROCESS),
    ],
    ids=["marker", "settings", "fixture", "steering", "keys", "run", "more", "app"],
)
def test_a_mistake_is_told_once_at_the_line_of_its_author(
    run: Run, pytester: pytest.Pytester, table: Mapping[str, str], test: str
) -> None:
    assert untold(run, pytester, table, test) == []


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


@pytest.mark.ci
@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("-omock_server_strict=maybe", "*got 'maybe' - at mock_server_strict"),
        (
            "--mock-server-url=localhost:8000",
            "*, got '*' (did you mean http://localhost:8000?) - at --mock-server-url",
        ),
        (
            "--mock-server-choices=some",
            "*Expected the name of a choice, got 'some' - at --mock-server-choices",
        ),
    ],
)
def test_an_option_that_cannot_be_is_one_line(run: Run, option: str, said: str) -> None:
    result = run("demo", option, alone=True)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert len([line for line in result.errlines if fnmatchcase(line, said)]) == 1


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
    said = "Expected an answer of a mock server, got 404 text/html "
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


UNFIRED = """
def test_0(mock_server):
    mock_server.fault("error", operation="listV2")

def test_1(mock_server):
    mock_server.fault("error", operation="listV2")
    assert 0

def test_2(mock_server):
    with mock_server.fault("error", operation="listV2"):
        pass
"""


def test_a_fault_that_never_fires_is_told(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_unfired=UNFIRED)
    result = run("mistakes", "-Wdefault", alone=True)
    result.assert_outcomes(passed=1, failed=2, warnings=1)
    never = "the fault f1 (error of listV2) matched no request and never fired"
    lines = result.stdout.lines
    # In the report of a test that fails, in the summary of one that passes.
    at = next(n for n, line in enumerate(lines) if "faults that never fired" in line)
    assert lines[at + 1] == never
    # In its block it is added anew, to last as long.
    lasting = never.replace("f1", "f2")
    assert f"E       AssertionError: {lasting} while its block lasted" in lines
    assert f"  test_unfired.py:1: UnfiredFaultWarning: {never}" in lines


def test_a_fault_that_never_fires_can_fail_the_test(
    run: Run, pytester: pytest.Pytester
) -> None:
    test = UNFIRED.partition("\n\n")[0]
    pytester.makepyfile(test_unfired=test)
    result = run("mistakes", "-Werror", alone=True)
    (lines,) = reports(result)
    never = "the fault f1 (error of listV2) matched no request and never fired"
    assert f"mock-server: {never}" in lines
    assert not [line for line in lines if "mock_server/" in line]


SMALL = """
import pytest


@pytest.fixture
def mock_server_fixture():
    return {}


def test_it(mock_server_session):
    pass
"""


def test_a_scope_that_is_too_small_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_small=SMALL)
    result = pytester.runpytest_inprocess("-Wdefault")
    result.assert_outcomes(errors=1)
    (line,) = [each for each in result.outlines if each.startswith("mock-server:")]
    assert line == (
        "mock-server: Expected the scope session of the fixture mock_server_fixture, "
        'got a smaller one (write @pytest.fixture(scope="session"), '
        "as mock_server_session takes it)"
    )


def test_all_is_meant_by_what_is_nearly_that(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--mock-server-choices=al")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert any("got 'al' (did you mean 'all'?)" in each for each in result.errlines)


CALLS = {
    "fault('error', 503)": "Expected arguments by name after kind, got 503 - at fault "
    "(write fault('error', status=503))",
    "fault(status=503)": "Expected kind, got nothing - at fault "
    "(write fault('error', status=503))",
    "fault(Fault.of('error'))": "Expected the name of a kind of fault, got Error - at "
    "fault (write fault('error', status=503))",
    "assert_in_order('listV2', 'updateHistory')": "Expected no further argument after "
    "steps, got 'updateHistory' - at assert_in_order "
    "(write assert_in_order(['updateHistory', 'listV2']))",
    "restore()": "Expected name, got nothing - at restore "
    "(write restore(name), with a name that snapshot() gave)",
    "faults.clear('flaky')": "Expected arguments by name, got 'flaky' - at clear "
    "(write preset='flaky')",
    "__setattr__('choices', {})": "`.choices` cannot be set: "
    "write choices['list_order'] = 'name'",
    "clock.__setattr__('now', '2026')": "`.now` cannot be set: "
    "write clock.freeze('2026-01-01T00:00:00Z')",
    "assert_called_once('listV2')": "'MockServerFixture' object has no attribute "
    "'assert_called_once' (write assert_called('updateHistory', times=1))",
    "resets()": "'MockServerFixture' object has no attribute 'resets' "
    "(did you mean 'reset'?)",
    f"chats('{APP}')[0].__setattr__('top', True)": "`.top` cannot be set: "
    "write put_chat(app_id, {'chatId': 'c1', 'top': True})",
    "assert_called('listV2', 2)": "Expected arguments by name after operation, got 2 - "
    "at assert_called (write times=2, or body, key, status)",
    "assert_called('listV2', time=2)": "Expected an argument, got 'time' - at "
    "assert_called (did you mean 'times'?)",
    "assert_not_called('updateHistory', body={'chatID': 'c'})": "Expected a field of "
    "updateHistory, got 'chatID' (did you mean 'chatId'?) - at body",
    "assert_called('updateHistory', times=0, body={'Top': True})": "Expected a field "
    "of updateHistory, got 'Top' (did you mean 'top'?) - at body",
    "put_chat('app-1')": "Expected chat, got nothing - at put_chat "
    "(write put_chat(app_id, {'chatId': 'c1', 'title': 'Refund'}))",
    "faults.add('error')": "`.faults` has no 'add', as it shows what is there: add one "
    "by `.fault(kind, ...)`, take away by `.faults.remove(id)` or `.faults.clear()`",
    "fault('error', operation='/api/core/dataset/collection/listV2')": "Expected * or "
    "one of updateHistory, listV2 or the 43 related routes of GET /openapi.json, got "
    "the string \"/api/core/dataset/collection/listV2\" (did you mean 'listV2'?) "
    "- at $.operation",
    "fault('error', match={'datasetId': 'd'})": "unknown field 'datasetId' (there are "
    'key, body: an object such as {"datasetId": "handbook"} or null) '
    "- at $.match.datasetId",
    "fault('error', status='503')": "Expected an integer from 200 to 599, got the "
    'string "503": write it without quotes - at $.status',
    "choices.__setattr__('list_order', 'name')": "write choices['list_order'] = 'name'",
    "choices.__setitem__('profile', 'deployed')": "Expected the name of a choice, got "
    "'profile': a profile is set beside choices, as `profile` - at $.choices",
    "restore('before')": 'Expected the name of a snapshot, got the string "before" '
    "- at path (there are none: `mock-server snapshot take NAME` takes one)",
    "__setattr__('profile', 'deployed')": "`.profile` cannot be set: write "
    "profile='deployed' in the marker mock_server or in MockServer()",
    "fault('error').__await__()": "Expected a call, got `await` of it "
    "(drop `await`: it is done)",
    "fault('error', count=2)": "unknown field 'count' (did you mean 'times'?) "
    "- at $.count",
    "put_app({'id': 'a', 'replies': []})": "Expected an app as in a fixture, got one "
    "with problems - at body ($.replies: unknown field 'replies' here (it belongs to "
    "the whole fixture, beside apps and datasets))",
}


@pytest.mark.parametrize("call", CALLS)
def test_a_wrong_call_says_what_to_write(call: str) -> None:
    with MockServer() as server, pytest.raises(Exception) as raised:  # noqa: PT011
        eval(f"control.{call}", {"control": server.control, "Fault": Fault})
    assert str(raised.value) == CALLS[call]


PROGRAMS = {
    "create_app(port=1)": "Expected an argument, got 'port' - at create_app (there *",
    "create_app().__enter__()": "*: write `with MockServer(...) as server`",
    "load_fixture('apps:\\n- id: a')": "fixture: Expected a path or a document, *",
    "MockServer().sandbox.faults.add({'kind': 'error'})": "Expected a Fault, got a "
    "dict - at Faults.add (write add(Fault('error', status=503)))",
    "MockServer().sandbox.faults.add('error', status=503)": "Expected an argument, got "
    "'status' - at Faults.add (write add(Fault('error', status=503)))",
    "MockServer(host='0.0.0.0:80')": "Expected a host without a port, got '0.0.0.0:80' "
    "- at MockServer (use host=0.0.0.0 port=80)",
    "Fault('error', 503)": "Expected arguments by name after kind, got 503 - at Fault "
    "(write Fault('error', status=503))",
    "Fault.of()": "Expected kind, got nothing - at Fault "
    "(write Fault('error', status=503))",
}


@pytest.mark.parametrize("call", PROGRAMS)
def test_a_program_is_told_what_to_write(call: str) -> None:
    with pytest.raises((TypeError, ValueError, mock_server.FixtureError)) as raised:
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


def test_an_argument_that_the_server_does_not_have_is_told() -> None:
    with pytest.raises(TypeError, match=r"'fixtures' - at MockServer .*'fixture'"):
        MockServer(fixtures="demo")  # type: ignore[call-arg]


def test_a_field_that_was_sent_by_another_name_is_told() -> None:
    with MockServer() as server:
        body = {"appId": "a", "chatId": "c", "top": True}
        path = "/api/core/chat/history/updateHistory"
        headers = {"Authorization": f"Bearer {server.key}"}
        httpx2.put(server.url + path, json=body, headers=headers)
        told = "no call had a field 'chatID' .did you mean 'chatId'"
        with pytest.raises(AssertionError, match=told):
            server.control.assert_called("updateHistory", body={"chatID": "c"})


def test_a_fault_that_matched_nothing_says_what_it_matches() -> None:
    with MockServer() as server:
        match = {"key": "fastgpt-secret", "body": {"appID": "a"}}
        server.control.fault("error", match=match)
        (fault,) = server.control.unfired()
    shown = {**match, "key": redacted_key("fastgpt-secret")}
    said = f"the fault f1 (error of any operation, match {shown}) matched no request"
    assert unfired(fault) == f"{said} and never fired"
    assert " matched 1 request but never " in unfired(fault | {"matches": 1})


def test_a_body_that_was_not_waited_for_is_said_to_be_so() -> None:
    with MockServer() as server:
        httpx2.get(f"{server.url}/api/x")
        (entry,) = server.control.journal
    assert [*entry_lines(entry)][1] == "    sent null"
    entry["request"]["headers"]["content-length"] = "9000"
    assert [*entry_lines(entry)][1] == "    sent (refused before the body arrived)"


def test_a_fixture_that_hides_ours_is_told_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own=OWN.format(takes=""))
    result = pytester.runpytest_inprocess("-Wdefault")
    result.assert_outcomes(passed=2, warnings=1)
    told = "*the fixture mock_server at test_own.py:4 hides that of this plugin: *"
    result.stdout.fnmatch_lines([f"{told}(rename it, for instance to my_mock_server)"])


def test_a_marker_on_a_test_without_our_fixtures_is_told(
    pytester: pytest.Pytester,
) -> None:
    marked = "import pytest\n\n@pytest.mark.mock_server(profile='deployed')\n"
    pytester.makepyfile(f"{marked}def test_it(): pass\n")
    result = pytester.runpytest_inprocess("-Wdefault")
    result.assert_outcomes(passed=1, warnings=1)
    result.stdout.fnmatch_lines(
        ["*the marker mock_server does nothing: the test asks*"]
    )


def test_a_failed_test_is_told_that_the_application_opens_no_socket(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile("def test_it(mock_server_app): assert not mock_server_app.url")
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines(["no request has come: it opens no socket.*"])


def test_a_name_that_stands_deeper_in_an_entry_is_told() -> None:
    with MockServer() as server:
        fetch("POST", f"{server.url}/api/none")
        (entry,) = server.control.journal
        with pytest.raises(KeyError, match=r"'status' is not in the entry, but in its"):
            entry["status"]


def test_a_fixture_that_gives_ours_on_hides_nothing(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own=OWN.format(takes="mock_server"))
    result = pytester.runpytest_inprocess("-Wdefault")
    result.assert_outcomes(passed=2, warnings=0)

"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mock_server import MockServer
from mock_server import __all__ as public_names
from tests.support import LIBRARY

PRELUDE = """
import httpx2
import pytest

def pin(server, top=True, **more):
    body = {"appId": "app-1", "chatId": "chat-1", "top": top} | more
    headers = {"Authorization": f"Bearer {server.key}"}
    url = server.url + "/api/core/chat/history/updateHistory"
    return httpx2.put(url, json=body, headers=headers)

def ids(server, **body):
    body = {"offset": 0, "datasetId": "dataset-1"} | body
    headers = {"Authorization": f"Bearer {server.key}"}
    url = server.url + "/api/core/dataset/collection/listV2"
    answer = httpx2.post(url, json=body, headers=headers).json()
    return [item["_id"] for item in answer["data"]["list"]]

@pytest.fixture(scope="session")
def mock_server_fixture():
    return %r
""" % (LIBRARY,)


def run(
    pytester: pytest.Pytester,
    tests: str,
    *args: str,
    prelude: str = PRELUDE,
    shuffled: bool = False,
) -> pytest.RunResult:
    """A run of these tests in a process of its own, in their order."""
    pytester.makepyfile(test_it=prelude + tests)
    order = () if shuffled else ("-p", "no:randomly")
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *order, *args)


def test_every_test_begins_with_a_fresh_server(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.parametrize("n", range(3))
def test_it(mock_server, n):
    assert mock_server.journal == []
    assert not mock_server.chat("app-1", "chat-1").top
    assert mock_server.clock.now == "2026-01-01T00:00:00.000Z"
    assert mock_server.choices["list_order"] == "update_time_desc"
    assert mock_server.faults == []
    assert pin(mock_server).status_code == 200
    mock_server.fault("error", times=5)
    mock_server.clock.advance(60)
    mock_server.choices["list_order"] = "name"
    assert mock_server.journal[0]["seq"] == 1
"""
    run(pytester, tests).assert_outcomes(passed=3)


def test_the_shipped_demo_is_served_unless_told_otherwise(
    pytester: pytest.Pytester,
) -> None:
    tests = """
def test_it(mock_server):
    assert mock_server.chat("65d8a1f0c3b2a94e7f106a01", "refund-4711").top
    assert mock_server.chat("65d8a1f0c3b2a94e7f106a01", "nope") is None
"""
    run(pytester, tests, prelude="").assert_outcomes(passed=1)


def test_a_path_is_relative_to_the_test_file(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("inner")
    (folder / "small.yaml").write_text("apps: [{id: a, chats: [{chatId: c}]}]")
    (folder / "test_inner.py").write_text(
        "import pytest\n"
        "@pytest.mark.mock_server(fixture='small.yaml')\n"
        "def test_it(mock_server):\n"
        "    assert mock_server.chat('a', 'c').top is False\n"
    )
    pytester.runpytest_subprocess("inner").assert_outcomes(passed=1)


def test_markers_merge_and_the_closest_wins(pytester: pytest.Pytester) -> None:
    tests = """
pytestmark = pytest.mark.mock_server(profile="deployed", choices={"list_order": "name"})

@pytest.mark.mock_server(choices={"page_size_default": 1})
def test_inner(mock_server):
    assert mock_server.choices["page_size_default"] == 1
    assert mock_server.choices["list_order"] == "update_time_desc"
    assert mock_server.choices["chat_unknown"] == "ignore"

def test_outer(mock_server):
    assert mock_server.choices["list_order"] == "name"
"""
    run(pytester, tests, "--strict-markers").assert_outcomes(passed=2)


def test_settings_are_arguments_of_the_server(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.fixture
def mock_server_settings():
    return {"profile": "deployed", "admin_token": "s3cret", "host": "127.0.0.1"}

def test_it(mock_server):
    assert mock_server.choices["method_mismatch"] == "accept"
    assert httpx2.get(mock_server.url + "/__admin/state").status_code == 401
"""
    run(pytester, tests).assert_outcomes(passed=1)


def test_the_app_and_the_server_show_the_same(pytester: pytest.Pytester) -> None:
    tests = """
import threading
from starlette.testclient import TestClient

def test_app_alone_opens_no_socket(mock_server_app):
    assert TestClient(mock_server_app).get("/__admin/health").status_code == 200
    assert threading.active_count() == 1

def test_both(mock_server, mock_server_app):
    pin(mock_server)
    chat = "/__admin/apps/app-1/chats/chat-1"
    assert TestClient(mock_server_app).get(chat).json()["top"] is True

def test_fresh(mock_server_app):
    chat = "/__admin/apps/app-1/chats/chat-1"
    assert TestClient(mock_server_app).get(chat).json()["top"] is False
"""
    run(pytester, tests).assert_outcomes(passed=3)


def test_a_failure_shows_journal_and_faults(pytester: pytest.Pytester) -> None:
    tests = """
def test_it(mock_server):
    mock_server.fault("error", operation="listV2")
    pin(mock_server, extra=1)
    mock_server.assert_called("updateHistory", body={"top": False})
"""
    result = run(pytester, tests)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*AssertionError: Expected at least 1, got 0 calls of updateHistory with*",
            "*nearest: #1",
            "*$.body.top: expected False, got True",
            "*mock_server journal*",
            "#1 PUT /api/core/chat/history/updateHistory -> 200 * ms",
            '    sent {"appId":"app-1","chatId":"chat-1","top":true,"extra":1}',
            "*unknown_fields (spec 4.1): *$.extra",
            "*mock_server faults that can still fire*",
            '{"id":"f1",*',
        ]
    )


def test_assertions_say_what_is_not_so(pytester: pytest.Pytester) -> None:
    tests = """
def test_violations(mock_server):
    pin(mock_server, extra=1)
    with pytest.raises(AssertionError, match="unknown_fields .spec 4.1.: Expected"):
        mock_server.assert_no_violations()

def test_times(mock_server):
    pin(mock_server)
    mock_server.assert_called("updateHistory", times=1)
    with pytest.raises(AssertionError, match="Expected exactly 2, got 1 calls"):
        mock_server.assert_called("updateHistory", times=2)
    with pytest.raises(AssertionError, match="exactly 0, got 1 calls"):
        mock_server.assert_called("updateHistory", times=0)

def test_waiting(mock_server):
    with pytest.raises(AssertionError, match="listV2 was not called in 0.05 s"):
        mock_server.wait_for("listV2", timeout=0.05)
    ids(mock_server)
    assert mock_server.wait_for("listV2")["operation"] == "listV2"

def test_mistakes_are_no_failed_assertions(mock_server):
    with pytest.raises(Exception, match="did you mean 'error'"):
        mock_server.fault("eror")
    with pytest.raises(Exception, match="at ..operation"):
        mock_server.assert_called("pin")
    with pytest.raises(Exception, match="Expected the name of a choice"):
        mock_server.choices["order"] = "name"
"""
    run(pytester, tests).assert_outcomes(passed=4)


def test_strictness_fails_a_test_that_is_off_contract(
    pytester: pytest.Pytester,
) -> None:
    pytester.makeini("[pytest]\nmock_server_strict = true")
    tests = """
def test_on(mock_server):
    pin(mock_server)

def test_off(mock_server):
    pin(mock_server, extra=1)

@pytest.mark.xfail(strict=True)
def test_expected(mock_server):
    pin(mock_server, extra=1)
"""
    result = run(pytester, tests)
    result.assert_outcomes(passed=1, failed=1, xfailed=1)
    result.stdout.fnmatch_lines(["*requests off contract:*", "*unknown_fields*"])


CHOOSY = """
@pytest.mark.mock_server(choices={"parent_omitted": "root"})
def test_root(mock_server):
    assert "bottom" not in ids(mock_server, pageSize=30)

def test_pin(mock_server):
    assert pin(mock_server).status_code == 200

@pytest.mark.parametrize("size", [20, 30])
def test_anywhere(mock_server, size):
    assert "bottom" in ids(mock_server, pageSize=size)
"""


def test_all_choices_tell_what_a_client_depends_on(pytester: pytest.Pytester) -> None:
    result = run(pytester, CHOOSY, "--mock-server-choices=all", "-v")
    result.stdout.fnmatch_lines(
        [
            "*test_pin[[]baseline[]] PASSED*",
            "*test_pin[[]page_size_default=1[]] PASSED*",
            "*test_pin[[]page_size_default=30[]] PASSED*",
            "*mock-server choices*",
            "parent_omitted=root breaks 2: test_it.py::test_anywhere[[]20[]], *",
        ]
    )
    text = result.stdout.str()
    assert "test_root[parent_omitted=root]" not in text
    assert "page_size_default=2]" not in text
    result.assert_outcomes(failed=2, passed=text.count(" PASSED "))


def test_nothing_to_depend_on_is_said_too(pytester: pytest.Pytester) -> None:
    tests = (
        "def test_it(mock_server):\n    assert pin(mock_server).status_code == 200\n"
    )
    result = run(pytester, tests, "--mock-server-choices=all")
    result.stdout.fnmatch_lines(["no test depends on what the documentation leaves*"])
    assert result.ret == 0


@pytest.mark.parametrize("token", [None, "s3cret"])
def test_a_running_server_gives_each_test_a_sandbox(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    if token is not None:
        monkeypatch.setenv("MOCK_SERVER_ADMIN_TOKEN", token)
    tests = """
@pytest.mark.parametrize("n", range(4))
@pytest.mark.mock_server(profile="deployed")
def test_it(mock_server, n):
    assert mock_server.key.startswith("fastgpt-sbx-")
    assert not mock_server.chat("app-1", "chat-1").top
    assert mock_server.choices["chat_unknown"] == "ignore"
    pin(mock_server)
    assert mock_server.chat("app-1", "chat-1").top
    mock_server.assert_called("updateHistory", times=1)
"""
    with MockServer({"apps": []}, admin_token=token) as server:
        result = run(pytester, tests, "--mock-server-url", server.url)
        result.assert_outcomes(passed=4)
        result.stdout.fnmatch_lines([f"mock-server: {server.url}, a sandbox per test"])
        assert len(server.sandbox.journal) == 0


@pytest.mark.parametrize(
    ("workers", "count"), [(4, 40), pytest.param(4, 400, marks=pytest.mark.full)]
)
@pytest.mark.parametrize("shared", [True, False])
def test_parallel_tests_do_not_meet(
    pytester: pytest.Pytester, shared: bool, workers: int, count: int
) -> None:
    tests = f"""
@pytest.mark.parametrize("n", range({count}))
def test_it(mock_server, n):
    assert not mock_server.chat("app-1", "chat-1").top
    for top in (True, False, True):
        pin(mock_server, top)
        assert mock_server.chat("app-1", "chat-1").top is top
    mock_server.assert_called("updateHistory", times=3)
"""
    with MockServer() as server:
        url = ["--mock-server-url", server.url] if shared else []
        run(pytester, tests, "-n", str(workers), *url).assert_outcomes(passed=count)
        assert [each.name for each in server.app.sandboxes.all()] == ["default"]


def test_no_thread_is_left_behind(pytester: pytest.Pytester) -> None:
    tests = """
def test_it(mock_server):
    pin(mock_server)
"""
    pytester.makeconftest(
        "import threading\n"
        "def pytest_unconfigure(config):\n"
        "    print('threads left:', threading.active_count() - 1)\n"
    )
    run(pytester, tests, "-s").stdout.fnmatch_lines(["threads left: 0"])


def test_async_tests_can_use_it(pytester: pytest.Pytester) -> None:
    tests = """
@pytest.mark.anyio
async def test_it(mock_server):
    async with httpx2.AsyncClient(base_url=mock_server.url) as client:
        headers = {"Authorization": f"Bearer {mock_server.key}"}
        body = {"offset": 0, "datasetId": "dataset-1"}
        path = "/api/core/dataset/collection/listV2"
        assert (await client.post(path, json=body, headers=headers)).status_code == 200
    mock_server.assert_called("listV2")

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""
    options = ("-W", "error", "-p", "no:asyncio")
    run(pytester, tests, *options).assert_outcomes(passed=1)


@pytest.mark.full
@pytest.mark.parametrize("extra", [(), ("-n", "2")])
def test_other_plugins_are_no_trouble(
    pytester: pytest.Pytester, extra: tuple[str, ...]
) -> None:
    pytest.importorskip("pytest_asyncio")
    pytest.importorskip("pytest_randomly")
    tests = """
import asyncio

@pytest.mark.asyncio
@pytest.mark.parametrize("n", range(10))
async def test_async(mock_server, n):
    assert mock_server.journal == []
    answers = await asyncio.gather(*(asyncio.to_thread(pin, mock_server) for _ in "12"))
    assert [answer.status_code for answer in answers] == [200, 200]

@pytest.mark.parametrize("n", range(10))
def test_sync(mock_server, n):
    assert mock_server.journal == []
    assert pin(mock_server).status_code == 200
"""
    result = run(pytester, tests, *extra, shuffled=True)
    result.assert_outcomes(passed=20)


def test_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys, mock_server.pytest_plugin\n"
        "heavy = {'starlette', 'uvicorn', 'msgspec', 'yaml', 'click', 'hypothesis'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_there_are_few_public_names() -> None:
    assert len(public_names) <= 8
    assert {"MockServer", "Fault", "load_fixture", "create_app"} <= set(public_names)

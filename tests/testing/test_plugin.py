"""The pytest plugin, in runs of pytest of its own."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from mock_server import MockServer
from mock_server import __all__ as public_names
from tests.testing.conftest import Run


@pytest.mark.ci
@pytest.mark.parametrize(
    ("value", "passed"), [("true", 1), ("false", 2), ('["unknown_fields"]', 2)]
)
def test_strictness_is_read_from_native_toml_too(
    run: Run, pytester: pytest.Pytester, value: str, passed: int
) -> None:
    text = f"[tool.pytest]\nmock_server_strict = {value}\n"
    (pytester.path / "pyproject.toml").write_text(text)
    result = run("strict", "-cpyproject.toml", "-ktest_o")
    assert result.parseoutcomes().get("passed") == passed


@pytest.mark.parametrize("is_remote", [False, True])
@pytest.mark.ci
def test_a_test_may_have_several_servers(run: Run, is_remote: bool) -> None:
    with MockServer() as server:
        url = ["--mock-server-url", server.url] if is_remote else []
        run("several", *url).assert_outcomes(passed=4)


@pytest.mark.ci
@pytest.mark.parametrize("token", [None, "s3cret"])
def test_a_running_server_gives_each_test_a_sandbox(
    run: Run, monkeypatch: pytest.MonkeyPatch, token: str | None
) -> None:
    if token is not None:
        monkeypatch.setenv("MOCK_SERVER_ADMIN_TOKEN", token)
    with MockServer({"apps": []}, admin_token=token) as server:
        result = run("sandboxes", "--mock-server-url", server.url)
        result.assert_outcomes(passed=4)
        result.stdout.fnmatch_lines([f"mock-server: {server.url}, a sandbox per test"])
        assert len(server.sandbox.journal) == 0


@pytest.mark.ci
@pytest.mark.parametrize(
    ("workers", "count"),
    [
        (2, 10),
        (4, 40),
        pytest.param(4, 400, marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("shared", [True, False])
def test_parallel_tests_do_not_meet(
    run: Run, monkeypatch: pytest.MonkeyPatch, shared: bool, workers: int, count: int
) -> None:
    monkeypatch.setenv("TESTS", str(count))
    with MockServer() as server:
        url = ["--mock-server-url", server.url] if shared else []
        result = run("parallel", "-n", str(workers), *url, apart=True)
        result.assert_outcomes(passed=count)
        assert [each.name for each in server.app.sandboxes.all()] == ["default"]


@pytest.mark.ci
def test_a_port_for_all_workers_is_told_that_each_has_a_server(
    pytester: pytest.Pytester,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as used:
        settings = f"lambda: {{'port': {used.getsockname()[1]}}}"
        pytester.makepyfile(
            f"""
            import pytest
            mock_server_settings = pytest.fixture(scope="session")({settings})
            def test_it(mock_server): pass
            """
        )
        result = pytester.runpytest_subprocess("-n1")
    result.stdout.fnmatch_lines("*(each worker of pytest-xdist starts a server*")


@pytest.mark.ci
@pytest.mark.parametrize("extra", [(), ("-n", "2")])
def test_other_plugins_are_no_trouble(run: Run, extra: tuple[str, ...]) -> None:
    pytest.importorskip("pytest_asyncio")
    pytest.importorskip("pytest_randomly")
    run("beside", *extra, apart=True, beside=True).assert_outcomes(passed=20)


@pytest.mark.ci
def test_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys, mock_server.pytest_plugin\n"
        "heavy = {'starlette', 'uvicorn', 'msgspec', 'yaml', 'click', 'hypothesis'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_there_are_few_public_names() -> None:
    assert len(public_names) <= 9
    assert {"MockServer", "Fault", "load_fixture", "create_app"} <= set(public_names)

"""What a start does not import, so that it is quick."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from tests.process import environment, serving
from tests.support import SECONDS, fetch

SERVER = {"asyncio", "msgspec", "starlette", "uvicorn.config", "yaml"}
PARSER = {
    "click",
    "dataclasses",
    "http",
    "json",
    "re",
    "socket",
    "mock_server.cli.main",
}
UNUSED = {
    "click.shell_completion",
    "difflib",
    "gzip",
    "http.client",
    "importlib.resources",
    "mock_server.admin.resources.faults",
    "mock_server.api.faults.table",
    "mock_server.api.operations.related",
    "mock_server.api.request_log",
    "mock_server.service.conformance",
    "mock_server.fixture.dump",
    "starlette.routing",
}


CODE = """
import sys
from mock_server.__main__ import main
try:
    main()
finally:
    print("LOADED", *sys.modules, file=sys.stderr)
"""
# The rest is imported by another thread, right after READY.
BY_MAIN_THREAD = """
import sys
from _thread import get_ident
loaded, own = set(), get_ident()
def note(event, args):
    if event == "import" and get_ident() == own:
        loaded.add(args[0])
sys.addaudithook(note)
from mock_server.__main__ import main
try:
    main()
finally:
    print("LOADED", *loaded, file=sys.stderr)
"""
HEALTH = """
import sys
from mock_server import MockServer
from mock_server.admin.views import HealthView
with MockServer() as server:
    server.client.call(HealthView, "GET", "/health")
print("LOADED", *sys.modules, file=sys.stderr)
"""


def process(*args: str, code: str = CODE) -> subprocess.Popen[str]:
    """A command that tells its modules when it ends, without those of coverage."""
    own = {k: v for k, v in environment().items() if not k.startswith("COVERAGE_")}
    return subprocess.Popen(
        [sys.executable, "-c", code, *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=own,
    )


def loaded(command: subprocess.Popen[str]) -> set[str]:
    """The modules of a command, which has to succeed."""
    _, said = command.communicate(timeout=SECONDS)
    assert command.returncode == 0, said
    return set(said.rpartition("LOADED")[2].split())


@pytest.mark.ci
@pytest.mark.parametrize("option", ["--version", "--help", "-h"])
def test_to_say_what_there_is_loads_no_command_line(
    monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert loaded(process(option)) & (SERVER | PARSER) == set()


@pytest.mark.ci
def test_a_command_for_a_server_loads_no_codec_of_international_names() -> None:
    with serving("--port=0") as (url, _):
        assert "encodings.idna" not in loaded(process("reset", "--url", url))


def loaded_by_serving(*fixtures: str) -> set[str]:
    """The modules of a server after its first answer."""
    server = process("serve", "--port=0", *fixtures, code=BY_MAIN_THREAD)
    assert server.stdout is not None
    url = server.stdout.readline().removeprefix("READY ").strip()
    assert fetch("GET", f"{url}/__admin/health").status_code == 200
    server.terminate()
    return loaded(server)


@pytest.mark.ci
def test_serving_json_and_its_first_answer_load_nothing_that_they_do_not_use(
    tmp_path: Path,
) -> None:
    fixture = tmp_path / "fixture.json"
    fixture.write_text("{}")
    modules = loaded_by_serving(str(fixture))
    assert "mock_server.admin.resources.health" in modules
    assert modules & {"yaml", *UNUSED} == set()


@pytest.mark.ci
def test_serving_the_demo_loads_nothing_that_it_does_not_use() -> None:
    assert loaded_by_serving() & UNUSED == set()


@pytest.mark.ci
def test_in_a_program_health_loads_no_other_resource() -> None:
    modules = loaded(process(code=HEALTH))
    assert "mock_server.admin.resources.health" in modules
    assert "mock_server.admin.resources.table" not in modules


def test_no_module_of_tests_is_the_command() -> None:
    # To import it is to begin it: no collector of garbage, and signals end the process.
    assert "mock_server.__main__" not in sys.modules
    assert gc.isenabled()

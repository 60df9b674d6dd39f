"""Files and pipes are UTF-8 in every locale: commands, the console, a run of pytest."""

import json
import os
import sys

import httpx2
import pytest
from commands import run_command, started_command
from test_har import entry
from test_pytest_plugin import OPTIONS
from yaml import safe_load

COMMAND = (sys.executable, "-m", "mock_server")
STRICT = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONWARNDEFAULTENCODING": "1"}
STRICT |= {"PYTHONWARNINGS": "error::EncodingWarning"}
FIXTURE = "datasets: [{id: d, name: 手册, collections: [{name: 安装}]}]"


@pytest.fixture
def variables():
    """The environment of a machine with the locale C; with another one: tests/longer."""
    return os.environ | STRICT | {"LC_ALL": os.environ.get("TESTED_LOCALE", "C")}


@pytest.fixture
def folder(tmp_path, variables):
    """A folder with a Chinese name in the charset of the locale; it has a fixture."""
    charset = variables["LC_ALL"].partition(".")[2] or "utf-8"
    folder = tmp_path / os.fsdecode("项目".encode(charset))
    folder.mkdir()
    (folder / "data.yaml").write_text(FIXTURE, "utf-8")
    return folder


def test_commands_read_and_write_utf8(variables, folder):
    run_command(*COMMAND, "--help", env=variables)
    (folder / "broken.yaml").write_text("名: 1", "utf-8")
    broken = run_command(*COMMAND, "check", folder / "broken.yaml", env=variables, status=2)
    assert "/项目/broken.yaml:1:1: " in broken.stderr and "'名'" in broken.stderr
    har = {"log": {"entries": [entry('{"message": "雨"}', "天气", appId="a")]}}
    (folder / "a.har").write_text(json.dumps(har, ensure_ascii=False), "utf-8")
    with open(folder / "replies.yaml", "wb") as file:
        run_command(*COMMAND, "import", "har", folder / "a.har", env=variables, stdout=file)
    (app,) = safe_load((folder / "replies.yaml").read_bytes())["apps"]
    assert app["replies"] == [{"match": {"question": "天气"}, "parts": [{"error": "雨"}]}]


def test_a_server_shows_its_console_and_the_names_of_its_files(variables, folder):
    served = (folder / "data.yaml", "--port", "0")
    with started_command(*COMMAND, *served, env=variables) as process:
        url = process.stdout.readline().split()[1]
        paths = ("health", "?lang=zh", "console?lang=zh")
        health, page, sections = (httpx2.get(f"{url}/__admin/{it}").text for it in paths)
        process.terminate()
        assert "/项目/data.yaml)" in process.communicate()[1]
    assert '/项目/data.yaml"]' in health
    assert "控制台" in page and "手册" in sections and "Â·" not in page + sections


TESTS = """
import pytest

@pytest.mark.mock_server(fixture="data.yaml")
def test_it(mock_server):
    assert mock_server.collections("d")[0].name == "安装"
    mock_server.assert_called("updateHistory", body={"chatId": "会话"})
"""


def test_pytest_runs_and_reports(variables, folder):
    (folder / "test_it.py").write_text(TESTS, "utf-8")
    encoding = "gbk" if "GBK" in variables["LC_ALL"] else "ascii"
    command = (sys.executable, "-m", "pytest", *OPTIONS, folder)
    printed = run_command(*command, status=1, env=variables, encoding=encoding, errors="replace")
    body = '{"chatId":"会话"}'
    assert body.encode(encoding, "backslashreplace").decode(encoding) in printed.stdout

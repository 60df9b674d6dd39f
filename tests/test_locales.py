"""Files and pipes are UTF-8 in every locale: commands, the console, a run of pytest."""

import json
import os
import sys
from pathlib import Path

import httpx2
import pytest
from account import COMPLETIONS
from commands import run_command, started_command
from yaml import safe_load

COMMAND = (sys.executable, "-m", "mock_server")
STRICT = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONWARNDEFAULTENCODING": "1"}
STRICT |= {"PYTHONWARNINGS": "error::EncodingWarning"}
FIXTURE = "datasets: [{id: d, name: 手册, collections: [{name: 安装}]}]"


@pytest.fixture(scope="module", params=["C", "zh_CN.GBK"])
def variables(request, tmp_path_factory):
    """The environment of a machine with this locale, which may be made for it."""
    folder = tmp_path_factory.mktemp("locales")
    language, _, charset = request.param.partition(".")
    if charset and not Path(f"/usr/share/i18n/charmaps/{charset}.gz").exists():
        pytest.skip(f"needs localedef and {charset}")
    if charset:
        run_command("localedef", "-i", language, "-f", charset, folder / request.param)
    return os.environ | STRICT | {"LC_ALL": request.param, "LOCPATH": str(folder)}


@pytest.fixture
def folder(tmp_path, variables):
    """A folder with a Chinese name in the charset of the locale; it has a fixture."""
    charset = variables["LC_ALL"].partition(".")[2] or "utf-8"
    folder = tmp_path / os.fsdecode("项目".encode(charset))
    folder.mkdir()
    (folder / "data.yaml").write_text(FIXTURE, "utf-8")
    return folder


def test_commands_read_and_write_utf8(variables, folder):
    asked = {"messages": [{"role": "user", "content": "下雨吗。"}]}
    sent = {"method": "POST", "url": COMPLETIONS, "postData": {"text": json.dumps(asked)}}
    reply = {"choices": [{"message": {"role": "assistant", "content": "下雨。"}}]}
    response = {"status": 200, "content": {"text": json.dumps(reply)}}
    har = {"log": {"entries": [{"request": sent, "response": response}]}}
    (folder / "chats.har").write_text(json.dumps(har, ensure_ascii=False), "utf-8")
    (folder / "broken.yaml").write_text("名: 1", "utf-8")
    run_command(*COMMAND, "--help", env=variables)
    broken = run_command(*COMMAND, "check", folder / "broken.yaml", env=variables, status=2)
    assert "/项目/broken.yaml:1:1: Expected no field '名'" in broken.stderr
    with open(folder / "replies.yaml", "wb") as file:
        imported = ("import", "har", "--app", "a", folder / "chats.har")
        run_command(*COMMAND, *imported, env=variables, stdout=file)
    (app,) = safe_load((folder / "replies.yaml").read_bytes())["apps"]
    assert app["replies"][0]["match"] == {"question": "下雨吗。"}
    assert app["replies"][0]["parts"] == [{"text": "下雨。"}]


def test_a_server_shows_its_console_and_the_names_of_its_files(variables, folder):
    served = (folder / "data.yaml", "--port", "0")
    with started_command(*COMMAND, *served, env=variables) as process:
        url = process.stdout.readline().split()[1]
        (file,) = httpx2.get(f"{url}/__admin/health").json()["fixture"]["files"]
        page = httpx2.get(f"{url}/__admin/?lang=zh").text
        sections = httpx2.get(f"{url}/__admin/console?lang=zh").text
        process.terminate()
        assert "/项目/data.yaml)" in process.communicate()[1]
    assert file.endswith("/项目/data.yaml")
    assert "控制台" in page and "手册" in sections and "Â·" not in page + sections


CONFTEST = """
import pytest
from pathlib import Path

@pytest.fixture(scope="session")
def mock_server_fixture():
    return next(Path(__file__).parent.glob("*.yaml"))
"""
TESTS = """
def test_passing(mock_server):
    assert mock_server.collections("d")[0].name == "安装"

def test_failing(mock_server):
    mock_server.respond("GET /天气", text="雨")
    assert mock_server.http.get("/天气").text == "雨"
    mock_server.assert_called("updateHistory", body={"chatId": "会话"})
"""


def test_pytest_runs_and_reports(variables, folder):
    (folder / "conftest.py").write_text(CONFTEST, "utf-8")
    (folder / "test_it.py").write_text(TESTS, "utf-8")
    others = [f"-pno:{it}" for it in ("cacheprovider", "xdist", "hypothesispytest")]
    command = (sys.executable, "-m", "pytest", *others, folder)
    encoding = {"C": "ascii"}.get(variables["LC_ALL"], "gbk")
    result = run_command(*command, status=1, env=variables, encoding=encoding, errors="replace")
    assert "1 failed, 1 passed" in result.stdout
    told = 'Expected a call of updateHistory with body {"chatId":"会话"}'
    assert told.encode(encoding, "backslashreplace").decode(encoding) in result.stdout

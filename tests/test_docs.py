"""The pages for people: tables, links, and examples are true."""

import ast
import os
import re
import shlex
import shutil
import sys
from argparse import ArgumentParser
from pathlib import Path
from urllib.parse import unquote

import httpx2
import pytest
import yaml
from commands import run_command
from msgspec import json
from tables import PAGES, ROOT, anchor, written

from mock_server.fixture.load import load_fixture
from mock_server.service.operations import OPERATION_NAMES

FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)")
CURL = re.compile(r"^curl .*?(?<!\\)$", re.MULTILINE | re.DOTALL)
TEXTS = {page: page.read_text("utf-8") for page in PAGES}
CHINESE = [page for page in PAGES if page.parent.name == "zh"]
ENGLISH = [page for page in PAGES if page not in CHINESE]
OPTIONS = ("-q", "-p", "no:anyio", "-p", "no:schemathesis")
OPTIONS += ("-o", "asyncio_default_fixture_loop_scope=function")
pytestmark = pytest.mark.served(fixture=None)
pages = pytest.mark.parametrize("page", PAGES, ids=lambda it: it.name)


def blocks(language, page=None):
    """The blocks of a language, of one page or of all English ones."""
    texts = [TEXTS[it] for it in (ENGLISH if page is None else [page])]
    return [it[2] for text in texts for it in FENCE.finditer(text) if it[1] == language]


def headings(page):
    text = FENCE.sub("", page.read_text("utf-8"))
    return {anchor(it) for it in re.findall(r"^#+ (.*)", text, re.M)}


@pages
def test_the_tables_are_those_of_the_code(page):
    assert written(TEXTS[page]) == TEXTS[page], "run `python tests/tables.py`"


def test_the_differences_are_those_of_operations():
    text = (ROOT / "docs/fastgpt-4.16.md").read_text("utf-8")
    subjects = re.findall(r"^- ((?:`[\w.]+`,? ?)+):", text, re.MULTILINE)
    assert subjects and {*re.findall(r"`(.*?)`", " ".join(subjects))} <= OPERATION_NAMES


@pages
def test_links_lead_to_files_and_headings(page):
    for path, heading in LINK.findall(FENCE.sub("", TEXTS[page])):
        target = (page.parent / unquote(path)).resolve() if path else page
        assert target.exists(), path
        assert not heading or heading in headings(target), (path, heading)


@pytest.mark.parametrize("page", CHINESE, ids=lambda it: it.name)
def test_chinese_pages_have_the_examples_of_the_english_ones(page):
    english = next(it for it in ENGLISH if it.name == page.name)
    assert set(FENCE.findall(TEXTS[page])) <= set(FENCE.findall(TEXTS[english]))
    assert f"zh/{page.name})" in TEXTS[english]


CONSOLE = ROOT / "mock_server/admin/templates/chinese.json"
DEMO = ROOT / "mock_server/demo/page.js"
OTHER_WORDS = {"回复": "回答", "测试数据": "夹具", "知识库": "数据集", "会话": "对话"}
OTHER_WORDS |= {"沙箱": "沙盒", "账户": "账号", "接口文档": "(?<!接口)文档第"}


@pytest.mark.parametrize("word", OTHER_WORDS)
def test_chinese_has_one_word_for_each_thing(word):
    files = [*CHINESE, CONSOLE, DEMO]
    assert not [it.name for it in files if re.search(OTHER_WORDS[word], it.read_text("utf-8"))]


@pytest.mark.parametrize("text", blocks("yaml"))
def test_fixtures_load(text, tmp_path):
    file = tmp_path / "fixture.yaml"
    file.write_text(text, "utf-8")
    assert load_fixture(file).warnings == ()


PARSERS = {"json": json.decode, "yml": yaml.safe_load, "py": ast.parse}
OTHERS = [(language, text) for language in PARSERS for text in blocks(language)]


@pytest.mark.parametrize("language, text", OTHERS)
def test_examples_for_other_programs_can_be_parsed(language, text):
    assert PARSERS[language](text)


@pytest.mark.parametrize("file", [*(ROOT / ".github").rglob("*.yml")], ids=lambda it: it.name)
def test_workflows_and_forms_are_yaml(file):
    assert isinstance(yaml.safe_load(file.read_text("utf-8")), dict)


def test_nothing_is_published_until_a_variable_is_set():
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    public = [it for it in jobs.values() if {"id-token", "packages"} & {*it.get("permissions", ())}]
    assert [it["if"] for it in public] == ["vars.PYPI_ENVIRONMENT != ''", "vars.IMAGE != ''"]


WORDS = ArgumentParser()
for name in ("curl", "url", "-X", "-d"):
    WORDS.add_argument(name)
WORDS.add_argument("-H", action="append", default=[])


@pytest.mark.parametrize("page", ENGLISH, ids=lambda it: it.name)
def test_curl_examples_succeed(page, server):
    for command in CURL.findall("\n".join(blocks("sh", page))):
        sent, _ = WORDS.parse_known_args(shlex.split(command.replace("\\\n", " ")))
        method = sent.X or ("GET" if sent.d is None else "POST")
        headers = dict(it.split(": ", 1) for it in sent.H)
        url = re.sub("^http://127.0.0.1:8000", server.url, sent.url)
        response = httpx2.request(method, url, headers=headers, content=sent.d, verify=False)
        assert response.is_success, (command, response.text)


CI = ROOT / "docs/guides/ci.md"
(GITLAB,) = [yaml.safe_load(it)["script"] for it in blocks("yml", CI) if it.startswith("script:")]
SCRIPTS = {"sh": blocks("sh", CI)[0], "bash -e": "\n".join(GITLAB)}


@pytest.mark.parametrize("shell", SCRIPTS)
@pytest.mark.parametrize(
    ("fixture", "status", "output"),
    [("apps: []", 0, '"GET /__admin/health '), ("app: []", 1, "'apps'")],
)
def test_a_script_of_ci_tests_its_own_server_or_stops(shell, fixture, status, output, tmp_path):
    command = shutil.which("mock-server", path=Path(sys.executable).parent)
    programs = dict.fromkeys(["git", "pip", "npm", "python3", ".venv/bin/pip"], "true")
    programs |= dict.fromkeys(["mock-server", ".venv/bin/mock-server"], f'exec {command} "$@"')
    programs["npx"] = f"{command} wait --url $MOCK_SERVER_URL && cat mock-server.log"
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for name, line in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n", "utf-8")
        (tmp_path / name).chmod(0o755)
    (tmp_path / "fixture.yaml").write_text(fixture, "utf-8")
    variables = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = f"{SCRIPTS[shell]}\nkill $!"
    started = (*shell.split(), "-c", script)
    done = run_command(*started, status=status, cwd=tmp_path, env=variables)
    assert output in done.stdout and not done.stderr


def test_python_examples_run(pytester):
    examples = {f"test_example_{n}": text for n, text in enumerate(blocks("python"))}
    pytester.makepyfile(**examples)
    (recorded,) = blocks("yaml", ROOT / "docs/guides/test-a-chat-client.md")
    quickstart = blocks("yaml", ROOT / "docs/quickstart.md")[0]
    pytester.makefile(".yaml", fixture=quickstart, recorded=recorded)
    outcomes = pytester.runpytest_inprocess(*OPTIONS)
    tests = sum(it.count("def test_") for it in examples.values())
    outcomes.assert_outcomes(passed=tests, warnings=0)


def test_the_client_of_an_upgrade_fails_as_shown(pytester):
    page = ROOT / "docs/choices.md"
    (example,) = blocks("python", page)
    shown = blocks("text", page)[-1].splitlines()
    pytester.makepyfile(test_client=example)
    options = (*OPTIONS, "--mock-server-profile=fastgpt-4.14,fastgpt-4.16,fastgpt-4.17")
    result = pytester.runpytest_inprocess(*options)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines([line.replace("[", "[[]") for line in shown])
    result.stdout.fnmatch_lines(["FAILED *::test_tags_are_labels[[]fastgpt-4.17] *"])

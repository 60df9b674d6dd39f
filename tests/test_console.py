"""The console over HTTP: what its page and its parts have. tests/longer uses it in a browser."""

import json
import re
import shlex
from html import unescape
from pathlib import Path

import httpx2
import pytest
from account import LIST, SENT_LIST, Client, LocalClient

import mock_server
from mock_server.admin.console import CHINESE, FAILURES, OTHER_EFFECTS, USUAL_OPERATIONS
from mock_server.choices import choice_table
from mock_server.faults.rule_kinds import PRESETS
from mock_server.releases.fastgpt import PROFILES

TEMPLATES = Path(mock_server.__file__).with_name("admin") / "templates"


def part(client: Client, query: str, sandbox: str = "") -> str:
    """A section of the page, such as `data?app=support`, or `all`."""
    name, _, parameters = query.partition("?")
    response = client.request("GET", f"/__admin/{sandbox}console?{parameters}")
    assert response.status_code == 200, response.text
    if name == "all":
        return response.text
    return re.findall(f'<section id="{name}".*?</section>', response.text, re.DOTALL)[0]


def test_the_page_has_no_data_and_allows_no_other_address():
    with LocalClient(admin_token="letmein") as client:
        page = client.request("GET", "/__admin/")
        assert page.status_code == 200
        assert "Handbook" not in page.text
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';")
        assert "unsafe" not in policy
        sources = re.findall('(?:src|href)="([^"#?]+)', page.text)
        assert all(it.startswith(("static/", "data:image/svg+xml")) for it in sources)


@pytest.mark.parametrize("demo", [True, False])
def test_the_page_links_to_a_demo_that_is_served(demo):
    with LocalClient(demo=demo) as client:
        assert ('href="../demo/"' in client.request("GET", "/__admin/").text) is demo
        assert (client.request("GET", "/demo/").status_code == 200) is demo


@pytest.mark.parametrize("path", ["console", "sandboxes/default/console"])
def test_a_part_needs_the_token_and_a_static_file_needs_none(path):
    with LocalClient(admin_token="letmein") as client:
        assert client.request("GET", f"/__admin/{path}").status_code == 401
        headers = {"Authorization": "Bearer letmein"}
        assert "Handbook" in client.request("GET", f"/__admin/{path}", headers=headers).text
        for file in ("console.js", "console.css", "server.js"):
            assert client.request("GET", f"/__admin/static/{file}").status_code == 200
        assert client.request("GET", "/__admin/static/%2e%2e/console.py").status_code != 200


def test_a_sandbox_has_parts_of_its_own(client):
    client.admin("POST", "/sandboxes", {"name": "mine"})
    client.admin("DELETE", "/apps/app")
    assert "Support" in part(client, "data", "sandboxes/mine/")
    assert "Support" not in part(client, "data")


def test_names_are_no_markup(client):
    client.admin("PUT", "/apps/app/chats/%3Cb%3E", {"title": "<script>alert(1)</script>"})
    client.fetch("/api/any?<i>", {"a": "<u>"})
    shown = part(client, "all?entry=1")
    assert "<script>" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "<u>" not in shown


def test_no_key_is_shown(client):
    client.add("hang", probability=0, match={"key": "owner-secret-key"})
    client.fetch(LIST, SENT_LIST, key="client-secret-key", headers={"Cookie": "token=abc-def-ghi"})
    shown = part(client, "all?entry=1")
    assert "probability: 0" in shown
    assert not [it for it in ("owner-secret", "client-secret", "abc-def") if it in shown]


def words_of(shown: str, name: str) -> list[str]:
    """The words of the command with this id, as a shell reads it."""
    command = re.search(f'(?s)<pre id="{name}" class="command".*?>(.*?)</pre>', shown)
    assert command
    return shlex.split(unescape(command[1]).replace("\\\n", ""))


def test_the_list_shows_hints(client):
    client.fetch("/api/nope", {})
    assert client.control.journal[-1]["hint"].partition("`")[0] in part(client, "requests")


def test_a_moved_clock_is_marked():
    with LocalClient({}) as client:
        assert "<li>Clock: real time" in part(client, "status")
        client.admin("POST", "/clock/advance", {"seconds": 93600})
        moved = "1 day 2 h ahead of the real time"
        assert f'<li class="marked">Clock: {moved}' in part(client, "status")
        assert f'<span class="mark">{moved}' in part(client, "control")
        client.admin("PUT", "/clock", {"frozen": True})
        assert '<li class="marked">Clock: stands still' in part(client, "status")


def test_a_preset_says_what_is_left_in_words(client):
    client.admin("POST", "/rules", {"preset": "offline"})
    with pytest.raises(httpx2.TransportError):
        client.page()
    shown = part(client, "control").partition('id="rules"')[2]
    assert "<b>offline</b> · Each call loses its connection. <small>fired once" in shown
    assert not re.search(r"\d{4} (calls )?left", shown)


def test_an_empty_list_shows_a_command_that_works(client):
    words = words_of(part(client, "requests"), "try")
    assert words[1].endswith(LIST)
    assert json.loads(words[-1]) == {"offset": 0, "datasetId": "d"}


def test_the_command_of_a_sandbox_has_its_key(client):
    key = client.admin("POST", "/sandboxes", {"name": "mine"})["key"]
    words = words_of(part(client, "requests", "sandboxes/mine/"), "try")
    assert f"Authorization: Bearer {key}" in words


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_backtick_is_shown(client, language):
    client.fetch(LIST, SENT_LIST | {"pageSize": 50})
    client.fetch("/api/nope", {})
    shown = part(client, f"all?entry=2&lang={language}")
    assert "<code>pageSize</code>" in shown
    not_shown_or_sent = r'(?s)data-message=".*?"|<pre.*?</pre>'
    assert "`" not in re.sub(not_shown_or_sent, "", shown)


def test_the_journal_is_filtered(client):
    client.page()
    client.pin()
    client.page(pageSize=50)
    assert entries(client, "operation=updateHistory") == [2]
    assert entries(client, "problems=true") == [3]
    assert entries(client, "") == [3, 2, 1]


def entries(client: Client, query: str) -> list[int]:
    return [int(it) for it in re.findall('id="entry-(.*?)"', part(client, f"requests?{query}"))]


SUMMARIES = [({"a": "x" * 38, "b": "y" * 38, "c": 1}, 'a: "' + "x" * 38 + '", …')]
SUMMARIES += [({"a": "x" * 80, "b": ""}, 'a: "' + "x" * 39 + '…, b: ""')]
SUMMARIES += [({"offset": 0, "datasetId": "d", "c": None}, "Handbook · offset: 0, c: null")]
SUMMARIES += [({"datasetId": [], "searchText": "Café"}, "“Café” · datasetId: []")]
SUMMARIES += [({"datasetId": "no", "text": "x"}, 'datasetId: "no", text: "x"')]


@pytest.mark.parametrize(("body", "shown"), SUMMARIES)
def test_a_request_is_cut_at_a_field(client, body, shown):
    client.fetch(LIST, body)
    assert shown in unescape(part(client, "requests"))


def test_the_path_of_a_folder_is_shown(client):
    folder = {"_id": "inner", "name": "Inner", "parentId": "folder", "type": "folder"}
    client.control.put_collection("d", folder)
    shown = part(client, "data?dataset=d&folder=inner")
    assert re.findall('id="folder-(.*?)"', shown) == ["root", "folder", "inner"]


def test_a_folder_that_is_gone_is_the_top_level(client):
    assert "Beta" in part(client, "data?dataset=d&folder=folder")
    client.admin("DELETE", "/datasets/d/collections/folder")
    assert "Alpha link" in part(client, "data?dataset=d&folder=folder")


def test_every_text_is_in_chinese():
    found = {*FAILURES, *OTHER_EFFECTS.values(), *PRESETS, *USUAL_OPERATIONS.values()}
    found |= {preset.effect for preset in PRESETS.values()} | {"+1 min", "+1 h", "+1 day"}
    found |= {it.sentence for it in (*choice_table().values(), *PROFILES.values())}
    for template in TEMPLATES.glob("*.html"):
        found |= {
            it for _, it in re.findall(r"""\bt\((["'])(.+?)\1""", template.read_text("utf-8"))
        }
    assert found == CHINESE.keys()


def test_response_and_answer_are_two_words_in_chinese():
    for english, chinese in CHINESE.items():
        assert "响应" in chinese or "response" not in english.lower(), english
        assert "应答" not in chinese or re.search(r"\b[Aa]nswers?\b", english), english


LANGUAGES = [("zh-CN,zh;q=0.9,en;q=0.8", "", True), ("en-US,en;q=0.9,zh;q=0.8", "", False)]
LANGUAGES += [("de", "", False), ("de", "?lang=zh", True), ("zh-CN", "?lang=en", False)]


@pytest.mark.parametrize(("accepted", "query", "is_chinese"), LANGUAGES)
def test_the_language_is_the_browser_s(client, accepted, query, is_chinese):
    headers = {"Accept-Language": accepted}
    for path in ("", "console"):
        answer = client.request("GET", f"/__admin/{path}{query}", headers=headers)
        assert ("控制" in answer.text or "快照" in answer.text) is is_chinese


@pytest.mark.parametrize("name", FAILURES)
def test_every_failure_that_a_click_adds_is_listed_in_its_words(client, name):
    added = client.admin("POST", "/rules", {"operation": "listV2"} | FAILURES[name])
    row = re.search(rf'(?s)id="rule-{added["id"]}".*?</span>', part(client, "control"))
    assert row and name in row[0]
    assert re.sub(r"\s+", " ", row[0]).partition("<small> ·")[1]  # no field beside the words


def test_requests_are_searched_and_have_older_pages(client):
    for number in range(102):
        client.fetch(LIST, SENT_LIST | {"offset": number})
    client.fetch(LIST, SENT_LIST | {"searchText": "caf\u00e9"})
    shown = part(client, "requests")
    assert "100 of 103" in shown
    older = re.findall('id="older" href="[?](.*?)"', shown)
    assert entries(client, older[0]) == [3, 2, 1]
    assert entries(client, "search=CAF%C3%89") == [103]
    assert entries(client, "search=listV2&operation=updateHistory") == []


def test_data_are_searched(client):
    def found(text: str, kind: str) -> list[str]:
        return re.findall(f'id="{kind}-(.*?)"', part(client, f"data?find={text}"))

    assert (found("suPP", "app"), found("suPP", "dataset")) == (["app"], [])
    assert (found("two", "app"), found("two", "pin")) == (["app"], ["c2"])
    assert found("Alpha", "dataset") == ["d"]
    assert found("in-b", "name") == ["d", "in-b"]


STREAMS = ["It is ", 'raining: ☔ "x"']
HOSTILE = [r'"\q"', r'"\ud83d"', '"\n"', '"open', "1"]


def test_the_text_of_a_stream_is_joined(client):
    client.add("reply", parts=STREAMS, stream={"firstTokenMs": 0})
    client.complete("The weather?", stream=True)
    assert "It is raining: ☔ &#34;x&#34;</p>" in part(client, "requests?entry=1")


@pytest.mark.parametrize("content", HOSTILE)
def test_what_is_no_stream_is_shown_as_it_is(client, content):
    client.add("answer", operation="GET /x", text=f'data: {{"delta":{{"content":{content}}}}}')
    client.request("GET", "/x")
    assert "The text of the stream" not in part(client, "requests?entry=1")


ADDED = [("error", {"status": 500}, "The next listV2 fails with 500. <small> · has")]
ADDED += [("error", {"times": 3, "code": 7}, "The next 3 calls of listV2: each fails with 503.")]
ADDED += [("delay", {"ms": 5, "times": None}, "Each call of listV2 gets delay. <small>ms: 5.0 ·")]
ADDED += [("answer", {"status": 404}, "The next listV2 returns these data. <small>status: 404")]


@pytest.mark.parametrize(("kind", "fields", "shown"), ADDED)
def test_a_rule_is_listed_in_words(client, kind, fields, shown):
    client.add(kind, operation="listV2", **{"times": 1} | fields)
    assert shown in re.sub(r"\s+", " ", part(client, "control"))


def test_a_preset_is_one_entry(client):
    client.admin("POST", "/rules", {"preset": "flaky"})
    client.admin("POST", "/rules", {"preset": "flaky"})
    shown = part(client, "control")
    assert shown.count('id="remove-flaky"') == 1
    routes = " ".join(f"rules/{it['id']}" for it in client.control.rules if it["preset"])
    assert routes.count(" ") == 5 and f'action="{routes}"' in shown
    assert re.search('id="preset-flaky"[^>]*aria-pressed="true"', shown)


def test_another_profile_than_at_the_start_is_marked(client):
    client.admin("PUT", "/choices", {"profile": "fastgpt-4.16"})
    assert '<li class="marked">Profile: fastgpt-4.16' in part(client, "status")

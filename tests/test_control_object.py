"""The control object of a running server."""

import asyncio
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx2
import pytest
from account import COMPLETIONS, LIST, PIN, bearer, mentions, open_connection

from mock_server import Control, MockServer
from mock_server.control import Refused

APP = "app"
DATASET = "d"


@pytest.fixture(scope="session")
def mock_server_fixture():
    names = [{"repeat": 1001, "name": "n{n}", "type": "link"}]
    folder = {"_id": "f", "name": "Folder", "children": []}
    chats = [{"chatId": "c/1", "title": "One"}]
    return {
        "keys": [{"key": "reader", "permission": "read"}, {"key": "owner", "permission": "owner"}],
        "apps": [{"id": APP, "chats": chats}, {"id": "other"}],
        "datasets": [{"id": DATASET, "collections": [folder, *names]}],
    }


def send(server, method, path, body=None):
    url = server.url + path
    # Certificates take 20 ms to load.
    return httpx2.request(method, url, json=body, headers=bearer(server.key), verify=False)


def pin(server, top=True):
    return send(server, "PUT", PIN, {"appId": APP, "chatId": "c/1", "top": top})


def listed(server, **body):
    return send(server, "POST", LIST, {"offset": 0, "datasetId": DATASET} | body)


def said(server, app=APP):
    messages = [{"role": "user", "content": "Hi"}]
    answer = send(server, "POST", COMPLETIONS, {"appId": app, "messages": messages})
    return answer.json()["choices"][0]["message"]["content"]


def test_threads_that_use_an_application_take_turns(mock_server_app):
    def put_and_list(name):
        control = Control.of(mock_server_app)
        for number in range(10):
            control.put_collection(DATASET, {"name": f"{name}{number}"})
            control.http.post(LIST, json={}, headers=bearer("owner"))
            control.last_call("listV2")

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            assert [*threads.map(put_and_list, "abcd")] == [None] * 4
    finally:
        sys.setswitchinterval(interval)
    assert len(mock_server_app.control.collections(DATASET)) == 1002 + 40


def test_chats_are_read_put_and_removed(mock_server):
    chat = mock_server.chat(APP, "c/1")
    assert (chat.title, chat.top) == ("One", False)
    pin(mock_server)
    assert mock_server.chat(APP, "c/1").top
    assert mock_server.put_chat(APP, chat) == "c/1"
    assert not mock_server.chat(APP, "c/1").top
    mock_server.remove_chat(APP, "c/1")
    assert pin(mock_server).status_code == 404


IDS = ("a/b", "a/chats/b", "a/chats", "a/restore", "/a/", "a%2Fb", "ü/ß", "..")


@pytest.mark.parametrize("id", IDS)
def test_an_id_may_have_any_slashes(mock_server, id):
    mock_server.put_app({"id": id, "chats": [{"chatId": id, "title": "T"}]})
    mock_server.put_dataset({"id": id, "collections": [{"_id": id, "name": "N"}]})
    mock_server.restore(mock_server.snapshot(id))
    assert mock_server.chat(id, id).title == "T" and mock_server.collections(id)[0].name == "N"
    mock_server.remove_chat(id, id)
    mock_server.remove_collection(id, id)
    mock_server.remove_app(id)
    mock_server.remove_dataset(id)
    with pytest.raises(Refused, match=f"app, .*{re.escape(repr(id))}"):
        mock_server.chat(id, id)
    with pytest.raises(Refused, match=f"dataset, .*{re.escape(repr(id))}"):
        mock_server.collections(id)


def test_datasets_are_read_put_and_removed(mock_server):
    assert len(mock_server.collections(DATASET)) == 1002
    item = {"_id": "i", "name": "Install", "parentId": "f"}
    assert mock_server.put_collection(DATASET, item) == "i"
    assert [it.name for it in mock_server.collections(DATASET, "f")] == ["Install"]
    mock_server.remove_collection(DATASET, "f")
    assert len(mock_server.collections(DATASET)) == 1001
    mock_server.put_dataset({"id": DATASET, "collections": [{"name": "Only"}]})
    assert [it.name for it in mock_server.collections(DATASET)] == ["Only"]
    mock_server.remove_dataset(DATASET)
    assert listed(mock_server).status_code == 404


def test_objects_without_an_id_get_one_but_for_apps_and_datasets(mock_server):
    chat = mock_server.put_chat(APP, {"title": "New"})
    assert mock_server.chat(APP, chat).title == "New"
    first = mock_server.put_collection(DATASET, {"name": "New"})
    assert first != mock_server.put_collection(DATASET, {"name": "New"})
    assert {it.id: it.name for it in mock_server.collections(DATASET)}[first] == "New"
    for put in (mock_server.put_app, mock_server.put_dataset):
        for nameless in ({"name": "N"}, {"id": "", "name": "N"}):
            with pytest.raises(ValueError, match=r"'id', .* \$\.id"):
                put(nameless)


def test_faults_fire_once_or_as_long_as_their_block(mock_server):
    fault = mock_server.fault("error", operation="listV2", retry_after=3)
    response = listed(mock_server)
    assert (response.status_code, response.headers["retry-after"]) == (503, "3")
    assert listed(mock_server).status_code == 200 and fault.fired == 1
    with mock_server.fault("error", status=500) as lasting:
        assert [listed(mock_server).status_code for _ in range(2)] == [500, 500]
    assert listed(mock_server).status_code == 200 and lasting.fired == 2
    message = r"^fault f\d .* never fired in its block: no request of its .*\ncalled"
    with pytest.raises(AssertionError, match=message), mock_server.fault("reset"):
        pass
    with mock_server.fault("reset"):
        mock_server.call("DELETE", "/rules")


def test_the_faults_of_a_preset_are_one(mock_server):
    limit = mock_server.fault(preset="rate-limited", seed=7)
    assert {it["seed"] for it in mock_server.rules} == {7}
    assert [listed(mock_server).status_code for _ in range(12)] == [200] * 10 + [429] * 2
    assert limit.fired == 2
    limit.remove()
    with mock_server.fault(preset="flaky", seed=7) as preset:
        while preset.fired < 3:
            with suppress(httpx2.TransportError):
                listed(mock_server)
        assert sum(it["fired"] for it in mock_server.rules) == 3
        assert mock_server.unfired() == []
    assert mock_server.rules == []


def test_a_preset_that_never_fired_is_known(mock_server):
    with pytest.raises(Refused, match="'flaky'"):
        mock_server.fault(preset="flakey")
    with pytest.raises(Refused, match=r'fault\(preset="flaky"\)'):
        mock_server.fault("flaky")
    preset = mock_server.fault(preset="flaky")
    assert mock_server.unfired() == [preset]
    with pytest.raises(AssertionError, match=f"^fault {preset.id} "), preset:
        pass
    assert mock_server.rules == []


WRONG_TYPES = [
    (lambda it: it.assert_in_order("listV2"), "['listV2'], 'listV2' steps"),
    (lambda it: it.assert_in_order(5), "['listV2'], 5 steps"),
    (lambda it: it.put_chat("x"), "{'chatId': 'x'}, UNSET"),
    (lambda it: it.put_chat("x", "c"), "{'chatId': 'x'}, 'c'"),
    (lambda it: it.put_collection("d", "c"), "{'_id': 'x'}, 'c'"),
    (lambda it: it.put_app("x"), "{'id': 'x'}, 'x'"),
    (lambda it: MockServer(choices="a=b"), "dict 'a=b' choices"),
]


@pytest.mark.parametrize(("call", "facts"), WRONG_TYPES)
def test_a_value_of_a_wrong_type_is_told_in_a_sentence(mock_server, call, facts):
    with pytest.raises(ValueError) as caught:
        call(mock_server)
    assert mentions(caught.value, facts)


def test_what_cannot_fire_is_a_warning_at_the_line_of_the_test(mock_server):
    with pytest.warns(UserWarning, match="'oter' .*'other'") as caught:
        reply = mock_server.reply("Hi", app="oter")
    assert mentions(reply.missed, "request 'oter' 'other'")
    with pytest.warns(UserWarning, match=r"lost_write .* listV2"):
        mock_server.fault("lost_write", operation="listV2")
    assert caught[0].filename == __file__
    mock_server.reset()


JSON = "application/json"
ANSWERS = [({"data": [None]}, b'{"code":200,"statusText":"","message":"","data":[null]}', JSON)]
ANSWERS += [({"json": None}, b"null", JSON), ({"json": [1], "status": 202}, b"[1]", JSON)]
ANSWERS += [({"text": "Hé"}, "Hé".encode(), "text/plain")]
ANSWERS += [({"body": b"\x00\xff"}, b"\x00\xff", "application/octet-stream")]


@pytest.mark.parametrize("arguments, content, media", ANSWERS)
def test_answers_replace_a_response(mock_server, arguments, content, media):
    with mock_server.respond("GET /api/any/{id}", **arguments):
        response = send(mock_server, "GET", "/api/any/1")
    assert (response.status_code, response.content) == (arguments.get("status", 200), content)
    assert response.headers["content-type"].partition(";")[0] == media
    assert mock_server.rules == []


def test_a_header_of_an_answer_replaces_that_of_the_server(mock_server):
    own = {
        "Content-Type": "text/own",
        "Cache-Control": "private",
        "X-Request-Id": "a",
        "X-Mock-Sandbox": "b",
    }
    mock_server.respond("GET /api/any", json=1, headers=own)
    sent = send(mock_server, "GET", "/api/any").headers
    assert {name: sent.get_list(name) for name in own} == {name: [it] for name, it in own.items()}


def test_what_is_no_answer_names_what_is(mock_server):
    with pytest.raises(TypeError, match=r"json=, data=, text= .*body=, .* {'a': 1} "):
        mock_server.respond("GET /api/any", {"a": 1})
    with pytest.raises(TypeError, match="'GET /path'"):
        mock_server.respond("GET", "/api/any")
    assert "sandbox 'default'" in repr(mock_server)
    with pytest.raises(TypeError, match=r"respond\(route, handler\)"):
        mock_server.respond("GET /api/any", json=lambda request: {})
    assert mock_server.rules == []


def test_replies_are_for_all_apps_or_one(mock_server):
    mock_server.reply("Only here.", app="other")
    mock_server.reply(parts=["Any", "where."], times=1)
    assert (said(mock_server), said(mock_server, "other")) == ("Anywhere.", "Only here.")


def test_what_never_fired_is_known(mock_server):
    first = mock_server.fault("error", operation="updateHistory")
    mock_server.respond("listV2", data=None)
    reply = mock_server.reply("Hi", times=1)
    mock_server.fault("error", operation="listV2")
    assert listed(mock_server).status_code == 503
    assert mock_server.unfired() == [first, reply]
    reply.remove()
    first.remove()
    assert mock_server.unfired() == [first, reply]
    # The test may look whether they fired.
    assert first.fired == reply.held == 0
    assert mock_server.unfired() == []


def test_calls_are_found_in_the_journal(mock_server):
    pin(mock_server)
    listed(mock_server, pageSize=5)
    listed(mock_server, offset=5)
    assert len(mock_server.journal) == 3
    assert [it["request"]["body"]["offset"] for it in mock_server.calls("listV2")] == [0, 5]
    assert mock_server.last_call("listV2")["response"]["status"] == 200
    assert mock_server.wait_for("listV2", times=2)["seq"] == 3
    with pytest.raises(ValueError, match=r"1 .* 0 .* times"):
        mock_server.wait_for("listV2", times=0)
    mock_server.assert_called("listV2", times=2, status=200, key="owner")
    mock_server.assert_called("listV2", times=1, body={"pageSize": 5})
    mock_server.assert_not_called("listV2", body={"pageSize": 6})
    mock_server.assert_in_order(["updateHistory", {"operation": "listV2", "body": {"offset": 5}}])


SUMMARY = "called so far: updateHistory (1), listV2 (1); all of it is in .journal"
PINNED = '#1 updateHistory {"appId":"app","chatId":"c/1","top":true} -> 200'
NO_MATCH = """Expected at least 1 call of updateHistory with body {"top":false}, got none
nearest: #1, $.body.top: expected false, got true"""
ORDER = "Expected listV2 -> updateHistory, got no updateHistory after step 1"
LATE = "Within 0 s: Expected at least 2 calls of listV2, got 1"
FAILURES = [
    ("assert_called", "updateHistory", {"body": {"top": False}}, NO_MATCH),
    ("assert_not_called", "listV2", {}, "Expected 0 calls of listV2, got 1"),
    ("assert_in_order", ["listV2", "updateHistory"], {}, ORDER),
    ("last_call", "preLogin", {}, "Expected at least 1 call of preLogin, got none"),
    ("wait_for", "listV2", {"times": 2, "timeout": 0}, LATE),
]


@pytest.mark.parametrize("method, subject, options, message", FAILURES)
def test_a_failed_assertion_shows_what_came(mock_server, method, subject, options, message):
    pin(mock_server)
    listed(mock_server)
    with pytest.raises(AssertionError) as caught:
        getattr(mock_server, method)(subject, **options)
    assert str(caught.value).startswith(f"{message}\n{SUMMARY}\n  {PINNED}\n  #2 listV2 ")


def test_to_wait_in_a_coroutine_names_what_does_not_stop_the_loop(mock_server):
    async def wait():
        mock_server.wait_for("listV2", timeout=0)

    with pytest.raises(AssertionError, match=r" 0 s, .* asyncio\.to_thread\("):
        asyncio.run(wait())


def test_a_summary_has_hints_and_what_kept_faults(mock_server):
    first = mock_server.fault("error", match={"body": {"datasetID": DATASET}})
    second = mock_server.respond("preLogin", data=None)
    listed(mock_server, datasetId="odd")
    *_, request, hint, fault, answer = mock_server.summary().splitlines()
    assert request.startswith("  #1 listV2 ") and mentions(hint, "'default' 1 dataset: d.")
    why = 'matched 0, fired 0; #1: $.body.datasetID: "d", nothing'
    assert mentions(fault, f"error {first.id} *: {why}")
    assert mentions(answer, f"answer {second.id} preLogin: matched 0, fired 0; request operation")
    mock_server.reset()


PROXY = "NO_PROXY=127.0.0.1"
PROXIES = [("HTTP_PROXY", "", [PROXY]), ("HTTP_PROXY", "127.0.0.1", []), ("HTTPS_PROXY", "", [])]


@pytest.mark.parametrize(("name", "exempt", "endings"), PROXIES)
def test_a_summary_without_calls_tells_of_a_proxy(server, monkeypatch, name, exempt, endings):
    monkeypatch.setenv(name, "http://user:secret@127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", exempt)
    assert [it.split()[-1] for it in server.summary().splitlines()[1:]] == endings
    httpx2.post(f"{server.url}/none", trust_env=False)
    assert PROXY not in server.summary()


@pytest.mark.parametrize("allowed", [["page_size_over"], "page_size_over"])
def test_only_names_of_violations_are_allowed(mock_server, allowed):
    with pytest.raises(ValueError, match=r"'page_size_over'.* 'page_size_over_limit'"):
        mock_server.assert_no_violations(allowed)


def test_an_unknown_folder_has_no_list_of_collections(mock_server):
    with pytest.raises(Refused, match=r"_id .*folder, .*'g'"):
        mock_server.collections(DATASET, "g")


def test_only_allowed_violations_pass(mock_server):
    mock_server.choices["page_size_over_limit"] = "clamp"
    listed(mock_server, pageSize=31)
    said(mock_server)
    violation = r"\n +page_size_over_limit \(8, otherwise\): .* \$.pageSize$"
    with pytest.raises(AssertionError, match=violation):
        mock_server.assert_no_violations()
    mock_server.assert_no_violations(["page_size_over_limit"])
    with pytest.raises(AssertionError, match="related_route"):
        mock_server.assert_no_violations(["page_size_over_limit"], strict=True)


def test_a_long_journal_is_read_to_its_end(mock_server):
    requests = b"GET /api/core/chat/init HTTP/1.1\r\nHost: a\r\n\r\n" * 1001
    with open_connection(mock_server.url, requests) as client:
        received = b""
        while received.count(b"HTTP/1.1 ") < 1001:
            received += client.recv(2**20)
    assert [it["seq"] for it in mock_server.journal] == [*range(1, 1002)]
    assert "\n  #1001 chat.init " in mock_server.summary()


def test_the_clock_stands_and_moves(mock_server):
    mock_server.clock.freeze("2026-01-01T00:00:00Z")
    mock_server.clock.advance(1.5)
    assert mock_server.clock.now == "2026-01-01T00:00:01.500Z"
    mock_server.clock.run()
    assert not mock_server.call("GET", "/clock")["frozen"]


def test_choices_are_set_until_a_reset(mock_server):
    choices = mock_server.choices
    choices.update(parent_unknown="empty", list_order="name")
    assert choices == mock_server.choices != {}
    assert listed(mock_server, parentId="odd").json()["data"]["total"] == 0
    with pytest.raises(Refused, match="odd"):
        choices["list_order"] = "odd"
    with pytest.raises(TypeError, match="list_order"):
        del choices["list_order"]
    with pytest.raises(TypeError, match="not callable"):
        choices |= {"list_order": "fixture"}
    assert choices == mock_server.choices
    mock_server.reset()
    assert listed(mock_server, parentId="odd").status_code == 404


def test_snapshots_come_back_and_loads_stay(mock_server):
    pin(mock_server)
    names = {mock_server.snapshot("mine"), mock_server.snapshot(), mock_server.snapshot()}
    mock_server.reset()
    assert len(names) == len(mock_server.call("GET", "/snapshots")["snapshots"]) == 3
    assert not mock_server.chat(APP, "c/1").top
    mock_server.restore("mine")
    assert mock_server.chat(APP, "c/1").top
    mock_server.load({"apps": [{"id": "x", "chats": [{"chatId": "c"}]}]})
    mock_server.reset()
    assert mock_server.chat("x", "c").chat_id == "c"


def test_a_sandbox_is_isolated_by_its_key(mock_server):
    other = mock_server.create_sandbox(profile="fastgpt-4.16", name="one")
    assert other.keys.keys() == mock_server.keys.keys() and other.key != mock_server.key
    assert all(it.startswith("fastgpt-sbx-") for it in (other.key, *other.keys.values()))
    assert pin(other).headers["x-mock-sandbox"] == "one"
    assert other.chat(APP, "c/1").top and not mock_server.chat(APP, "c/1").top
    other.fault("error")
    assert (pin(other).status_code, pin(mock_server).status_code) == (503, 200)
    assert (len(other.journal), len(mock_server.journal)) == (2, 1)
    assert mock_server.choices["error_form"] == "plain" != other.choices["error_form"]
    other.remove_sandbox()
    assert pin(mock_server).status_code == 200
    with pytest.raises(Refused, match=r"sandbox, .*'one'"):
        other.reset()


def test_errors_name_the_server_and_the_keys(mock_server):
    mock_server.load({"keys": [{"key": "reader", "permission": "read"}]})
    with pytest.raises(LookupError, match=r"key .*owner, .*\['reader'\]"):
        mock_server.key  # noqa: B018
    with pytest.raises(ConnectionError, match=r"http://127\.0\.0\.1:1\b"):
        Control.at("http://127.0.0.1:1").reset()


def test_a_summary_says_why_a_request_is_refused(mock_server):
    send(mock_server, "POST", LIST, {"offset": 0, "datasetId": DATASET, "pageSize": 50})
    send(mock_server, "POST", LIST.lower(), {})
    shown = mock_server.summary()
    assert mentions(shown, "page_size_over_limit (8, refused): 30, 50 $.pageSize")
    assert f"'{LIST}'" in shown


def test_the_log_has_the_calls_of_the_client_alone(mock_server, caplog):
    caplog.set_level("INFO")
    listed(mock_server)
    assert mock_server.calls("listV2") and mock_server.clock.now
    (record,) = caplog.records
    assert LIST in record.getMessage()

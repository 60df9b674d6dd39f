"""Answers and replies that a test sets, on which requests they come, and their order."""

import json
import re
from time import monotonic

import httpx2
import pytest
from account import content_of

from mock_server.control import Refused


def test_an_answer_has_its_status_headers_and_delay(client):
    rule = {"status": 201, "headers": {"X-A": "b"}, "delayMs": 60, "json": None}
    client.add("answer", operation="listV2", **rule)
    start = monotonic()
    response = client.page()
    assert (response.status_code, response.headers["x-a"], response.json()) == (201, "b", None)
    assert monotonic() - start > 0.055


def test_an_answer_fills_its_placeholders(client):
    json = ["{{path.id}}", "{{query.q}}!", "{{body.a.b}}", "{{body.none}}", "{{count}}", "{{now}}"]
    client.add("answer", operation="POST /api/x/{id}", json=json)
    body = {"a": {"b": [1, True]}}
    client.fetch("/api/x/7?q=w", method="POST", body=body)
    found = client.fetch("/api/x/7?q=w", method="POST", body=body).json()
    assert found == ["7", "w!", [1, True], None, 2, "2026-01-01T00:00:00.000Z"]


def test_a_placeholder_may_have_blanks(client):
    client.add("answer", operation="GET /x/{id}", json=["{{ path.id }}", "no. {{ count}}"])
    assert client.fetch("/x/7", method="GET").json() == ["7", "no. 1"]


TYPOS = {"{{cuont}}": "count", "{{Count}}": "count", "{{bdoy.x}}": "body", "{{querry.q}}": "query"}
TYPOS |= {"{{paht.id}}": "path", "{{body}}": "body", "{{now.x}}": "now", "{{nowe}}": "now"}
WRONG = {it: f"{re.escape(it)} .*'{TYPOS[it]}'" for it in TYPOS}
WRONG["{{path.idd}}"] = "{{path.idd}} .*'idd' .*'id'"


@pytest.mark.parametrize("text", WRONG)
def test_what_is_nearly_a_placeholder_is_warned_of(client, text):
    with pytest.warns(UserWarning, match=WRONG[text]):
        client.control.respond("GET /x/{id}", json=[f"Hi {text}"])
    with pytest.warns(UserWarning, match=re.escape(text)):
        client.control.put_app({"id": "a", "replies": [text]})


@pytest.mark.filterwarnings("error")
def test_other_texts_in_braces_may_be_meant(client):
    texts = ["{{name}} {{quote}} {{discount}} {{user.name}} {{$id.key$}}", "{{path.a}} {{body.a}}"]
    client.control.respond("GET /{a}:generate/{rest:path}", json=texts)
    client.control.respond("GET /x", text="{{cuont}} is not filled in a text")


def test_an_answer_matches_requests_and_parameters(client):
    client.add("answer", operation="GET /api/x/{id}", match={"path": {"id": "7"}}, text="seven")
    client.add("answer", operation="listV2", match={"body": {"offset": 5}}, data="five")
    assert client.fetch("/api/x/7", method="GET").text == "seven"
    assert client.fetch("/api/x/8", method="GET").status_code == 404
    assert client.page(offset=5).json()["data"] == "five"
    assert client.page().json()["data"]["total"] == 4
    client.add("answer", operation="GET /api/y")
    assert client.fetch("/api/y%0A", method="GET").status_code == 404


def test_answers_that_a_test_adds_come_before_those_of_the_fixture(client):
    declared = [{"method": "GET", "path": "/api/any", "text": "declared"}]
    sandbox = client.control.create_sandbox(state={"answers": declared})
    key = sandbox.key
    assert client.fetch("/api/any", method="GET", key=key).text == "declared"
    sandbox.respond("GET /api/any", text="first", times=1)
    sandbox.respond("GET /api/any", text="second", times=1)
    texts = [client.fetch("/api/any", method="GET", key=key).text for _ in range(4)]
    assert texts == ["first", "second", "declared", "declared"]
    sandbox.remove_sandbox()


def test_a_fault_that_never_fires_uses_up_no_answer(client):
    client.add("answer", operation="listV2", data={"list": [], "total": 7}, times=1)
    never = client.add("wrong_total", probability=0)
    client.add("error")
    assert client.page().status_code == 503
    assert [client.page().json()["data"]["total"] for _ in range(2)] == [7, 4]
    assert client.fired(never) == 0


def test_a_key_of_a_gone_sandbox_gets_no_answer_of_the_default_one(client):
    sandbox = client.control.create_sandbox()
    key = sandbox.key
    sandbox.remove_sandbox()
    client.add("answer", operation="GET /api/any", text="default")
    client.add("answer", operation="listV2", data="default")
    refused = client.fetch("/api/any", method="GET", key=key)
    assert refused.status_code == 401 and "accepted with" not in refused.text
    assert client.page(key=key).status_code == 401


def test_a_reply_that_a_test_adds_comes_before_those_of_the_app_which_take_turns(client):
    client.add("reply", text="Added", times=1)
    client.add("reply", text="Refund", match={"question": "REFUND"})
    assert content_of(client.complete(appId="says")) == "Added"
    assert content_of(client.complete("my refund, please", appId="says")) == "Refund"
    assert [content_of(client.complete(appId="says")) for _ in range(3)] == [
        "Hello.",
        "Again.",
        "Hello.",
    ]


def test_a_pause_and_a_pace_delay_a_stream(client):
    client.add("reply", parts=["One ", {"pauseMs": 40}, "two."], stream={"firstTokenMs": 40})
    start = monotonic()
    content = client.complete(appId="says", stream=True).text
    assert monotonic() - start > 0.075
    assert "two." in content and content.endswith("data: [DONE]\n\n")


def test_a_stream_of_1000_parts_has_1000_events(client):
    texts = [f"{number} " for number in range(1000)]
    client.control.reply(parts=texts)
    *events, stop, done, end = client.complete(appId="says", stream=True).text.split("\n\n")
    deltas = [json.loads(it.removeprefix("data: "))["choices"][0]["delta"] for it in events]
    assert [it["content"] for it in deltas] == texts
    assert '"stop"' in stop and (done, end) == ("data: [DONE]", "")


@pytest.mark.parametrize("stream", [True, False])
def test_a_cut_breaks_the_connection_and_logs_nothing(client, stream, caplog):
    client.add("reply", parts=["Half", {"cut": True}])
    with pytest.raises(httpx2.TransportError):
        client.complete(appId="says", stream=stream)
    assert caplog.records == []


UNANSWERED = [({"match": {"body": {"n": 1}}}, ["unknown_route"]), ({"skip": 1}, [])]
UNANSWERED += [({"probability": 0}, [])]


@pytest.mark.parametrize("fields, noted", UNANSWERED)
def test_a_path_that_is_answered_to_other_requests_is_unknown(client, fields, noted):
    client.add("answer", operation="POST /v1/chat", json=1, **fields)
    assert client.fetch("/v1/chat", {"n": 2}).status_code == 404
    assert [it["name"] for it in client.control.journal[-1]["violations"]] == noted


PATTERNS = [
    ("/v1/models/{m}:generate", "/v1/models/a:b:generate", {"m": "a:b"}),
    ("/v1/models/{m}:generate", "/v1/models/:generate", None),
    ("/f/{name}.json", "/f/a.tar.json", {"name": "a.tar"}),
    ("/f/v{a}-x", "/f/v1-2-x", {"a": "1-2"}),
    ("/f/{rest:path}", "/f/", {"rest": ""}),
    ("/f/{rest:path}", "/f", None),
    ("/f/{rest:path}/end/{a}", "/f/x/end/y/end/z", {"rest": "x/end/y", "a": "z"}),
    ("/{a}/{rest:path}", "/x/", {"a": "x", "rest": ""}),
    ("/{a}/{b}-/{rest:path}", "/x/u-v-/w-/t", {"a": "x", "b": "u-v", "rest": "w-/t"}),
    ("/f/{a}", "/f/x%2Fy", {"a": "x/y"}),
    ("/f/{a}", "/f/x/y", None),
    ("/f/{user-id}", "/f/x", {"user-id": "x"}),
]


@pytest.mark.parametrize("pattern, path, parameters", PATTERNS)
def test_a_path_is_matched_segment_by_segment(client, pattern, path, parameters):
    names = re.findall(r"\{([\w-]+)", pattern)
    client.control.respond(f"GET {pattern}", json={it: f"{{{{path.{it}}}}}" for it in names})
    response = client.get(path)
    assert response.status_code == (404 if parameters is None else 200)
    assert parameters in (None, response.json())


REFUSED = ("/x/<id>", "/x/<int:id>", "/x/[id]", "/x/{id", "/x/id}", "/x/{}", "/{a}-{b}")
REFUSED += ("/{id:int}", "/{a:path}/{b:path}", "/x/:id", "/x/*", "/x/a b", "/x/{id}#a", "/x\t")


@pytest.mark.parametrize("path", REFUSED)
def test_a_path_that_could_never_match_is_refused(client, path):
    for use in (client.control.respond, client.control.assert_not_called):
        with pytest.raises(Refused, match=r"^Expected a path with .* got .* - at \$\.operation"):
            use(f"GET {path}")


SLOW = [("/{a}-x", "-" * 16_000), ("/{r:path}/{a}-x", "/-" * 8_000), ("/{r:path}a", "a-" * 8_000)]
SLOW += [("/{r:path}" + "".join(f"/-{{a{it}}}" for it in range(99)) + "/x", "/-a" * 5_000)]


@pytest.mark.parametrize("pattern, target", SLOW)
def test_no_path_holds_up_the_server(client, pattern, target):
    client.timeout = 2
    client.control.respond(f"GET {pattern}", json=1)
    assert client.get(f"/{target}").status_code == 404
    with pytest.raises(AssertionError):
        client.control.assert_called(f"GET {pattern}")

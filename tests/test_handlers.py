"""Functions that say what answers, replies and hits say."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx2
import pytest
from account import SENT_LIST, LocalClient, content_of, wait_until
from starlette.responses import JSONResponse, StreamingResponse

from mock_server import Control, HandlerRequest, MockServer
from mock_server.control import Refused

ASKED = {"datasetId": "d", "text": "Open?"}
TEAPOT = JSONResponse({"a": 1}, 418, {"X-A": "b"})


def test_a_function_gets_a_request_and_says_the_json_of_a_route(client):
    requests = []

    def handler(request):
        requests.append(request)
        request.body.clear()  # its own copy
        return {"n": request.count, "echo": "{{none}}"}

    rule = client.control.respond("POST /api/{id}", handler, status=201, match={"key": "owner"})
    client.fetch("/api/a%2Fb?q=1", {"a": [1]})
    response = client.fetch("/api/7", {"a": 1})
    assert (response.status_code, response.json()) == (201, {"n": 2, "echo": "{{none}}"})
    first = requests[0]
    assert isinstance(first, HandlerRequest) and first.headers["content-type"]
    assert (first.method, first.path_parameters, first.query) == ("POST", {"id": "a/b"}, {"q": "1"})
    assert (first.key, first.question, first.count, rule.fired) == ("owner", "", 1, 2)
    assert client.control.last_call("POST /api/{id}")["request"]["body"] == {"a": 1}


async def later(request):
    await asyncio.sleep(0)
    return [f"{request.question} ", {"reasoning": "Hm."}]


def test_functions_of_each_kind(client):
    client.control.respond("listV2", lambda request: request.body)
    assert client.page().json() == {"code": 200, "statusText": "", "message": "", "data": SENT_LIST}
    client.control.reply(lambda request: request.question.upper(), app="says")
    assert content_of(client.complete("why?", appId="says")) == "WHY?"
    client.control.reply(later, match={"question": "later"})
    assert content_of(client.complete("later", chatId="k")) == "later "
    assert [it["obj"] for it in client.records()] == ["Human", "AI"]
    client.control.hits(lambda request: [{"q": request.question, "score": request.count / 2}])
    (found,) = client.data("POST", "/dataset/searchTest", ASKED)["list"]
    assert (found["q"], found["score"][0]["value"]) == ("Open?", 0.5)


def test_a_response_is_sent_as_it_is_each_time(client):
    async def stream(request):
        return StreamingResponse(iter([b"a", b"b"]))

    client.control.respond("GET /api/x", lambda request: TEAPOT)
    client.control.respond("GET /api/stream", stream)
    sent = [client.get("/api/x"), client.get("/api/x")]
    assert {(it.status_code, it.text, it.headers["x-a"]) for it in sent} == {(418, '{"a":1}', "b")}
    assert len({it.headers["x-request-id"] for it in sent}) == 2
    client.control.fault("truncate")
    assert client.get("/api/stream").text == "ab"  # a stream is left alone
    with pytest.raises(httpx2.RemoteProtocolError):
        client.get("/api/x")
    assert client.get("/api/x").json() == {"a": 1}


def test_a_function_may_use_the_control_object(client):
    def pin_all(request):
        client.control.put_chat("app", {"chatId": "c1", "top": True})
        return len(client.control.rules)

    client.control.respond("GET /api/x", pin_all)
    assert client.get("/api/x").json() == 1 and client.is_pinned()
    with LocalClient() as local:
        control = Control.of(local.sent.application)
        control.respond("GET /api/x", lambda request: [control.key, len(control.rules)])
        assert local.get("/api/x").json() == ["owner", 1]


def test_200_calls_of_8_threads_count_once_each(client):
    client.control.respond("GET /api/x", lambda request: request.count, times=150)
    with ThreadPoolExecutor(8) as threads:
        responses = [*threads.map(lambda _: client.get("/api/x"), range(200))]
    counts = [it.json() for it in responses if it.status_code == 200]
    assert sorted(counts) == [*range(1, 151)]


def test_functions_may_wait_for_one_another(client):
    barrier = Barrier(40)
    client.control.respond("GET /api/x", lambda request: barrier.wait(5) >= 0)
    with ThreadPoolExecutor(40) as threads:
        assert all(
            it.json() is True for it in threads.map(lambda _: client.get("/api/x"), range(40))
        )


FAULTS = {"error": 0, "reset": 0, "truncate": 1, "delay": 1, "dribble": 1}


@pytest.mark.parametrize("kind, runs", FAULTS.items())
def test_a_function_runs_once_or_not_where_a_fault_answers(client, kind, runs):
    calls = []
    rule = client.control.respond("GET /api/x", lambda request: calls.append(1))
    client.control.fault(kind, **{"ms": 1} if kind == "delay" else {})
    try:
        client.get("/api/x")
    except httpx2.TransportError:
        assert kind in ("truncate", "reset")
    assert len(calls) == rule.fired == runs
    assert client.control.journal[-1]["rule"]["kind"] == kind


def test_a_function_runs_after_a_hold_and_only_where_its_rule_fires(client):
    calls = []
    rule = client.control.reply(lambda request: calls.append(1) or "Yes.")
    assert client.complete(appId="none").status_code == 404
    hold = client.control.fault("hold")
    with ThreadPoolExecutor() as threads:
        reply = threads.submit(client.complete)
        wait_until(lambda: hold.held)
        assert calls == []
        hold.remove()
    assert content_of(reply.result()) == "Yes." and len(calls) == rule.fired == 1


def raises(request):
    raise KeyError("boom")


UNFIT = [(raises, "KeyError: 'boom'"), (lambda _: pytest.fail("never"), "Failed: never")]
UNFIT += [(lambda _: object(), "type object"), (lambda _: [{"txt": 1}], "at $.parts[0] (did")]
UNFIT += [(lambda _: None, "<lambda> returned None: Expected a list, got null - at $.parts")]


@pytest.mark.parametrize("handler, facts", UNFIT)
def test_what_fails_is_a_500_that_names_it(client, handler, facts):
    rule = client.control.reply(handler)
    response = client.complete()
    assert response.status_code == 500 and facts in response.json()["message"]
    assert rule.fired == 1 and client.control.sandboxes.failures.pop()


def test_what_a_function_raises_is_raised_when_the_server_closes():
    server = MockServer({})
    with pytest.raises(KeyError, match="boom"), server:
        server.respond("GET /api/x", raises)
        assert "boom" in httpx2.get(f"{server.url}/api/x", verify=False).text
    server.start().close()


def test_rules_name_the_function_and_a_state_leaves_it_out(client):
    client.control.reply(raises, times=1)
    name = client.control.snapshot()
    client.control.restore(name)
    (rule,) = client.control.rules
    assert (
        rule["handler"] == "raises"
        and f"reply {rule['id']} raises for *" in client.control.summary()
    )
    assert "raises" in client.get("/__admin/console").text
    assert "raises" not in str(client.admin("GET", "/state"))


def test_only_the_process_of_a_server_takes_a_function(client):
    with pytest.raises(ValueError, match=r"not in this process, got <function raises .*placehol"):
        Control.at(client.control.url).hits(raises)
    with pytest.raises(Refused, match="handler"):
        client.control.call("POST", "/rules", {"kind": "answer", "handler": "raises"})
    with pytest.raises(TypeError, match="got <function raises"):
        client.control.respond("GET /api/x", raises, json=1)
    with pytest.raises(Refused, match="Expected text or parts"):
        client.control.reply(raises, parts=["a"])
    sandbox = client.control.create_sandbox()
    sandbox.reply(lambda request: request.key)
    assert content_of(client.complete(key=sandbox.keys["owner"])) == "owner"

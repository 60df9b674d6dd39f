"""Holds over real sockets: requests and replies that wait until a test removes their rule."""

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from typing import Any

import httpx2
import pytest
from account import (
    ACCOUNT,
    CHAT,
    COMPLETIONS,
    RIGHT_PIN,
    Client,
    mentions,
    one_turn,
    open_connection,
    read_response,
    read_to_end,
    request_bytes,
    wait_until,
)

from mock_server import MockServer, create_app
from mock_server.faults.response_faults import Error

HELD_TWICE = ["One ", {"hold": True}, "two ", {"hold": True}, "three."]


ASKED = {**CHAT, "messages": [{"role": "user", "content": "x"}]}


def opened(client: Client) -> socket.socket:
    """A connection that the server has, as it has answered over it."""
    connection = open_connection(client.control.url, b"GET /none HTTP/1.1\r\nHost: a\r\n\r\n")
    assert read_response(connection)[0] == 404
    return connection


def ask(client: Client, **fields: Any) -> httpx2.Response:
    messages = [{"role": "user", "content": "x"}]
    return client.post(COMPLETIONS, json={**CHAT, "messages": messages, **fields})


@contextmanager
def held(client: Client, rule: Any, call: Any) -> Iterator[Future[httpx2.Response]]:
    """The future response of a call that the rule holds."""
    with ThreadPoolExecutor() as threads:
        response = threads.submit(call)
        wait_until(lambda: rule.held)
        yield response


def test_a_held_call_is_overtaken_and_goes_on_when_its_rule_is_removed(client):
    hold = client.control.fault("hold", operation="updateHistory")
    with held(client, hold, client.pin) as response:
        assert client.pin(top=False).content == RIGHT_PIN
        assert (hold.held, hold.fired) == (1, 1)
        assert not response.done() and not client.is_pinned()
        hold.remove()
        assert response.result(5).content == RIGHT_PIN and client.is_pinned()


def test_the_end_of_a_block_lets_all_held_calls_go_on(client):
    with ThreadPoolExecutor() as threads:
        with client.control.fault("hold") as hold:
            responses = [threads.submit(client.pin) for _ in range(3)]
            wait_until(lambda: hold.held == 3)
        assert [it.result(5).status_code for it in responses] == [200] * 3


def test_a_hold_with_phase_after_has_performed_the_operation(client):
    hold = client.control.fault("hold", phase="after")
    with held(client, hold, client.pin) as response:
        assert client.is_pinned()
        hold.remove()
        assert response.result(5).content == RIGHT_PIN


def end(client: Client, by: str) -> None:
    """Reset the sandbox, or restore it."""
    if by == "reset":
        client.control.reset()
    else:
        client.control.restore(client.control.snapshot())


@pytest.mark.parametrize("by", ["reset", "restore"])
@pytest.mark.parametrize("kind", ["fault", "reply"])
def test_a_held_call_ends_without_a_response(client, kind, by):
    if kind == "fault":
        hold, call = client.control.fault("hold"), client.pin
    else:
        hold, call = client.control.reply(parts=HELD_TWICE), lambda: ask(client)
    with held(client, hold, call) as response:
        end(client, by)
        assert isinstance(response.exception(5), httpx2.RemoteProtocolError)
    assert not client.is_pinned()


PAUSE = {"parts": ["One ", {"pauseMs": 60_000}, "two."]}
HELD = [{"kind": "hold"}, {"kind": "delay", "ms": 60_000}, {"kind": "reply", "parts": HELD_TWICE}]
WAITING = [*HELD, {"kind": "answer", "operation": "completions", "text": "Late", "delayMs": 60_000}]
WAITING += [{"kind": "reply"} | PAUSE]
WAITING += [{"kind": "reply", "text": "One two.", "stream": {"firstTokenMs": 60_000}}]
ENDS = [("POST", "/reset", it) for it in WAITING] + [("PUT", "/state", it) for it in WAITING]
ENDS += [("POST", "/snapshots/s/restore", it) for it in HELD]


@pytest.mark.parametrize("method, path, rule", ENDS)
def test_an_end_that_comes_in_the_turn_of_a_call_ends_it(client, server, method, path, rule):
    client.add(**rule)
    client.control.snapshot("s")
    with closing(opened(client)) as call, closing(opened(client)) as other:
        with one_turn(server):
            call.sendall(request_bytes("POST", COMPLETIONS, ASKED))
            other.sendall(request_bytes(method, f"/__admin{path}", {}))
        assert read_response(other)[0] == 200
        assert b"two." not in read_to_end(call)[0]


def test_a_stop_in_the_turn_of_a_reply_stops_it(client, server):
    client.add("reply", **PAUSE)
    streamed = ASKED | {"stream": True}
    call_v2 = request_bytes("POST", "/api/v2/chat/completions", streamed, "Connection: close")
    with closing(opened(client)) as call, closing(opened(client)) as other:
        with one_turn(server):
            call.sendall(call_v2)
            other.sendall(request_bytes("POST", "/api/v2/chat/stop", CHAT))
        assert b'"completed":true' in read_response(other)[1]
        content, _ = read_to_end(call)
    assert b"[DONE]" in content and b"two." not in content


def test_the_console_releases_a_call_whose_rule_has_fired(client):
    hold = client.control.fault("hold", times=1)
    with held(client, hold, client.pin) as response:
        assert "Release 1 call" in client.get("/__admin/console").text
        hold.remove()
        assert response.result(5).content == RIGHT_PIN


def test_the_rules_of_a_test_stay_after_a_restore(client):
    hold = client.control.fault("hold", times=2)
    with held(client, hold, client.pin):
        client.control.restore(client.control.snapshot())
    with held(client, hold, client.pin) as response:
        hold.remove()
        assert response.result(5).status_code == 200


def test_a_stop_of_the_server_ends_a_held_call():
    with ThreadPoolExecutor() as threads:
        with MockServer() as server:
            hold = server.fault("hold")
            client = httpx2.Client(headers={"Authorization": "Bearer any"})
            response = threads.submit(client.post, f"{server.url}/api/core/app/list", json={})
            wait_until(lambda: hold.held)
        assert isinstance(response.exception(5), httpx2.RemoteProtocolError)


def test_a_client_that_leaves_a_held_call_is_seen(client):
    hold = client.control.fault("hold")
    with client.connect():
        wait_until(lambda: hold.held)
    assert client.control.wait_for("updateHistory", cut=True)["response"]["cut"]


def test_a_held_stream_goes_on_and_later_holds_of_its_rule_are_released(client):
    hold = client.control.reply(parts=HELD_TWICE, times=1)
    messages = [{"role": "user", "content": "x"}]
    sent = {**CHAT, "stream": True, "messages": messages}
    with client.stream("POST", COMPLETIONS, json=sent) as response:
        pieces = response.iter_text()
        said = next(pieces)
        wait_until(lambda: hold.held)
        hold.remove()
        said += "".join(pieces)
    assert "two" in said and said.endswith("data: [DONE]\n\n")
    assert client.records()[1]["value"][0]["text"]["content"] == "One two three."


def test_a_reply_in_one_piece_waits_for_the_removal_of_its_row(client):
    hold = client.control.reply(parts=HELD_TWICE)
    with held(client, hold, lambda: ask(client)) as response:
        hold.remove()
        message = response.result(5).json()["choices"][0]["message"]
        assert message["content"] == "One two three."


def test_a_reply_whose_rule_is_gone_does_not_wait(client):
    reply = client.control.reply(parts=["One ", {"pauseMs": 200}, {"hold": True}, "two."])
    with ThreadPoolExecutor() as threads:
        response = threads.submit(ask, client)
        wait_until(lambda: reply.fired)
        reply.remove()
        assert response.result(5).status_code == 200


def test_a_held_stream_can_be_stopped(client):
    hold = client.control.reply(parts=HELD_TWICE, times=1)
    messages = [{"role": "user", "content": "x"}]
    sent = {**CHAT, "stream": True, "messages": messages}
    with client.stream("POST", "/api/v2/chat/completions", json=sent) as response:
        pieces = response.iter_text()
        assert '"content":"One "' in next(pieces)
        wait_until(lambda: hold.held)
        client.post("/api/v2/chat/stop", json=CHAT)
        assert "".join(pieces).endswith("data: [DONE]\n\n")
    assert client.records()[1]["value"][0]["text"]["content"] == "One "


def test_raw_text_is_sent_as_it_stands_and_not_kept(client):
    raw = 'data: {"usage": {"total_tokens": 7}}\n\n'
    parts = ["One ", {"raw": raw}, "two."]
    assert raw in client.complete_with(*parts, stream=True).text
    assert client.records()[1]["value"][0]["text"]["content"] == "One two."
    assert client.complete_with(*parts).json()["choices"][0]["message"]["content"] == "One two."


def test_a_held_call_counts_as_use_of_its_sandbox(client):
    sandbox = client.control.create_sandbox(ttl=0.3)
    hold = sandbox.fault("hold")
    with held(client, hold, lambda: client.pin(key=sandbox.key)) as response:
        client.control.create_sandbox(ttl=0.3)
        wait_until(lambda: len(client.admin("GET", "/sandboxes")["sandboxes"]) == 2)
        hold.remove()
        assert response.result(5).status_code == 200


def test_a_finished_rule_that_holds_calls_is_kept_as_others_finish(server, client):
    later = client.control.reply(parts=["One ", {"pauseMs": 60_000}, {"hold": True}], times=1)
    sent = ASKED | {"chatId": "later", "stream": True}
    with ThreadPoolExecutor() as threads, client.stream("POST", COMPLETIONS, json=sent) as stream:
        next(stream.iter_raw())
        hold = client.control.reply(parts=[{"hold": True}, "One."], times=1)
        response = threads.submit(client.post, COMPLETIONS, json=ASKED, timeout=60)
        wait_until(lambda: hold.held)
        rules = server.sandboxes.default.state.rules
        for _ in range(11):
            server.run(lambda: rules.add([Error(ttl=1e-9)] * 100))
        # The first reply has not reached its hold.
        assert (later.fired, hold.held) == (1, 1)
        hold.remove()
        assert response.result(5).status_code == 200


BROKEN = {"truncate": (0.5, 0), "malformed_json": (1, 1), "dribble": (1, 0)}
"""How much of a body comes, and how many of its bytes are wrong."""


@pytest.mark.parametrize("kind", BROKEN)
def test_a_held_reply_is_broken_after_its_hold(client, kind):
    parts = ["One ", "two three four five six seven eight."]
    right = client.complete_with(*parts, stream=True).content
    hold = client.control.reply(parts=[parts[0], {"hold": True}, parts[1]])
    client.add(kind, **({"ms": 0} if kind == "dribble" else {}))
    content = b""
    with client.stream("POST", COMPLETIONS, json=ASKED | {"stream": True}) as response:
        pieces = response.iter_raw()
        content += next(pieces)
        wait_until(lambda: hold.held)
        assert b"two" not in content
        hold.remove()
        with suppress(httpx2.RemoteProtocolError):
            for piece in pieces:
                content += piece
    wrong = sum(a != b for a, b in zip(content, right, strict=False))
    assert (len(content), wrong) == (int(len(right) * BROKEN[kind][0]), BROKEN[kind][1])


ENDED_EARLY = [{"kind": "hold"}, {"kind": "reply", "parts": HELD_TWICE[1:]}]


@pytest.mark.parametrize("rule", ENDED_EARLY)
def test_in_process_a_held_call_gets_an_error_when_a_reset_ends_it(rule):
    async def ended() -> httpx2.Response:
        transport = httpx2.ASGITransport(create_app(ACCOUNT))
        headers = {"Authorization": "Bearer owner"}
        async with httpx2.AsyncClient(
            transport=transport, base_url="http://localhost", headers=headers
        ) as http:
            await http.post("/__admin/rules", json=rule)
            call = asyncio.create_task(http.post(COMPLETIONS, json=ASKED))
            while not (await http.get("/__admin/rules")).json()["rules"][0]["held"]:
                await asyncio.sleep(0)
            await http.post("/__admin/reset", json={})
            return await asyncio.wait_for(call, 5)

    response = asyncio.run(ended())
    assert response.status_code == 500
    assert mentions(response.text, "connection URL")


HOLDING = [
    {"faults": [{"kind": "hold"}]},
    {"apps": [{"id": "a", "replies": [{"parts": HELD_TWICE}]}]},
]


@pytest.mark.parametrize("fixture", HOLDING)
def test_a_fixture_has_no_hold(client, fixture):
    refusal = client.admin("PUT", "/state", fixture, status=400)
    assert mentions(refusal["message"], "hold fixture")

"""When the journal's entries begin and end."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2
import pytest
from account import ACCOUNT, LIST, PIN, SENT_LIST, SENT_PIN, Live

from mock_server import MockServer
from mock_server.application import create_app
from mock_server.control import Control


@pytest.fixture(scope="module")
def running() -> Iterator[Live]:
    with MockServer(ACCOUNT) as server, httpx2.Client(base_url=server.url, verify=False) as http:
        yield Live(Control.at(server.url), http)


@pytest.fixture
def live(running: Live) -> Live:
    running.control.reset()
    return running


def give_up(live: Live, method: str = "PUT", path: str = PIN, body: Any = SENT_PIN) -> None:
    """Send a request, and leave before its response ends."""
    with pytest.raises(httpx2.ReadTimeout):
        live.send(method, path, body, timeout=0.1)


def statuses(live: Live) -> list[int]:
    return [it["response"]["status"] for it in live.control.journal]


def test_a_client_that_tries_again_is_counted_twice(live):
    live.add("delay", ms=300)
    give_up(live)
    assert live.pin().status_code == 200
    live.control.assert_called("updateHistory", times=2)
    live.control.assert_called("updateHistory", times=1, cut=True)
    live.control.assert_called("updateHistory", times=1, status=200)


def test_entries_come_in_the_order_of_requests(live):
    slow = live.add("delay", operation="updateHistory", ms=300)
    with ThreadPoolExecutor() as threads:
        first = threads.submit(live.pin)
        while not live.fired(slow):
            pass
        live.page()
        assert [it["operation"] for it in live.control.journal] == ["updateHistory", "listV2"]
        assert statuses(live) == [0, 200]
        assert "-> in progress (delay f1)" in live.control.summary()
        assert [it["durationMs"] is None for it in live.control.journal] == [True, False]
        assert first.result().status_code == 200
    assert statuses(live) == [200, 200]


def test_a_client_in_process_leaves_by_a_cancellation():
    app = create_app(ACCOUNT)

    async def call() -> list[Any]:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await client.post("/__admin/faults", json={"kind": "delay", "ms": 60_000})
            headers = {"Authorization": "Bearer owner"}
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.put(PIN, json=SENT_PIN, headers=headers), 0.05)
            return (await client.get("/__admin/journal")).json()["entries"]

    (entry,) = asyncio.run(call())
    assert entry["response"]["cut"] and entry["durationMs"] > 45


SLOW: list[tuple[dict[str, Any], int]] = [
    ({"kind": "delay", "ms": 60_000}, 0),
    ({"kind": "answer", "operation": "updateHistory", "text": "x", "delayMs": 60_000}, 0),
    ({"kind": "dribble", "chunks": 60, "ms": 1000}, 200),
    ({"kind": "hang"}, 0),
]


@pytest.mark.parametrize("row, status", SLOW)
def test_a_client_that_leaves_cuts_the_response(live, row, status):
    live.add(**row)
    give_up(live)
    entry = live.control.wait_for("updateHistory", cut=True)
    assert (entry["response"]["cut"], entry["response"]["status"]) == (True, status)
    assert 50 < entry["durationMs"] < 5000
    live.control.reset()  # which ends what still waits


@pytest.mark.parametrize("kind", ["reset", "empty", "garbage", "truncate"])
def test_a_response_that_a_fault_ends_is_not_cut_by_the_client(live, kind):
    live.add(kind)
    live.raw()
    live.control.assert_called("updateHistory", times=1, cut=False)


def test_what_a_delay_holds_back_is_done_though_the_client_has_left(live):
    live.add("delay", ms=200)
    give_up(live, body=SENT_PIN | {"more": "x" * 10_000})  # more than the journal keeps
    assert not live.is_pinned
    while not live.is_pinned:
        pass
    (entry,) = live.control.journal
    assert (entry["response"]["cut"], entry["response"]["status"]) == (True, 0)


def test_the_duration_is_that_of_the_whole_response(live):
    live.add("dribble", chunks=3, ms=30)
    live.pin()
    live.control.reply(parts=["One ", {"pauseMs": 60}, "two."])
    live.say(stream=True)
    assert all(it["durationMs"] > 55 for it in live.control.journal)


def test_an_entry_in_progress_streams_again_at_its_end(live):
    slow = live.add("delay", operation="updateHistory", ms=300)
    with (
        live.http.stream("GET", "/__admin/journal/stream?since=1") as stream,
        ThreadPoolExecutor() as threads,
    ):
        threads.submit(live.send, "PUT", PIN, SENT_PIN)
        while not live.fired(slow):
            pass
        live.send("POST", LIST, SENT_LIST)
        lines = (it for it in stream.iter_lines() if it.startswith("data: "))
        entries = [json.loads(next(lines)[6:]) for _ in range(3)]
    assert [(it["seq"], it["response"]["status"]) for it in entries] == [(1, 0), (2, 200), (1, 200)]

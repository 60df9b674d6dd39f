"""The journal as a stream of server-sent events, on real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from sys import getrefcount
from typing import Any

import httpx2
import pytest
from starlette.types import Message, Scope

from mock_server.app import Application, create_app
from mock_server.control.embedding import MockServer
from mock_server.domain.limits import DEFAULT_LIMITS
from tests.in_process import InProcess
from tests.support import APP, CHAT, LIBRARY, PIN, client_of, wait

STREAM = "/__admin/journal/stream"
HOST = (b"host", b"localhost")


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    with MockServer(LIBRARY) as server, client_of(server.url) as client:
        yield client


def pin(client: httpx2.Client, key: str = "k", **more: Any) -> None:
    body = {"appId": APP, "chatId": CHAT, "top": True} | more
    client.put(PIN, json=body, headers={"Authorization": f"Bearer {key}"})


@contextmanager
def following(
    client: httpx2.Client, path: str = STREAM, **headers: str
) -> Iterator[Iterator[dict[str, Any]]]:
    """The events of a stream, as they come."""
    with client.stream("GET", path, headers=headers) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        lines = answer.iter_lines()
        assert next(lines) == ": journal"
        yield events(lines)


def events(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    event: dict[str, Any] = {"data": ""}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            event[name] = event.get(name, "") + value
        elif event["data"]:
            yield event | {"data": json.loads(event["data"])}
            event = {"data": ""}


def test_entries_are_sent_as_they_come(client: httpx2.Client) -> None:
    pin(client)
    with following(client) as entries:
        for top in (True, False):
            pin(client, top=top)
            event = next(entries)
            assert event["event"] == "entry"
            assert event["data"]["request"]["body"]["top"] is top
            assert int(event["id"]) == event["data"]["seq"]


def test_a_stream_can_begin_with_what_was_before(client: httpx2.Client) -> None:
    pin(client)
    pin(client)
    with following(client, STREAM + "?since=2") as entries:
        assert next(entries)["id"] == "2"


def test_nothing_is_lost_before_the_first_entry(client: httpx2.Client) -> None:
    with following(client, STREAM + "?since=0") as entries:
        pin(client)
        assert next(entries)["id"] == "1"


def test_a_stream_goes_on_after_the_last_event(client: httpx2.Client) -> None:
    for _ in range(3):
        pin(client)
    with following(client, **{"Last-Event-ID": "1"}) as entries:
        assert [next(entries)["id"], next(entries)["id"]] == ["2", "3"]


def test_an_entry_of_several_lines_arrives_whole(client: httpx2.Client) -> None:
    with following(client) as entries:
        headers = {"Authorization": "Bearer k", "Content-Type": "application/json"}
        client.put(PIN, content=b'{"appId":\r\n "a",\n "b": 1\r}', headers=headers)
        assert next(entries)["data"]["request"]["body"] == {"appId": "a", "b": 1}


def test_a_reset_is_no_end_and_what_is_lost_is_told(client: httpx2.Client) -> None:
    pin(client)
    with following(client) as entries:
        client.post("/__admin/reset", json={})
        pin(client)
        event = next(entries)
        assert (event["id"], event["data"]["generation"]) == ("2", 2)
    with following(client, STREAM + "?since=1") as entries:
        assert next(entries) == {"event": "dropped", "data": {"count": 1}}
        assert next(entries)["id"] == "2"


def test_a_stream_can_tell_of_changes_by_others_too(client: httpx2.Client) -> None:
    with following(client, STREAM + "?changes=true") as entries:
        client.put("/__admin/choices", json={"profile": "deployed"})
        assert next(entries) == {"event": "changed", "data": {}}
        client.get("/__admin/choices")
        pin(client)
        assert next(entries)["event"] == "entry"


def test_a_sandbox_has_a_stream_of_its_own(client: httpx2.Client) -> None:
    key = client.post("/__admin/sandboxes", json={"name": "mine"}).json()["key"]
    with following(client, "/__admin/sandboxes/mine/journal/stream") as entries:
        pin(client)
        pin(client, key, top=False)
        assert next(entries)["data"]["request"]["body"]["top"] is False


@pytest.mark.ci
def test_a_followed_sandbox_is_not_idle(client: httpx2.Client) -> None:
    client.post("/__admin/sandboxes", json={"name": "mine", "ttl": 1})
    path = "/__admin/sandboxes/mine/journal/stream"
    with client.stream("GET", path) as answer:
        beats = (line for line in answer.iter_lines() if line == ": still here")
        for _ in range(3):
            assert next(beats)
        assert client.get("/__admin/sandboxes/mine").status_code == 200


def test_a_stream_ends_with_its_sandbox(client: httpx2.Client) -> None:
    client.post("/__admin/sandboxes", json={"name": "mine"})
    path = "/__admin/sandboxes/mine/journal/stream"
    with client.stream("GET", path) as answer:
        client.delete("/__admin/sandboxes/mine")
        assert list(answer.iter_lines())[:1] == [": journal"]


@pytest.mark.parametrize("value", ["x", "-1", "1.5", "9" * 400])
def test_a_bad_last_event_id_is_400(client: httpx2.Client, value: str) -> None:
    answer = client.get(STREAM, headers={"Last-Event-ID": value})
    assert answer.status_code == 400
    assert "at header Last-Event-ID" in answer.json()["message"]


@pytest.mark.ci
def test_streams_are_bounded_and_free_again_when_clients_go(
    client: httpx2.Client,
) -> None:
    limits = httpx2.Limits(max_connections=None)
    with client_of(str(client.base_url), limits=limits) as many:
        opened = [
            many.send(many.build_request("GET", STREAM), stream=True)
            for _ in range(DEFAULT_LIMITS.journal_streams)
        ]
        refused = client.get(STREAM)
        assert refused.json()["statusText"] == "limitReached"
        for answer in opened:
            answer.close()
    new = client.build_request("GET", STREAM)
    wait(lambda: client.send(new, stream=True).is_success)


def test_open_streams_do_not_hold_up_a_stop() -> None:
    with MockServer(LIBRARY) as server, client_of(server.url) as client:
        answer = client.send(client.build_request("GET", STREAM), stream=True)
        server.__exit__()
        rest = list(answer.iter_lines())
    assert rest[0] == ": journal"


@pytest.fixture
def busy() -> Application:
    """An application with a thousand entries in its journal."""
    app = create_app(LIBRARY)
    with InProcess(app) as client:
        for n in range(1_000):
            pin(client, note="x" * 1_000 + str(n))
    return app


def stream_scope() -> Scope:
    """A request for a stream from the first entry on."""
    scope = {"type": "http", "http_version": "1.1", "method": "GET", "path": STREAM}
    more = {"raw_path": STREAM.encode(), "query_string": b"since=0", "headers": [HOST]}
    return scope | more


def follow(app: Application, until: int, *, by_client: bool) -> tuple[int, int]:
    """The messages of a stream, and the turns of the loop meanwhile.

    After `until` messages the client goes, or the application is closed.
    """
    turns = sent = 0
    gone = asyncio.Event()

    async def receive() -> Message:
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        nonlocal sent
        sent += 1
        if sent == until:
            gone.set() if by_client else app.close()

    async def run() -> None:
        nonlocal turns
        task = asyncio.create_task(app(stream_scope(), receive, send))
        while not task.done():
            turns += sent > 0
            await asyncio.sleep(0)

    asyncio.run(run())
    return sent, turns


@pytest.mark.ci
def test_others_are_served_while_many_entries_are_sent(busy: Application) -> None:
    assert follow(busy, 1_001, by_client=False)[1] > 3


@pytest.mark.ci
def test_nothing_more_is_made_for_a_client_that_is_gone(busy: Application) -> None:
    assert follow(busy, 10, by_client=True)[0] < 900


@pytest.mark.ci
def test_a_slow_reader_keeps_no_entries_that_the_journal_drops(
    busy: Application,
) -> None:
    entry = next(busy.sandboxes.default.journal.since(900))
    kept = getrefcount(entry)

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def run() -> None:
        is_sent = asyncio.Event()

        async def send(message: Message) -> None:
            if message.get("body", b"").startswith(b"id:"):
                is_sent.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(busy(stream_scope(), receive, send))
        await is_sent.wait()
        busy.sandboxes.default.reset()
        assert getrefcount(entry) == kept - 1
        task.cancel()

    asyncio.run(run())

"""What takes long is made in slices, between which others are served."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import cache, partial
from itertools import repeat
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import httpx2
import pytest
from msgspec.structs import replace
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send

from mock_server.api.connection import Connection
from mock_server.api.fixture_loading import load_fixture
from mock_server.api.slices import (
    _MAX_WORKING,
    _SLICE_SECONDS,
    in_slices,
    let_others_run,
    once_ready,
    run_soon,
)
from mock_server.app import create_app
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.domain.objects.dataset import Tree
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.pending import (
    FIRST_STEPS,
    STEP,
    Pending,
    Steps,
    compute,
)
from tests.support import LIST

SLOW = 4 * STEP
LARGE = 3 * SLOW + 100
KEY = {"Authorization": "Bearer any-key"}
TERMS = [f"{n:02}" for n in range(3 * DEFAULT_LIMITS.cached_searches)]
TAGS = ["t5", "t7"]
COLLECTIONS = "/__admin/datasets/d/collections"


ENTRY = {"name": "Article {n:05}", "repeat": LARGE, "tags": ["t{n}"]}
DOCUMENT = {"datasets": [{"id": "d", "collections": [ENTRY]}]}


@cache
def loaded() -> FixtureData:
    return load_fixture(DOCUMENT)


def fresh() -> FixtureData:
    """The document, loaded once, of which nothing more has been made yet."""
    dataset = loaded().datasets["d"]
    tree = Tree(dataset.tree.collections)
    return replace(loaded(), datasets={"d": replace(dataset, tree=tree)})


def talk(
    scenario: Callable[[httpx2.AsyncClient], Awaitable[None]],
    document: dict[str, Any] | None = None,
) -> None:
    """Run what a client does, in process."""
    app = create_app(document or fresh(), choices={"list_filters": "honour"})
    transport = httpx2.ASGITransport(app)

    async def run() -> None:
        url = "http://localhost"
        async with httpx2.AsyncClient(
            transport=transport, base_url=url, headers=KEY
        ) as client:
            await scenario(client)

    asyncio.run(run())


async def total(client: httpx2.AsyncClient, **fields: Any) -> int:
    """How many collections a list call finds."""
    body = {"datasetId": "d", "offset": 0, **fields}
    return int((await client.post(LIST, json=body)).json()["data"]["total"])


def matching(term: str) -> int:
    return sum(term in f"{n:05}" for n in range(1, LARGE + 1))


@pytest.mark.ci
def test_many_searches_at_the_same_time_all_end() -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        found = await asyncio.gather(*(total(client, searchText=it) for it in TERMS))
        assert found == [matching(term) for term in TERMS]

    talk(scenario)


@pytest.mark.ci
def test_long_work_in_a_sandbox_that_is_deleted_says_so() -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        await client.post("/__admin/sandboxes", json={"name": "s"})
        url = f"/__admin/sandboxes/s{COLLECTIONS.removeprefix('/__admin')}"
        found, deleted = await asyncio.gather(
            client.get(url, params={"name": "7"}),
            client.delete("/__admin/sandboxes/s"),
        )
        assert deleted.status_code == 200
        assert found.json()["statusText"] == "sandboxNotFound"

    talk(scenario)


@pytest.mark.parametrize("asked", ["by a client", "by an administrator"])
def test_long_work_ends_with_its_client(asked: str) -> None:
    app, sent = create_app(fresh()), list[Message]()
    transport: Any = SimpleNamespace(is_closing=lambda: True, is_new=lambda: True)

    async def of_one_who_has_left(scope: Scope, receive: Receive, send: Send) -> None:
        scope["state"] = Connection(transport, "zttp").state()

        async def keep(message: Message) -> None:
            sent.append(message)

        await app(scope, receive, keep)
        await PlainTextResponse("")(scope, receive, send)

    async def run() -> None:
        server = httpx2.ASGITransport(of_one_who_has_left)
        url = "http://localhost"
        async with httpx2.AsyncClient(
            transport=server, base_url=url, headers=KEY
        ) as client:
            if asked == "by a client":
                body = {"datasetId": "d", "offset": 0, "searchText": "7"}
                await client.post(LIST, json=body)
            else:
                await client.get(COLLECTIONS, params={"name": "7"})

    asyncio.run(run())
    assert sent == []


@pytest.mark.ci
def test_of_many_long_works_one_goes_on_in_each_turn_of_the_loop() -> None:
    turns, slices = 0, set[int]()

    def items() -> Iterator[None]:
        for _ in range(2):
            assert turns not in slices, "another slice ran in this turn"
            slices.add(turns)
            busy_until = perf_counter() + _SLICE_SECONDS
            while perf_counter() < busy_until:
                pass
            yield

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def run() -> None:
        counting = asyncio.create_task(count_turns())
        await asyncio.gather(*(finish(items()) for _ in range(10)))
        counting.cancel()

    async def finish(work: Iterator[None]) -> None:
        async for _ in in_slices(work):
            pass

    asyncio.run(run())
    assert len(slices) == 20


def test_what_has_arrived_is_served_between_two_pieces_of_work() -> None:
    served: list[asyncio.Task[None]] = []

    class Server(asyncio.Protocol):
        def data_received(self, _data: bytes) -> None:
            served.append(asyncio.ensure_future(asyncio.sleep(0)))

    async def run() -> None:
        here, there = socket.socketpair()
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_connection(Server, sock=here)
        there.send(b"a request")
        await let_others_run()
        assert served[0].done()
        transport.close()
        there.close()

    asyncio.run(run())


def test_steps_without_a_request_run_in_slices_or_at_once_without_a_loop() -> None:
    done = list[int]()

    def steps() -> Iterator[None]:
        for number in range(9):
            done.append(number)
            yield

    async def scenario() -> None:
        run_soon(steps())
        assert not done
        while len(done) < 9:
            await asyncio.sleep(0)

    asyncio.run(scenario())
    run_soon(steps())
    assert len(done) == 18


@pytest.mark.ci
def test_few_requests_of_a_queue_hold_unfinished_values() -> None:
    working = most = 0

    def steps() -> Steps[int]:
        nonlocal working, most
        working += 1
        most = max(most, working)
        busy_until = perf_counter() + _SLICE_SECONDS
        while perf_counter() < busy_until:
            pass
        yield
        working -= 1
        return working

    async def run(queues: Sequence[str]) -> None:
        works = [Pending(steps()) for _ in queues]
        calls = zip(works, queues, strict=True)
        await asyncio.gather(*(once_ready(each.result, queue) for each, queue in calls))

    asyncio.run(run(["a"] * (_MAX_WORKING + 4)))
    assert most == _MAX_WORKING
    asyncio.run(run(["a", "b"] * _MAX_WORKING))
    assert most == 2 * _MAX_WORKING


def test_requests_that_wait_for_a_place_hold_no_values() -> None:
    def steps() -> Steps[int]:
        yield from repeat(None, 2 * FIRST_STEPS)
        return 1

    def value_of(owner: SimpleNamespace) -> int:
        return compute(owner, "value", steps())

    async def most_values() -> int:
        works = (partial(value_of, owner) for owner in owners)
        done = asyncio.gather(*(once_ready(work) for work in works))
        most = 0
        while not done.done():
            await asyncio.sleep(0)
            most = max(most, sum(len(vars(owner)["_being_made"]) for owner in owners))
        assert await done == [1] * len(owners)
        return most

    owners = [SimpleNamespace() for _ in range(3 * _MAX_WORKING)]
    assert asyncio.run(most_values()) == _MAX_WORKING


@pytest.mark.ci
@pytest.mark.parametrize("by", [None, 1], ids=["plain", "spoiled by a fault"])
def test_others_are_served_while_a_search_goes_on(by: int | None) -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        if by is not None:
            fault = {"kind": "wrong_total", "by": by, "times": 1}
            await client.post("/__admin/faults", json=fault)
        search = asyncio.create_task(total(client, filterTags=TAGS))
        while not search.done():
            await asyncio.sleep(0)
            assert await total(client) == LARGE
            served.append(search.done())
        assert await search == len(TAGS) + (by or 0)

    served: list[bool] = []
    talk(scenario)
    assert False in served


@pytest.mark.ci
def test_a_change_amid_a_search_is_found_or_not_and_nothing_else() -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        search = asyncio.create_task(total(client, filterTags=TAGS))
        await asyncio.sleep(0)
        assert not search.done()
        new = {"name": "Another", "tags": TAGS[:1]}
        puts = (client.put(f"{COLLECTIONS}/new-{n}", json=new) for n in range(3))
        await asyncio.gather(*puts)
        assert await search - len(TAGS) in range(4)
        assert await total(client, filterTags=TAGS) == len(TAGS) + 3

    talk(scenario)


@pytest.mark.ci
def test_a_search_that_is_overtaken_by_a_reset_finds_what_there_is_then() -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        new = {"name": "Another", "tags": TAGS}
        await client.put(f"{COLLECTIONS}/new", json=new)
        search = asyncio.create_task(total(client, filterTags=TAGS))
        await asyncio.sleep(0)
        assert not search.done()
        await client.post("/__admin/reset", json={})
        assert await search == len(TAGS)

    talk(scenario)


@pytest.mark.parametrize("is_upload", [True, False])
def test_restores_do_not_begin_the_chunks_of_a_text_again(is_upload: bool) -> None:
    path = "/api/core/dataset/collection/create"

    async def scenario(client: httpx2.AsyncClient) -> None:
        fields, file = {"data": '{"datasetId":"d"}'}, ("a.txt", "word\n" * 20_000)
        upload = client.post(f"{path}/localFile", data=fields, files={"file": file})
        request = asyncio.create_task(upload)
        if not is_upload:
            body = {"collectionId": (await request).json()["data"]["collectionId"]}
            again = client.post(f"{path}/reTrainingCollection", json=body)
            request = asyncio.create_task(again)
        await client.put("/__admin/snapshots/begun", json={})
        for _ in range(4_000):
            await asyncio.sleep(0)
            await client.post("/__admin/snapshots/begun/restore", json={})
            if request.done():
                break
        assert request.done()
        assert (await request).json()["code"] == 200

    talk(scenario, {"datasets": [{"id": "d"}]})


def chat_of(count: int) -> dict[str, Any]:
    """A fixture with a chat of this number of large records."""
    record = {"obj": "AI", "text": "x", "parts": [{"text": "x"}] * 200}
    records = [record | {"dataId": f"{number}"} for number in range(count)]
    return {"apps": [{"id": "a", "chats": [{"chatId": "c", "records": records}]}]}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("method", "path", "body", "total"),
    [
        ("DELETE", "/__admin/apps/a/chats/c", None, 240),
        ("PUT", "/__admin/state", chat_of(3), 3),
        ("POST", "/__admin/reset", {}, 240),
    ],
    ids=["deletion", "other state", "reset"],
)
def test_a_page_of_large_records_is_of_one_moment(
    method: str, path: str, body: dict[str, Any] | None, total: int
) -> None:
    """It has the records before a deletion, but those after a new state."""

    async def scenario(client: httpx2.AsyncClient) -> None:
        asked = {"appId": "a", "chatId": "c", "pageSize": 1_000}
        records = "/api/core/chat/record/getPaginationRecords"
        page = asyncio.create_task(client.post(records, json=asked))
        for _ in range(20):  # until its steps have begun
            await asyncio.sleep(0)
        changed = await client.request(method, path, json=body)
        assert changed.is_success
        assert not page.done()
        data = (await page).json()["data"]
        ids = [each["dataId"] for each in data["list"]]
        assert data["total"] == total
        assert ids == [f"{number}" for number in range(total)]

    talk(scenario, chat_of(240))


@pytest.mark.ci
@pytest.mark.parametrize("path", ["v2/list", "list"])
def test_rows_that_are_listed_belong_to_the_collection_that_is_named(path: str) -> None:
    """Two datasets have a collection of one id; that of the first is deleted."""

    def dataset(own_id: str) -> dict[str, Any]:
        rows = [{"q": f"{own_id} {number}"} for number in range(2 * LARGE)]
        collection = {"_id": "c", "name": "c", "data": rows}
        return {"id": own_id, "collections": [collection]}

    async def scenario(client: httpx2.AsyncClient) -> None:
        asked = {"collectionId": "c", "searchText": "7"}
        lists = f"/api/core/dataset/data/{path}"
        page = asyncio.create_task(client.post(lists, json=asked))
        for _ in range(10):  # until its steps have begun
            await asyncio.sleep(0)
        await client.delete(f"{COLLECTIONS}/c")
        assert not page.done()
        rows = (await page).json()["data"]["list"]
        assert all(each["q"].startswith(each["datasetId"]) for each in rows)

    talk(scenario, {"datasets": [dataset("d"), dataset("e")]})


@pytest.mark.parametrize("order", ["name", "fixture"])
def test_the_first_list_in_another_order_is_whole(order: str) -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        await client.put("/__admin/choices", json={"choices": {"list_order": order}})
        assert await total(client) == LARGE
        wanted = {"name": "t5", "limit": "3"}
        found = (await client.get(COLLECTIONS, params=wanted)).json()
        assert found["total"] == 0

    talk(scenario)


def test_an_id_is_the_same_whether_ids_were_gathered_before_or_not() -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        body = {"datasetId": "d", "name": "n", "type": "folder"}
        path, made = "/api/core/dataset/collection/create", set()
        for _ in range(2):
            made.add((await client.post(path, json=body)).json()["data"])
            await client.post("/__admin/reset", json={})
        assert len(made) == 1

    talk(scenario)


def test_a_fault_meets_what_is_not_made_yet() -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        await client.post("/__admin/faults", json={"kind": "wrong_total", "by": 1})
        assert await total(client, searchText="99") == matching("99") + 1

    talk(scenario)


def test_a_dataset_is_put_beside_many_rows_that_nobody_has_looked_for() -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        row = {"_id": "row", "q": "another"}
        dataset = {"name": "N", "collections": [{"name": "c", "data": [row]}]}
        response = await client.put("/__admin/datasets/new", json=dataset)
        assert response.status_code == 201

    rows = [{"q": f"{n}"} for n in range(SLOW)]
    collections = [{"name": "c", "data": rows}]
    talk(scenario, {"datasets": [{"id": "d", "collections": collections}]})


@pytest.mark.ci
def test_a_folder_that_goes_while_a_dataset_is_put_in_it_takes_it_along() -> None:
    tasks: list[asyncio.Task[httpx2.Response]] = []
    most = 1_000

    async def put(client: httpx2.AsyncClient, own_id: str, **more: Any) -> int:
        """How many turns of the event loop it takes."""
        path, turns = f"/__admin/datasets/{own_id}", 0
        task = asyncio.create_task(client.put(path, json=more))
        while not task.done() and turns < most:
            await asyncio.sleep(0)
            turns += 1
        tasks.append(task)
        return turns

    async def scenario(client: httpx2.AsyncClient) -> None:
        nonlocal most
        most = await put(client, "f", type="folder")
        data = [{"name": "c", "data": [{"_id": "row", "q": "another"}]}]
        await put(client, "new", parentId="f", collections=data)
        assert not tasks[-1].done()
        await client.delete("/__admin/datasets/f")
        assert (await tasks[-1]).status_code in (201, 503)
        left = (await client.get("/__admin/datasets")).json()["datasets"]
        assert [each["id"] for each in left] == ["d"]

    rows = [{"q": f"{n}"} for n in range(3 * SLOW)]
    collections = [{"name": "c", "data": rows}]
    talk(scenario, {"datasets": [{"id": "d", "collections": collections}]})


def test_a_turn_in_a_long_chat_is_recorded_once() -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        chat = {"appId": "a", "chatId": "x"}
        message = {"role": "user", "content": "Hello"}
        body = {**chat, "messages": [message]}
        response = await client.post("/api/v1/chat/completions", json=body)
        assert response.status_code == 200
        path = "/api/core/chat/record/getPaginationRecords"
        page = (await client.post(path, json=chat)).json()["data"]
        assert page["total"] == 9_002
        # The first new id: no other was used up by the attempt before the steps.
        assert page["list"][-1]["dataId"].startswith("ff000001")

    records = [{"dataId": "r", "obj": "AI", "text": "x"}] * 9_000
    chats = [{"chatId": "x", "records": records}]
    talk(scenario, {"apps": [{"id": "a", "chats": chats}]})


CLEAR = "/api/core/chat/history/clearHistories"
OF_VISITOR = {"outLinkAuthData": '{"shareId": "s", "outLinkUid": "u"}'}


def with_chats(count: int) -> dict[str, Any]:
    """A fixture with this number of chats of one visitor."""
    own = {"shareId": "s", "outLinkUid": "u"}
    return {
        "clock": "2024-01-01T00:00:00Z",  # when the chats were updated
        "shares": [{"shareId": "s", "appId": "a"}],
        "apps": [
            {"id": "a", "chats": [own | {"chatId": f"{n}"} for n in range(count)]}
        ],
    }


async def chat_count(client: httpx2.AsyncClient) -> int:
    path = "/api/core/chat/history/getHistories"
    response = await client.post(path, json={"appId": "a"})
    return int(response.json()["data"]["total"])


@pytest.mark.parametrize(
    ("method", "path", "body", "left"),
    [
        ("POST", "/__admin/reset", {}, LARGE),
        *(
            pytest.param(*case, marks=pytest.mark.ci)
            for case in (
                ("POST", "/__admin/snapshots/full/restore", {}, LARGE),
                ("PUT", "/__admin/state", with_chats(3), 3),
                ("PUT", "/__admin/state", {"apps": [{"id": "a"}]}, 0),
                ("PUT", "/__admin/choices", {"choices": {"list_order": "name"}}, 0),
            )
        ),
    ],
    ids=["reset", "restore", "other chats", "no share", "same data"],
)
@pytest.mark.parametrize("has_fault", [False, pytest.param(True, marks=pytest.mark.ci)])
def test_a_clear_that_is_overtaken_by_a_new_state_changes_only_the_old_one(
    method: str, path: str, body: dict[str, Any], left: int, has_fault: bool
) -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        await client.put("/__admin/snapshots/full", json={})
        if has_fault:
            fault = {"kind": "error", "skip": 100}
            await client.post("/__admin/faults", json=fault)
        clear = asyncio.create_task(client.delete(CLEAR, params=OF_VISITOR))
        await asyncio.sleep(0)
        response = await client.request(method, path, json=body)
        assert response.is_success
        assert not clear.done()
        assert (await clear).json()["code"] == 200
        assert await chat_count(client) == left

    talk(scenario, with_chats(LARGE))


def answering(path: str) -> dict[str, Any]:
    """A state in which a path, and others, have answers."""
    others = [{"method": "POST", "path": f"/o/{n}", "json": 1} for n in range(20)]
    return {"responses": [{"method": "POST", "path": path, "json": path}, *others]}


@pytest.mark.parametrize("turns", range(14))
def test_an_answer_is_of_the_state_before_or_after_a_reset(turns: int) -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        body = {"x": "a" * 70_000}
        asked = asyncio.create_task(client.post("/api/any/path", json=body))
        for _ in range(turns):
            await asyncio.sleep(0)
        await client.put("/__admin/state", json=answering("/api/any/path"))
        assert (await asked).json() in ("/api/any/path", "/api/any/{id}")

    talk(scenario, answering("/api/any/{id}"))


def test_the_journal_hides_a_key_that_is_gone_when_the_body_has_arrived() -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b'{"offset": 0, "datasetId": "d", '
        await reset.wait()
        yield b'"note": "Old-Secret-778899"}'

    async def scenario(client: httpx2.AsyncClient) -> None:
        headers = {"Content-Type": "application/json"}
        asked = client.post(LIST, content=body(), headers=headers)
        task = asyncio.create_task(asked)
        for _ in range(20):
            await asyncio.sleep(0)
        await client.put("/__admin/state", json={"datasets": [{"id": "d"}]})
        reset.set()
        assert (await task).status_code == 200
        [entry] = (await client.get("/__admin/journal")).json()["entries"]
        assert entry["request"]["body"]["note"] == "[redacted]"

    reset = asyncio.Event()
    keys = [{"key": "any-key"}, {"key": "Old-Secret-778899"}]
    talk(scenario, {"keys": keys, "datasets": [{"id": "d"}]})


def test_work_that_is_alone_begins_after_a_few_turns() -> None:
    async def first() -> int:
        return await anext(in_slices([1]))

    async def turns() -> int:
        task, count = asyncio.create_task(first()), 0
        while not task.done():
            await asyncio.sleep(0)
            count += 1
        return count

    assert asyncio.run(turns()) < 10


@pytest.mark.ci
@pytest.mark.parametrize("turns", range(0, 128, 8))
def test_changes_in_steps_come_one_after_the_other(turns: int) -> None:
    async def forbid(client: httpx2.AsyncClient, own_id: str, value: bool) -> None:
        path = "/api/core/dataset/collection/update"
        assert (await client.put(path, json={"id": own_id, "forbid": value})).is_success

    async def scenario(client: httpx2.AsyncClient) -> None:
        all_disabled = asyncio.create_task(forbid(client, "outer", True))
        for _ in range(turns):
            await asyncio.sleep(0)
        await forbid(client, "inner", False)
        await all_disabled
        items = (await client.get("/__admin/state")).json()["datasets"][0]
        of_inner = [it for it in items["collections"] if it["parentId"] == "inner"]
        assert len({each["forbid"] for each in of_inner}) == 1

    many = {"repeat": 4_000, "name": "a {n}"}
    inner = {"_id": "inner", "name": "inner", "children": [many]}
    outer = {"_id": "outer", "name": "outer", "children": [inner, many]}
    talk(scenario, {"datasets": [{"id": "d", "collections": [outer]}]})


UPDATE = "/api/core/dataset/collection/update"
INSERT = "/api/core/dataset/data/insertData"


@pytest.mark.ci
@pytest.mark.parametrize("turns", range(0, 64, 8))
@pytest.mark.parametrize(
    ("path", "change", "left"),
    [
        (UPDATE, {"id": "f", "name": "renamed"}, {"name": "renamed"}),
        (UPDATE, {"id": "f", "tags": ["t"]}, {"tags": ["t"]}),
        (UPDATE, {"id": "f", "parentId": "g"}, {"parentId": "g"}),
        (INSERT, {"collectionId": "f", "q": "q"}, {"dataAmount": 1}),
    ],
)
def test_a_change_of_a_folder_that_is_being_disabled_stays(
    path: str, change: dict[str, Any], left: dict[str, Any], turns: int
) -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        body = {"id": "f", "forbid": True}
        disabled = asyncio.create_task(client.post(UPDATE, json=body))
        for _ in range(turns):
            await asyncio.sleep(0)
        assert (await client.post(path, json=change)).is_success
        assert (await disabled).is_success
        items = (await client.get("/__admin/state")).json()["datasets"][0]
        (f,) = [each for each in items["collections"] if each["_id"] == "f"]
        assert {name: f[name] for name in left} == left
        assert f["forbid"] is True

    talk(scenario, two_folders())


@pytest.mark.ci
@pytest.mark.parametrize("turns", range(0, 64, 4))
def test_two_folders_never_move_into_each_other(turns: int) -> None:
    async def scenario(client: httpx2.AsyncClient) -> None:
        change = {"id": "f", "forbid": True, "parentId": "g"}
        first = asyncio.create_task(client.post(UPDATE, json=change))
        for _ in range(turns):
            await asyncio.sleep(0)
        second = await client.post(UPDATE, json={"id": "g", "parentId": "f"})
        refusals = [each.json()["statusText"] for each in (await first, second)]
        assert sorted(refusals) == ["", "folderCycle"]

    talk(scenario, two_folders())


def two_folders() -> dict[str, Any]:
    many = {"repeat": 4_000, "name": "a {n}"}
    f = {"_id": "f", "name": "f", "children": [many]}
    g = {"_id": "g", "name": "g", "children": [{"name": "b"}]}
    return {"datasets": [{"id": "d", "collections": [f, g]}]}

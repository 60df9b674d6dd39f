"""A reset is one moment: no answer is of two generations, and no write is half gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import httpx2
import pytest

from mock_server import MockServer
from tests.consistency.connections import connections
from tests.support import APP, CHAT, DATASET, LIST, PIN, SECONDS, client_of, fetch
from tests.wire.sockets import connect

CLIENTS = 8
SWAPS = pytest.mark.parametrize("swaps", [20, pytest.param(200, marks=pytest.mark.ci)])
ROUNDS = pytest.mark.parametrize("rounds", [8, pytest.param(100, marks=pytest.mark.ci)])
OTHER = "chat-2"
SIZES = {"A": 30, "B": 29}
BODY = b'{"appId":"%b","chatId":"%b","top":true}' % (APP.encode(), CHAT.encode())
HEAD = b"PUT %b HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %b\r\n"
FIELDS = (
    b"Content-Type: application/json\r\nContent-Length: %d\r\n"
    b"Connection: close\r\nExpect: 100-continue\r\n\r\n"
) % len(BODY)


@dataclass
class Page:
    """What an answer showed, and the generation that it said it was of."""

    generation: int
    letters: set[str]
    shown: int
    total: int


Pages = list[Page]
Scenario = Callable[[httpx2.AsyncClient, list[Pages]], Awaitable[None]]
"""What one client does while others list, whose pages so far it can look at."""


def document(letter: str) -> dict[str, Any]:
    """A fixture whose collections all have names with that letter."""
    collections = [{"name": f"{letter} {number}"} for number in range(SIZES[letter])]
    return {
        "apps": [{"id": APP, "chats": [{"chatId": CHAT}, {"chatId": OTHER}]}],
        "datasets": [{"id": DATASET, "collections": collections}],
    }


@pytest.fixture
def url() -> Iterator[str]:
    """A server that starts from document A."""
    with MockServer(document("A")) as server:
        yield server.url


@SWAPS
def test_every_page_is_of_one_generation(url: str, swaps: int) -> None:
    letters = {1: "A"}
    shown = asyncio.run(under_load(url, swapping(letters, swaps)))
    pages = [page for each in shown for page in each]
    for page in pages:
        letter = letters[page.generation]
        assert page.letters == {letter}
        assert page.shown == page.total == SIZES[letter]
    assert letters.keys() - {1} <= {page.generation for page in pages}
    assert len(letters) == swaps + 1


@SWAPS
@pytest.mark.ci
def test_no_client_goes_back_to_an_earlier_generation(url: str, swaps: int) -> None:
    for pages in asyncio.run(under_load(url, swapping({}, swaps))):
        generations = [page.generation for page in pages]
        assert all(earlier <= later for earlier, later in pairwise(generations))


@ROUNDS
@pytest.mark.ci
def test_a_write_acknowledged_before_a_reset_is_gone_after_it(
    url: str, rounds: int
) -> None:
    async def scenario(client: httpx2.AsyncClient, _shown: list[Pages]) -> None:
        for _ in range(rounds):
            await pin(client, CHAT)
            await reset(client)
            assert await is_pinned(client) is False

    asyncio.run(under_load(url, scenario))


@ROUNDS
@pytest.mark.ci
def test_a_write_begun_after_a_reset_has_returned_stays(url: str, rounds: int) -> None:
    async def scenario(client: httpx2.AsyncClient, _shown: list[Pages]) -> None:
        for _ in range(rounds):
            await reset(client)
            await pin(client, CHAT)
            assert await is_pinned(client) is True

    asyncio.run(under_load(url, scenario))


def test_a_write_that_a_reset_overtakes_is_of_the_new_generation(url: str) -> None:
    answer = overtaken(url, b"any-key", lambda admin: admin.post("/reset", json={}))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"\r\nx-mock-generation: 2\r\n" in answer
    chat = fetch("GET", f"{url}/__admin/apps/{APP}/chats/{CHAT}").json()
    entries = fetch("GET", f"{url}/__admin/journal").json()["entries"]
    assert chat["top"] is True
    assert [entry["generation"] for entry in entries] == [2]


def test_a_write_that_the_end_of_its_sandbox_overtakes_is_refused(url: str) -> None:
    made = fetch("POST", f"{url}/__admin/sandboxes", json={"name": "mine"}).json()
    delete = "/sandboxes/mine"
    answer = overtaken(url, made["key"].encode(), lambda admin: admin.delete(delete))
    assert answer.startswith(b"HTTP/1.1 401 ")
    assert b"\r\nx-mock-sandbox: default\r\n" in answer
    chat = fetch("GET", f"{url}/__admin/apps/{APP}/chats/{CHAT}").json()
    assert chat["top"] is False


def overtaken(
    url: str, key: bytes, call: Callable[[httpx2.Client], httpx2.Response]
) -> bytes:
    """The answer to a pin that is admitted, then held back until a call has ended."""
    with connect(url) as connection, client_of(f"{url}/__admin") as admin:
        connection.sendall(HEAD % (PIN.encode(), key) + FIELDS)
        assert connection.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert call(admin).status_code == 200
        connection.sendall(BODY)
        answer = b""
        while part := connection.recv(65_536):
            answer += part
        return answer


async def under_load(url: str, scenario: Scenario) -> list[Pages]:
    """What clients are shown that list and pin for as long as a scenario lasts."""
    over = asyncio.Event()
    shown: list[Pages] = [[] for _ in range(CLIENTS)]
    async with connections(url, CLIENTS + 1) as (first, *others):
        loads = map(partial(listed, over), others, shown)
        tasks = [asyncio.create_task(load) for load in loads]
        try:
            await scenario(first, shown)
        finally:
            over.set()
            await asyncio.gather(*tasks)
    assert all(shown)
    return shown


async def listed(over: asyncio.Event, client: httpx2.AsyncClient, pages: Pages) -> None:
    """Add the pages that one client is shown, pinning in between."""
    while not over.is_set():
        pages.append(await page_of(client))
        await pin(client, OTHER)


async def page_of(client: httpx2.AsyncClient) -> Page:
    """All collections, as one page."""
    body = {"offset": 0, "pageSize": 30, "datasetId": DATASET}
    answer = await client.post(LIST, json=body)
    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    return Page(
        generation=int(answer.headers["x-mock-generation"]),
        letters={item["name"][0] for item in data["list"]},
        shown=len(data["list"]),
        total=data["total"],
    )


def swapping(letters: dict[int, str], swaps: int) -> Scenario:
    """Puts A and B by turns, resets after each; enters the letter of each generation.

    Goes on when a client has been shown the generation that has come of it.
    """

    async def scenario(client: httpx2.AsyncClient, shown: list[Pages]) -> None:
        for number in range(swaps // 2):
            letter = "BA"[number % 2]
            answer = await client.put("/__admin/state", json=document(letter))
            assert answer.status_code == 200, answer.text
            put: int = answer.json()["generation"]
            letters[put] = letter
            await sight(put, shown)
            letters[again := await reset(client)] = letter
            await sight(again, shown)

    return scenario


async def sight(generation: int, shown: list[Pages]) -> None:
    """Wait until a client's latest page is of that generation."""
    async with asyncio.timeout(SECONDS):
        while all(not pages or pages[-1].generation < generation for pages in shown):
            await asyncio.sleep(0.001)


async def pin(client: httpx2.AsyncClient, chat: str) -> None:
    """Pin a chat; returns once that is acknowledged."""
    body = {"appId": APP, "chatId": chat, "top": True}
    answer = await client.put(PIN, json=body)
    assert answer.status_code == 200, answer.text


async def reset(client: httpx2.AsyncClient) -> int:
    """Reset the default sandbox; gives its new generation number."""
    answer = await client.post("/__admin/reset", json={})
    assert answer.status_code == 200, answer.text
    generation: int = answer.json()["generation"]
    return generation


async def is_pinned(client: httpx2.AsyncClient) -> bool:
    """Whether the chat is pinned that only scenarios pin."""
    answer = await client.get(f"/__admin/apps/{APP}/chats/{CHAT}")
    top: bool = answer.json()["top"]
    return top

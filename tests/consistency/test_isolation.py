"""Sandboxes share nothing: no change in one shows in another, and none outlives it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import httpx2
import pytest

from mock_server import MockServer
from tests.consistency.connections import connections
from tests.support import APP, CHAT, DATASET, LIST, PIN, client_of, fetch, wait

CLIENTS = 8
CHATS = ("chat-1", "chat-2", "chat-3")
FIXTURE: dict[str, Any] = {
    "apps": [{"id": APP, "chats": [{"chatId": chat} for chat in CHATS]}],
    "datasets": [{"id": DATASET, "collections": [{"name": "Everyone's"}]}],
}


@dataclass
class Expected:
    """What a sandbox must show, if only its own client has changed it."""

    name: str
    key: str
    base: str = ""
    generation: int = 1
    entries: int = 0
    tops: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(CHATS, False))
    collections: set[str] = field(default_factory=lambda: {"Everyone's"})

    @property
    def admin(self) -> str:
        return f"/__admin/sandboxes/{self.name}"

    @property
    def redacted(self) -> str:
        return self.key[:4] + hashlib.sha256(self.key.encode()).hexdigest()[:8]

    def reset(self) -> None:
        fresh = Expected(self.name, self.key, self.base)
        self.tops, self.collections, self.entries = fresh.tops, fresh.collections, 0
        self.generation += 1


class Owner:
    """The only client of some sandboxes; checks whatever it is answered."""

    def __init__(
        self, client: httpx2.AsyncClient, seed: int, *, is_bound: bool
    ) -> None:
        """With `is_bound` it uses addresses of sandboxes, and one key for all."""
        self.client = client
        self.is_bound = is_bound
        self.random = Random(seed)
        self.owned: list[Expected] = []

    async def create(self, count: int) -> None:
        for _ in range(count):
            made = await self.send("POST", "/__admin/sandboxes", {}, status=201)
            base, key = f"/__sandboxes/{made['name']}", "fastgpt-any-key"
            if not self.is_bound:
                base, key = "", made["key"]
            self.owned.append(Expected(made["name"], key, base))

    async def change(self, calls: int) -> None:
        """Calls to the sandboxes in turns: most change something, or look."""
        kinds = [self.pin, self.pin, self.add, self.list_v2, self.reset, self.look]
        for _ in range(calls):
            call = self.random.choice(kinds)
            await call(self.random.choice(self.owned))

    async def pin(self, sandbox: Expected) -> None:
        chat, top = self.random.choice(CHATS), self.random.random() < 0.5
        body = {"appId": APP, "chatId": chat, "top": top}
        await self.operate(sandbox, "PUT", PIN, body)
        sandbox.tops[chat] = top

    async def list_v2(self, sandbox: Expected) -> None:
        body = {"offset": 0, "pageSize": 30, "datasetId": DATASET}
        page = await self.operate(sandbox, "POST", LIST, body)
        assert {item["name"] for item in page["list"]} == sandbox.collections
        assert page["total"] == len(sandbox.collections)

    async def add(self, sandbox: Expected) -> None:
        name = f"{sandbox.name}'s"
        path = f"{sandbox.admin}/datasets/{DATASET}/collections/added"
        status = 200 if name in sandbox.collections else 201
        await self.send("PUT", path, {"name": name}, status=status)
        sandbox.collections.add(name)

    async def reset(self, sandbox: Expected) -> None:
        sandbox.reset()
        answer = await self.send("POST", sandbox.admin + "/reset", {})
        assert answer == {"sandbox": sandbox.name, "generation": sandbox.generation}

    async def look(self, sandbox: Expected) -> None:
        state = await self.send("GET", sandbox.admin + "/state")
        assert tops_of(state) == sandbox.tops
        collections = state["datasets"][0]["collections"]
        assert {each["name"] for each in collections} == sandbox.collections

    async def look_at_all(self) -> None:
        for sandbox in self.owned:
            await self.look(sandbox)
            journal = await self.send("GET", sandbox.admin + "/journal")
            assert journal["total"] == len(journal["entries"]) == sandbox.entries
            keys = {entry["key"] for entry in journal["entries"]}
            assert keys <= {sandbox.redacted}

    async def operate(
        self, sandbox: Expected, method: str, path: str, body: object
    ) -> Any:
        """The data of an operation's answer, which must be of that sandbox."""
        headers = {"Authorization": f"Bearer {sandbox.key}"}
        url = sandbox.base + path
        answer = await self.client.request(method, url, json=body, headers=headers)
        assert answer.status_code == 200, answer.text
        assert answer.headers["x-mock-sandbox"] == sandbox.name
        assert answer.headers["x-mock-generation"] == str(sandbox.generation)
        sandbox.entries += 1
        return answer.json()["data"]

    async def send(
        self, method: str, path: str, body: object = None, status: int = 200
    ) -> Any:
        """The answer of the admin API."""
        answer = await self.client.request(method, path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json()


def tops_of(state: Any) -> dict[str, bool]:
    """The pin flags that a state shows."""
    return {chat["chatId"]: chat["top"] for chat in state["apps"][0]["chats"]}


@pytest.mark.parametrize(
    "is_bound",
    [False, pytest.param(True, marks=pytest.mark.ci)],
    ids=["by key", "by bound address, all with one key"],
)
@pytest.mark.parametrize(
    ("sandboxes", "calls"),
    [(40, 480), pytest.param(200, 4_000, marks=pytest.mark.ci)],
)
def test_no_sandbox_shows_what_was_done_in_another(
    sandboxes: int, calls: int, *, is_bound: bool
) -> None:
    with MockServer(FIXTURE) as server:
        changed = changed_at_once(server.url, sandboxes, calls, is_bound=is_bound)
        owned = asyncio.run(changed)
        assert len({sandbox.name for sandbox in owned}) == sandboxes
        assert {sandbox.generation for sandbox in owned} > {1, 2}
        untouched = fetch("GET", server.url + "/__admin/state").json()
        assert tops_of(untouched) == dict.fromkeys(CHATS, False)
        assert len(server.sandbox.journal) == 0


async def changed_at_once(
    url: str, sandboxes: int, calls: int, *, is_bound: bool
) -> list[Expected]:
    """All sandboxes after all clients have changed theirs at the same time."""
    async with connections(url, CLIENTS) as clients:
        owners = [
            Owner(client, seed, is_bound=is_bound)
            for seed, client in enumerate(clients)
        ]
        await asyncio.gather(*(each.create(sandboxes // CLIENTS) for each in owners))
        await asyncio.gather(*(each.change(calls // CLIENTS) for each in owners))
        await asyncio.gather(*(each.look_at_all() for each in owners))
        return [sandbox for each in owners for sandbox in each.owned]


@pytest.fixture
def client() -> Iterator[httpx2.Client]:
    """A client of a server of its own."""
    with MockServer(FIXTURE) as server:
        headers = {"Authorization": f"Bearer {server.key}"}
        with client_of(server.url, headers=headers) as client:
            yield client


def create(client: httpx2.Client, **fields: object) -> Expected:
    """A new sandbox."""
    made = client.post("/__admin/sandboxes", json=fields)
    assert made.status_code == 201, made.text
    return Expected(made.json()["name"], made.json()["key"])


def pin(client: httpx2.Client, key: str | None = None) -> httpx2.Response:
    """Pin a chat, with a key or with the default sandbox's."""
    body = {"appId": APP, "chatId": CHAT, "top": True}
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return client.put(PIN, json=body, headers=headers)


def is_pinned(client: httpx2.Client, admin: str = "/__admin") -> bool:
    """Whether the chat is pinned in a sandbox."""
    top: bool = client.get(f"{admin}/apps/{APP}/chats/{CHAT}").json()["top"]
    return top


def assert_refused(answer: httpx2.Response) -> None:
    """The key is unknown, to the default sandbox as to every other."""
    assert answer.status_code == 401
    assert answer.json()["statusText"] == "unauthorized"
    assert answer.headers["x-mock-sandbox"] == "default"


def test_a_pin_in_a_sandbox_does_not_show_in_the_default_one(
    client: httpx2.Client,
) -> None:
    sandbox = create(client)
    assert pin(client, sandbox.key).headers["x-mock-sandbox"] == sandbox.name
    assert (is_pinned(client), is_pinned(client, sandbox.admin)) == (False, True)


def test_a_pin_in_the_default_sandbox_does_not_show_in_another(
    client: httpx2.Client,
) -> None:
    before = create(client)
    assert pin(client).headers["x-mock-sandbox"] == "default"
    after = create(client)
    shown = [is_pinned(client, each.admin) for each in (before, after)]
    assert (is_pinned(client), shown) == (True, [False, False])


def test_the_key_of_a_deleted_sandbox_is_unknown(client: httpx2.Client) -> None:
    sandbox = create(client)
    assert pin(client, sandbox.key).status_code == 200
    assert client.delete(sandbox.admin).status_code == 200
    assert_refused(pin(client, sandbox.key))
    assert is_pinned(client) is False


def test_the_key_of_an_expired_sandbox_is_unknown(client: httpx2.Client) -> None:
    sandbox = create(client, ttl=0.05)
    # To look at all of them keeps none alive.
    wait(lambda: sandbox.name not in names(client))
    assert_refused(pin(client, sandbox.key))
    assert is_pinned(client) is False


def test_a_key_expires_though_nobody_has_looked(client: httpx2.Client) -> None:
    made = client.post("/__admin/sandboxes", json={"ttl": 0.05}).json()
    end = datetime.fromisoformat(made["expiresAt"]) + timedelta(milliseconds=10)
    wait(lambda: datetime.now(UTC) > end)
    assert_refused(pin(client, made["key"]))
    assert client.get(f"/__admin/sandboxes/{made['name']}").status_code == 404


def test_a_new_sandbox_of_the_same_name_has_another_key(client: httpx2.Client) -> None:
    first = create(client, name="again")
    client.delete(first.admin)
    second = create(client, name="again")
    assert_refused(pin(client, first.key))
    assert pin(client, second.key).status_code == 200


def names(client: httpx2.Client) -> set[str]:
    """The names of all sandboxes."""
    sandboxes = client.get("/__admin/sandboxes").json()["sandboxes"]
    return {sandbox["name"] for sandbox in sandboxes}

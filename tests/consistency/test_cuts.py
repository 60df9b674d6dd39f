"""Clients that go at any byte: no lock, no leak, and no effect by half."""

from __future__ import annotations

import asyncio
import os
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from mock_server.app import Application, create_app
from mock_server.wire.server import running
from mock_server.wire.uvicorn_internals import HttpParser
from tests.consistency.cuts import TOGETHER, Cut, drawn
from tests.support import APP, DATASET, client_of, wait

CHOICES = {"related_routes": "on", "chat_unknown": "create"}
ENTRY = {"name": "Article {n}", "repeat": 300}
FIXTURE = {
    "apps": [{"id": APP, "chats": []}],
    "datasets": [{"id": DATASET, "collections": [ENTRY]}],
}
LARGE = {"datasets": [{"id": DATASET, "collections": [ENTRY | {"repeat": 3_000}]}]}
DELAY = {"kind": "delay", "ms": 2, "probability": 0.3, "times": 10_000, "ttl": 600}
MARK = re.compile(r"(?:pin|create|upload)-\d+-\d+")
BEFORE, AFTER = "f1", "f2"
"""The faults that hold up an answer, before or after the effect."""
DESCRIPTORS = Path("/proc/self/fd")
linux = pytest.mark.skipif(not DESCRIPTORS.exists(), reason="no /proc here")


class Watched:
    """A server in a thread, its tasks, and what it has been asked to keep."""

    def __init__(self, app: Application) -> None:
        self.app = app
        self.loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.loop = asyncio.get_running_loop()
        await self.app(scope, receive, send)

    def held(self) -> tuple[int, list[str]]:
        """The descriptors of this process, and the tasks of the server."""
        assert self.loop is not None
        coroutines = [task.get_coro() for task in asyncio.all_tasks(self.loop)]
        names = [getattr(each, "__qualname__", "?") for each in coroutines]
        return len(os.listdir(DESCRIPTORS)), sorted(names)

    def waiting(self) -> int:
        """Who waits for a reset, or for news of the sandbox."""
        sandbox = self.app.sandbox
        return len(sandbox.state.waits) + len(sandbox.listeners)

    def charged(self) -> int:
        """Bytes of memory that requests and streams are charged."""
        usage = self.app.sandboxes.memory.usage()
        return usage["requests"] + usage["streams"]


class Server:
    """What clients ask of the server, over its socket."""

    def __init__(self, url: str, watched: Watched, client: httpx2.Client) -> None:
        self.url = url
        self.watched = watched
        self.client = client

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What the admin API answers, which has to be a success."""
        content = body or {} if method in ("POST", "PUT") else None
        answer = self.client.request(method, f"/__admin{path}", json=content)
        assert answer.is_success, answer.text
        return answer.json()

    def begin(self, seed: int) -> None:
        """Empty it; in some rounds requests are held up, by their number."""
        self.ask("POST", "/reset")
        for each in self.ask("GET", "/sandboxes")["sandboxes"]:
            if each["name"] not in ("default", "loading"):
                self.ask("DELETE", f"/sandboxes/{each['name']}")
        for each in self.ask("GET", "/snapshots")["snapshots"]:
            self.ask("DELETE", f"/snapshots/{each['name']}")
        for name, phase in ((BEFORE, "before"), (AFTER, "after")) * (seed % 2):
            added = self.ask("POST", "/faults", DELAY | {"phase": phase, "seed": seed})
            assert added["id"] == name

    def is_at_rest(self, descriptors: int) -> bool:
        """Whether nothing is held for any other client than this one."""
        now, tasks = self.watched.held()
        idle = ["Server.serve"], 0, 0
        got = tasks, self.watched.waiting(), self.watched.charged()
        return got == idle and now <= descriptors

    def kept(self) -> Counter[str]:
        """How often each name is there, of whatever kind."""
        state = self.ask("GET", "/state")
        names = [each["chatId"] for each in state["apps"][0]["chats"]]
        listed = state["datasets"][0]["collections"]
        names += [each["name"].removesuffix(".txt") for each in listed]
        for kind in ("sandboxes", "snapshots"):
            names += [each["name"] for each in self.ask("GET", f"/{kind}")[kind]]
        return Counter(names)

    def entered(self) -> tuple[Counter[str], Counter[str]]:
        """How often the journal tells of an effect with each name, and of a request
        whose answer was held up behind its effect and then wanted by nobody.
        """
        entries = self.ask("GET", "/journal?limit=1000")["entries"]
        known = [each for each in entries if each["answer"]["status"] == 200]
        after = {"id": AFTER}.items()
        held_up = [
            each
            for each in entries
            if not each["answer"]["status"] and after <= (each["fault"] or {}).items()
        ]
        return marks(known), marks(held_up)


def marks(entries: list[Any]) -> Counter[str]:
    """How often each name was asked for."""
    found = (MARK.search(str(each["request"]["body"])) for each in entries)
    return Counter(each[0] for each in found if each)


@contextmanager
def server(http: HttpParser) -> Iterator[Server]:
    """A server of the fixture, with a sandbox for large states."""
    watched = Watched(create_app(FIXTURE, choices=CHOICES))
    with running(watched, http=http) as url, client_of(url) as client:
        made = Server(url, watched, client)
        made.ask("POST", "/sandboxes", {"name": "loading"})
        yield made


def check(server: Server, cuts: list[Cut], heard: list[bytes]) -> Counter[str]:
    """What is there was sent whole, once; and the journal tells of it.

    Gives how often each kind had an effect, and how often none.
    """
    kept, (known, held_up) = server.kept(), server.entered()
    seen: Counter[str] = Counter()
    for cut, answers in zip(cuts, heard, strict=True):
        assert b"HTTP/1.1 500 " not in answers, cut
        whole = {each.mark for each in cut.whole()}
        if answers.startswith(b"HTTP/1.1 20") and cut.asked[0].mark:
            assert kept[cut.asked[0].mark] == 1, (cut, answers)
        for mark in filter(None, (each.mark for each in cut.asked)):
            there = kept[mark]
            assert there <= (mark in whole), (mark, cut)
            if MARK.fullmatch(mark):
                least, most = known[mark], known[mark] + held_up[mark]
                assert least <= there <= most, (mark, cut, answers)
            seen[f"{mark.partition('-')[0]} {there}"] += 1
    return seen


def run(server: Server, seed: int) -> Counter[str]:
    """Cut a hundred times, and look at what is there."""
    server.begin(seed)
    before, _ = server.watched.held()
    cuts = [drawn(Random(f"{seed} {number}"), number) for number in range(TOGETHER)]
    with ThreadPoolExecutor(4) as pool:
        heard = list(pool.map(lambda cut: cut.perform(server.url), cuts))
    wait(partial(server.is_at_rest, before))
    return check(server, cuts, heard)


def check_loads(server: Server) -> None:
    """As many large states are loaded at once as ever."""
    with ThreadPoolExecutor(2) as pool:
        path = "/sandboxes/loading/state"
        for each in [pool.submit(server.ask, "PUT", path, LARGE) for _ in range(2)]:
            each.result()


@linux
@pytest.mark.parametrize("http", ["zttp", "h11"])
@pytest.mark.parametrize(
    "seeds",
    [
        range(1, 2),
        pytest.param(range(2, 12), marks=pytest.mark.ci),
        *(
            pytest.param(range(start, start + 10), marks=pytest.mark.full)
            for start in range(100, 200, 10)
        ),
    ],
    ids=lambda seeds: f"{seeds[0]}-{seeds[-1]}" if isinstance(seeds, range) else None,
)
def test_a_cut_leaves_nothing_or_all(http: HttpParser, seeds: range) -> None:
    with server(http) as made:
        seen = sum((run(made, seed) for seed in seeds), Counter[str]())
        check_loads(made)
    print(", ".join(f"{what}: {count}" for what, count in sorted(seen.items())))
    kinds = ("pin", "create", "upload", "sandbox", "snapshot")
    assert {f"{kind} {there}" for kind in kinds for there in (0, 1)} == set(seen)

"""Two programs at work at once, each in a sandbox: neither shows in the other's."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from typing import Any

import httpx2
import pytest

from mock_server import MockServer
from tests.e2e.workflows.clients import Httpx
from tests.e2e.workflows.service import Service
from tests.e2e.workflows.workflows import chat_panel, sync
from tests.e2e.workflows.world import APP, WORLD
from tests.support import client_of

NAMES = ("alder", "birch")
FILES = 6
"""Of a round."""
STARTS_EMPTY = {key: value for key, value in WORLD.items() if key != "datasets"}


class Sandbox:
    """A sandbox with a clock that stands still, and the clients that work in it."""

    def __init__(
        self, name: str, admin: httpx2.Client, url: str, stack: ExitStack
    ) -> None:
        made = admin.post("/sandboxes", json={"name": name}).json()
        self.name = name
        self._admin = admin
        self._path = f"/sandboxes/{name}"
        admin.put(f"{self._path}/clock", json={"frozen": True}).raise_for_status()
        hooks = {"response": [self._check]}
        clients = [Httpx(url, made["key"], event_hooks=hooks) for _ in range(2)]
        entered = [stack.enter_context(client) for client in clients]
        self.services = [Service(client, self._tick) for client in entered]
        self.answers: list[str] = []
        self.asked = 0

    def work(self, number: int) -> list[Any]:
        """The workflows, each for one of the clients, to be done at once."""
        name = f"{self.name} {number}"
        sending, talking = self.services
        return [
            partial(sync, sending, name, FILES),
            partial(chat_panel, talking, name, APP),
        ]

    def state(self) -> Any:
        """Everything in it, but the time."""
        state = self._admin.get(f"{self._path}/state").json()
        return {name: part for name, part in state.items() if name != "clock"}

    def journal(self) -> Any:
        """What was asked since the last look."""
        answer = self._admin.get(f"{self._path}/journal", params={"limit": 1000}).json()
        self._admin.delete(f"{self._path}/journal").raise_for_status()
        return answer

    def _tick(self) -> None:
        path = f"{self._path}/clock/advance"
        self._admin.post(path, json={"seconds": 1}).raise_for_status()

    def _check(self, answer: httpx2.Response) -> None:
        self.answers.append(answer.headers["x-mock-sandbox"])


@pytest.fixture
def pair() -> Iterator[tuple[Sandbox, Sandbox]]:
    """Two sandboxes of one server."""
    with ExitStack() as stack:
        server = stack.enter_context(MockServer(STARTS_EMPTY, profile="deployed"))
        admin = stack.enter_context(client_of(f"{server.url}/__admin"))
        left, right = (Sandbox(name, admin, server.url, stack) for name in NAMES)
        yield left, right
        assert len(server.sandbox.journal) == 0
        [chat] = admin.get("/state").json()["apps"][0]["chats"]
        assert chat["chatId"] == "one"


@pytest.mark.parametrize(
    "rounds",
    [
        1,
        pytest.param(40, marks=pytest.mark.ci),
        pytest.param(200, marks=pytest.mark.full),
    ],
)
def test_nothing_crosses_between_two_programs_at_work(
    pair: tuple[Sandbox, Sandbox], rounds: int
) -> None:
    with ThreadPoolExecutor(4) as pool:
        for number in range(rounds):
            work = [each for sandbox in pair for each in sandbox.work(number)]
            for done in [pool.submit(each) for each in work]:
                done.result()
            for sandbox in pair:
                check(sandbox)
    print(f"{sum(len(each.answers) for each in pair)} answers in {rounds} rounds")


def check(sandbox: Sandbox) -> None:
    """What a sandbox has been asked is its own, and the work has left nothing."""
    assert set(sandbox.answers) == {sandbox.name}
    journal = sandbox.journal()
    asked = str(journal["entries"])
    sandbox.asked += journal["total"]
    assert len(sandbox.answers) == sandbox.asked
    assert {name for name in NAMES if name in asked} == {sandbox.name}
    state = sandbox.state()
    assert (state["datasets"], state["apps"][0]["chats"]) == ([], [])

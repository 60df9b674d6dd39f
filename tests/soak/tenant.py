"""A sandbox, and what it is to hold: every answer is compared with that."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from tests.soak.client import JSON, Answer, Client, expect
from tests.soak.world import CHATS, DATASET, MOST_ON_A_PAGE, matching
from tests.support import LIST

ROUTE = "/api/core/dataset/collection"
LATE_SECONDS = 30.0
"""How long after it was cut off a request may enter the journal, on a busy machine."""


@dataclass
class Contents:
    """Pin flags by chat, names of added collections by id, chats that were added."""

    pins: dict[str, bool] = field(default_factory=lambda: dict.fromkeys(CHATS, False))
    added: dict[str, str] = field(default_factory=dict)
    talks: set[str] = field(default_factory=set)


@dataclass
class Tenant:
    """A sandbox that one story at a time works in."""

    client: Client
    name: str
    key: str
    generation: int = 1
    asked: int = 0
    """Operations since the journal was empty."""
    cut: list[float] = field(default_factory=list)
    """When requests were cut off, which may be in the journal or not."""
    now: Contents = field(default_factory=Contents)
    baseline: Contents = field(default_factory=Contents)

    @classmethod
    async def make(cls, client: Client, name: str, **options: object) -> Tenant:
        """A new sandbox."""
        wanted = {"name": name, "choices": {"related_routes": "on"}, **options}
        made = await client.admin("POST", "/sandboxes", wanted, status=201)
        expect(made["name"] == name, name, made)
        return cls(client, name, made["key"])

    async def ask(
        self,
        method: str,
        path: str,
        body: object = b"",
        status: int = 200,
        kind: str = JSON,
    ) -> Answer:
        """The answer to an operation: of this sandbox, and with that status."""
        answer = await self.client.ask(method, path, body, key=self.key, kind=kind)
        self.asked += 1
        expect(answer.status == status, f"{status} to {method} {path} {body!r}", answer)
        self.check(answer)
        return answer

    def check(self, answer: Answer) -> None:
        """Raises Unexpected unless it is this sandbox's, of this generation."""
        told = {f"x-mock-{name}" for name in ("sandbox", "generation")}
        got = {name: answer.headers.get(name) for name in sorted(told)}
        wanted = {
            "x-mock-generation": str(self.generation),
            "x-mock-sandbox": self.name,
        }
        expect(got == wanted, wanted, got)

    async def admin(
        self, method: str, path: str, body: object = b"", status: int = 200
    ) -> Any:
        """What the admin API answers of this sandbox."""
        path = f"/sandboxes/{self.name}{path}"
        return await self.client.admin(method, path, body, status)

    def begun(self, contents: Contents) -> None:
        """Its store has been replaced by one with these contents."""
        self.generation += 1
        self.now = deepcopy(contents)

    def emptied(self) -> None:
        """It has been brought back to its baseline, with an empty journal."""
        self.begun(self.baseline)
        self.asked = 0
        # What is on its way still may come after all.
        self.cut = [each for each in self.cut if each > monotonic() - LATE_SECONDS]

    async def put_state(self, document: object) -> None:
        """Put what it holds now, or something else, as its baseline."""
        async with self.client.loading:
            await self.admin("PUT", "/state", document)
        self.baseline = deepcopy(self.now)
        self.emptied()

    async def page(self, text: str = "", offset: int = 0, size: int = 10) -> Answer:
        """A page of the articles, which is as it has to be."""
        body = {"offset": offset, "pageSize": size, "datasetId": DATASET}
        answer = await self.ask("POST", LIST, body | {"searchText": text})
        self.check_page(answer.data, text, offset, size)
        return answer

    def check_page(self, data: Any, text: str, offset: int, size: int) -> None:
        """Raises Unexpected unless it has what is held, the latest first."""
        names = self.now.added
        added = {each for each in names if text.lower() in names[each].lower()}
        all_ids: list[str | None] = [None] * len(added)
        all_ids += matching(text)
        wanted = all_ids[offset : offset + min(size, MOST_ON_A_PAGE)]
        got = [item["_id"] for item in data["list"]]
        shown = [None if each in added else each for each in got]
        expect(data["total"] == len(all_ids), f"a total of {len(all_ids)}", data)
        expect(shown == wanted, wanted, got)
        expect(len(set(got)) == len(got), "each item once", got)
        for item in data["list"]:
            name = names.get(item["_id"], item["name"])
            expect(item["name"] == name, f"the name {name}", item)
        order = [(item["updateTime"], item["_id"]) for item in data["list"]]
        ordered = sorted(sorted(order, key=lambda it: it[1]), key=_time, reverse=True)
        expect(order == ordered, "the latest first, then by id", order)


def _time(place: tuple[str, str]) -> str:
    return place[0]

"""What clients do in the default sandbox, whose fixture file changes meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

from tests.soak.client import Answer, Client, expect
from tests.soak.world import DATASET, KEY, VERSIONS, matching, write
from tests.support import LIST


class Default:
    """The default sandbox: it keeps nothing, and shows some version of its file."""

    def __init__(self, client: Client, fixture: Path) -> None:
        self._client = client
        self._fixture = fixture
        self.known_fields = self._written = 0
        """The latest version that has been seen, and that has been written."""

    async def _page(self, body: dict[str, object]) -> Answer:
        answer = await self._client.ask("POST", LIST, body, key=KEY)
        expect(answer.status == 200, 200, answer)
        sandbox = answer.headers["x-mock-sandbox"]
        expect(sandbox == "default", "the default sandbox", sandbox)
        return answer

    async def pages(self, random: Random) -> None:
        """Some page of some search: in all versions it is the same."""
        offset, size = random.randrange(330), random.choice((1, 10, 30))
        text = random.choice(("", "article 2", "no such"))
        body = {"offset": offset, "pageSize": size, "datasetId": DATASET}
        data = (await self._page({**body, "searchText": text})).data
        wanted = matching(text)
        expect(data["total"] == len(wanted), len(wanted), data)
        ids = [item["_id"] for item in data["list"]]
        expect(ids == wanted[offset : offset + size], wanted, ids)

    async def version(self, _: Random) -> None:
        """Never an older version than one that has been seen, nor one to come."""
        before = self.known_fields
        data = (await self._page({"offset": 0, "datasetId": VERSIONS})).data
        [item] = data["list"]
        number = int(item["name"].removeprefix("Version "))
        expect(before <= number <= self._written, f"{before} or later", item)
        self.known_fields = max(self.known_fields, number)

    async def reload(self) -> None:
        """Write the next version, and wait until it shows."""
        self._written += 1
        write(self._fixture, self._written)
        async with asyncio.timeout(60):
            while self.known_fields < self._written:
                await asyncio.sleep(0.05)
                await self.version(Random())

    async def health(self, _: Random) -> None:
        """Ask for health."""
        memory = (await self._client.admin("GET", "/health"))["memory"]
        expect(0 <= memory["used"] <= memory["limit"], "within the limit", memory)
        expect(min(memory.values()) >= 0, "nothing below 0", memory)

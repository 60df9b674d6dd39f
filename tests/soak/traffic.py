"""All stories at work at one server, in the shares of a mix."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from itertools import count
from pathlib import Path
from random import Random
from time import monotonic

from tests.soak import stories
from tests.soak.client import Client, Unexpected, expect
from tests.soak.default import Default
from tests.soak.faults import PAGE, faults
from tests.soak.stories import Story
from tests.soak.tenant import Tenant
from tests.support import LIST

Work = Callable[[int], Awaitable[None]]
FAILURES = Unexpected, OSError, EOFError, ValueError, LookupError, TypeError
"""What answers raise that are not as they have to be, or that do not come."""
STORY_SECONDS = 300.0
MOST_TENANTS = 40
NEW = 0.02
"""How likely a story begins with a sandbox of its own."""
RELOAD_SECONDS = 10.0
LARGE_SECONDS = 20.0
TTL_SECONDS = 1.0
MIX: dict[Story, float] = {
    stories.pages: 30,
    stories.burst: 15,
    stories.pins: 15,
    stories.collections: 6,
    stories.uploads: 2,
    stories.talks: 2,
    stories.snapshots: 2,
    stories.resets: 5,
    stories.states: 1,
    stories.own_states: 0.1,
    stories.journals: 3,
    stories.streams: 2,
    stories.refused: 4,
    stories.cuts: 3,
    faults: 5,
}
OF_DEFAULT = {Default.pages: 10, Default.version: 4, Default.health: 0.2}


class Traffic:
    """Clients of one server. `unexpected` tells what must not have been."""

    def __init__(self, url: str, fixture: Path, seed: int) -> None:
        self.client = Client(url)
        self.default = Default(self.client, fixture)
        self.done: Counter[str] = Counter()
        self.unexpected: list[str] = []
        self._seed = seed
        self._numbers = count(1)
        self._idle: list[Tenant] = []
        self._tenants = 0
        self._at_work = asyncio.Semaphore(MOST_TENANTS)

    async def story(self) -> None:
        """The next story of the mix; it never raises."""
        number = next(self._numbers)
        random = Random(f"{self._seed} {number}")
        if random.random() < sum(OF_DEFAULT.values()) / 100:
            [of_default] = random.choices(list(OF_DEFAULT), [*OF_DEFAULT.values()])
            name = of_default.__qualname__
            await self.told(name, of_default(self.default, random))
            return
        [story] = random.choices(list(MIX), [*MIX.values()])
        async with self._at_work:
            await self.told(story.__name__, self._in_tenant(story, random, number))

    async def told(self, name: str, work: Awaitable[object]) -> None:
        """Do some work; if it fails, or takes too long, that is unexpected."""
        try:
            async with asyncio.timeout(STORY_SECONDS):
                await work
            self.done[name] += 1
        except FAILURES as error:
            self.unexpected.append(f"{name}: {type(error).__name__}: {error}")

    async def _in_tenant(self, story: Story, random: Random, number: int) -> None:
        """Tell a story in a sandbox; one in which it failed is used no more."""
        is_new = random.random() < NEW
        if is_new and self._tenants >= MOST_TENANTS and self._idle:
            await self._end(self._idle.pop(0), random)
        if self._idle and not is_new:
            tenant = self._idle.pop(random.randrange(len(self._idle)))
        else:
            self._tenants += 1
            tenant = await Tenant.make(self.client, f"tenant-{number}")
        await story(tenant, random)
        self._idle.append(tenant)

    async def _end(self, tenant: Tenant, random: Random) -> None:
        self._tenants -= 1
        await stories.ends(tenant, random)
        self.done["ends"] += 1

    async def beside(self, seconds: float) -> None:
        """What comes now and then, one after the other of its kind."""
        end = monotonic() + seconds
        await asyncio.gather(
            self._again("reloads", self._reload, RELOAD_SECONDS, end),
            self._again("large", self._large, LARGE_SECONDS, end),
            self._again("expiry", self._expiry, 2 * TTL_SECONDS, end),
        )

    async def _again(
        self,
        name: str,
        work: Callable[[int], Awaitable[None]],
        pause: float,
        end: float,
    ) -> None:
        for number in count(1):
            await self.told(name, work(number))
            if monotonic() + pause > end:
                return
            await asyncio.sleep(pause)

    async def _reload(self, _: int) -> None:
        await self.default.reload()

    async def _large(self, number: int) -> None:
        tenant = await Tenant.make(self.client, f"large-{number}")
        await stories.large_states(tenant, Random())
        await stories.ends(tenant, Random())

    async def _expiry(self, number: int) -> None:
        """A sandbox that nobody uses ends, and its key leads nowhere."""
        name = f"brief-{number}"
        tenant = await Tenant.make(self.client, name, ttl=TTL_SECONDS)
        # On a busy machine its time may be over by now.
        answer = await self.client.ask("POST", LIST, PAGE, key=tenant.key)
        expect(answer.status in (200, 401), "a page, or none any more", answer)
        while name in [each["name"] for each in await self._sandboxes()]:
            await asyncio.sleep(0.2)
        answer = await self.client.ask("POST", LIST, PAGE, key=tenant.key)
        expect(answer.status == 401, 401, answer)

    async def _sandboxes(self) -> list[dict[str, object]]:
        found = await self.client.admin("GET", "/sandboxes")
        return list(found["sandboxes"])

    async def each_once(self) -> None:
        """Tell every story once: what a server makes when first asked is there then."""
        random = Random(self._seed)
        for of_default in OF_DEFAULT:
            await self.told(of_default.__qualname__, of_default(self.default, random))
        for number, story in enumerate(MIX):
            await self.told(story.__name__, self._in_tenant(story, random, -number))
        for name, work in (("reloads", self._reload), ("large", self._large)):
            await self.told(name, work(0))

    async def finish(self) -> None:
        """End all sandboxes and connections, and empty the default one."""
        self._idle.clear()
        self._tenants = 0
        for each in await self._sandboxes():
            if each["name"] != "default":
                await self.client.admin("DELETE", f"/sandboxes/{each['name']}")
        await self.client.admin("POST", "/reset")
        self.client.close()

"""Faults of many kinds: each shows where it was added, once, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

from tests.soak.client import WAIT_SECONDS, Connection, expect, request
from tests.soak.tenant import Tenant
from tests.soak.world import APP, ARTICLES, CHATS, DATASET
from tests.support import LIST, PIN

PAGE = {"offset": 0, "pageSize": 5, "datasetId": DATASET}
Check = Callable[[Tenant, str], Awaitable[None]]
"""Meets a fault, by its id."""


async def faults(tenant: Tenant, random: Random) -> None:
    """Add one, meet it, and find that it is over."""
    kind = random.choice(list(KINDS))
    fields, check = KINDS[kind]
    wanted = {"kind": kind, "operation": "listV2", **fields}
    added = await tenant.admin("POST", "/faults", wanted, status=201)
    if random.random() < 0.2:
        await tenant.admin("DELETE", f"/faults/{added['id']}")
    else:
        await check(tenant, added["id"])
        if kind not in GONE:
            seen = await tenant.admin("GET", f"/faults/{added['id']}")
            expect(seen["fired"] == 1, "one firing", seen)
        await tenant.admin("DELETE", "/faults")
    await tenant.page()


async def error(tenant: Tenant, _: str) -> None:
    """The given status, once."""
    answer = await tenant.ask("POST", LIST, PAGE, status=503)
    expect(answer.json["message"] == "Injected by a fault", "the injected", answer)


async def late(tenant: Tenant, _: str) -> None:
    """A right answer, in one piece or several."""
    await tenant.page()


async def cut_off(tenant: Tenant, _: str) -> None:
    """No whole answer, and the end of the connection."""
    heard = await raw(tenant)
    whole = heard.startswith(b"HTTP/1.1 200 ") and heard.endswith(b"}")
    expect(not whole, "no whole answer", heard)


async def hanging(tenant: Tenant, fault: str) -> None:
    """No answer: a reset lets go of the request."""
    pending = asyncio.create_task(raw(tenant))
    while not (await tenant.admin("GET", f"/faults/{fault}"))["fired"]:
        await asyncio.sleep(0.01)
    await tenant.admin("POST", "/reset")
    expect(not (heard := await pending), "no answer", heard)
    tenant.emptied()


async def malformed(tenant: Tenant, _: str) -> None:
    """A success that is no JSON."""
    answer = await tenant.ask("POST", LIST, PAGE)
    try:
        expect(False, "no JSON", answer.json)
    except ValueError:
        return


async def limited(tenant: Tenant, _: str) -> None:
    """One request passes, the next does not."""
    await tenant.page()
    answer = await tenant.ask("POST", LIST, PAGE, status=429)
    expect("retry-after" in answer.headers, "Retry-After", answer)


async def lost(tenant: Tenant, _: str) -> None:
    """A pin is answered as ever, and not there."""
    chat = CHATS[0]
    wanted = {"appId": APP, "chatId": chat, "top": not tenant.now.pins[chat]}
    await tenant.ask("PUT", PIN, wanted)
    there = await tenant.admin("GET", f"/apps/{APP}/chats/{chat}")
    expect(there["top"] is tenant.now.pins[chat], tenant.now.pins, there)


def paged(differs: Callable[[Tenant, Any], bool]) -> Check:
    """A page that is wrong in one way."""

    async def check(tenant: Tenant, _: str) -> None:
        answer = await tenant.ask("POST", LIST, PAGE)
        expect(differs(tenant, answer.data), "a wrong page", answer)

    return check


def total_off(by: int) -> Check:
    """A page with a total that is off."""
    return paged(lambda t, data: data["total"] == ARTICLES + len(t.now.added) + by)


def _is_doubled(tenant: Tenant, data: Any) -> bool:
    del tenant
    first, second, *_ = (str(item["_id"]) for item in data["list"])
    return first == second


def _is_altered(_: Tenant, data: Any) -> bool:
    return {(each.get("type"), "name" in each) for each in data["list"]} == {
        ("x", False)
    }


async def raw(tenant: Tenant) -> bytes:
    """All that is said to a request until the connection ends."""
    connection = await tenant.client.connect()
    try:
        return await _said(tenant, connection)
    finally:
        connection.drop()


async def _said(tenant: Tenant, connection: Connection) -> bytes:
    connection.send(request("POST", LIST, PAGE, tenant.key))
    tenant.asked += 1
    tenant.client.asked += 1
    heard = b""
    async with asyncio.timeout(WAIT_SECONDS):
        try:
            while part := await connection.reader.read(65_536):
                heard += part
        except ConnectionError:
            pass
    return heard


GONE = ("hang",)
"""Kinds whose fault a reset has taken away by the end."""
KINDS: dict[str, tuple[dict[str, Any], Check]] = {
    "error": ({}, error),
    "delay": ({"ms": 20}, late),
    "dribble": ({"chunks": 4, "ms": 2}, late),
    "hang": ({}, hanging),
    "reset": ({}, cut_off),
    "empty": ({}, cut_off),
    "garbage": ({}, cut_off),
    "truncate": ({}, cut_off),
    "malformed_json": ({}, malformed),
    "rate_limit": ({"limit": 1, "window": 600}, limited),
    "lost_write": ({"operation": "updateHistory"}, lost),
    "page_drift": ({"insert": 2}, total_off(2)),
    "duplicate_item": ({}, paged(_is_doubled)),
    "wrong_total": ({"by": -3}, total_off(-3)),
    "alter": ({"set": {"type": "x"}, "remove": ["name"]}, paged(_is_altered)),
}

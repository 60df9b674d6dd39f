"""What clients do in a sandbox: each story asks a few times, and knows the answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from copy import deepcopy
from random import Random
from time import monotonic

from tests.soak.client import expect, request
from tests.soak.tenant import ROUTE, Contents, Tenant
from tests.soak.world import APP, ARTICLES, CHATS, DATASET, document, large
from tests.support import LIST, PIN

Story = Callable[[Tenant, Random], Awaitable[None]]
TEXTS = ("", "", "article 01", "MADE", "7", "note", "nothing has this")
BURST = 16
LARGE = 20_000
_HISTORY = "/api/core/chat/history"
_CUT = b'"answer":{"status":0,'
"""In the event of a request whose client had gone."""


async def pages(tenant: Tenant, random: Random) -> None:
    """Some page of some search."""
    offset = random.choice((0, random.randrange(ARTICLES + 20)))
    await tenant.page(random.choice(TEXTS), offset, random.choice((1, 5, 10, 30)))


async def burst(tenant: Tenant, random: Random) -> None:
    """The same page over and over, without waiting for an answer."""
    offset = random.randrange(20)
    body = {"offset": offset, "pageSize": 3, "datasetId": DATASET}
    content = request("POST", LIST, body, tenant.key)
    async with tenant.client.connection() as connection:
        connection.send(content * BURST)
        tenant.client.asked += BURST
        tenant.asked += BURST
        first = await connection.answer()
        for _ in range(BURST - 1):
            other = await connection.answer()
            expect(other.body == first.body, first.body, other.body)
            tenant.check(other)
    tenant.check_page(first.data, "", offset, 3)


async def pins(tenant: Tenant, random: Random) -> None:
    """Pin a chat, and look at all of them."""
    chat, top = random.choice(CHATS), random.random() < 0.5
    await tenant.ask("PUT", PIN, {"appId": APP, "chatId": chat, "top": top})
    tenant.now.pins[chat] = top
    await look_at_pins(tenant)


async def look_at_pins(tenant: Tenant) -> None:
    """The pin flags are as they have to be."""
    found = await tenant.admin("GET", f"/apps/{APP}/chats")
    tops = {each["chatId"]: each["top"] for each in found["chats"]}
    wanted = tenant.now.pins | dict.fromkeys(tenant.now.talks, False)
    expect(tops == wanted, wanted, tops)


async def collections(tenant: Tenant, random: Random) -> None:
    """Make some collections, rename one, remove one."""
    added = tenant.now.added
    for number in range(random.randint(1, 3)):
        fields = {"datasetId": DATASET, "name": f"Made {number}", "type": "virtual"}
        made = await tenant.ask("POST", f"{ROUTE}/create", fields)
        added[made.data] = f"Made {number}"
    one, name = random.choice(list(added)), f"Made again {random.random()}"
    await tenant.ask("POST", f"{ROUTE}/update", {"id": one, "name": name})
    added[one] = name
    await tenant.page(size=30)
    while len(added) > random.randrange(12):
        gone = random.choice(list(added))
        await tenant.ask("POST", f"{ROUTE}/delete", {"collectionIds": [gone]})
        del added[gone]
    await tenant.page(size=30)


async def uploads(tenant: Tenant, random: Random) -> None:
    """Upload a file, and read what was made of it."""
    [size] = random.choices((10, 2_000, 50_000, 1_500_000), (40, 40, 18, 2))
    text = random.choice((b"A line.\n\n", b"Words, ")) * (size // 8)
    name, fields = f"note {random.randrange(10**6)}.txt", {"datasetId": DATASET}
    body = b"\r\n".join(
        (
            b'--cut\r\nContent-Disposition: form-data; name="data"\r\n',
            json.dumps(fields).encode(),
            b"--cut\r\nContent-Disposition: form-data; "
            b'name="file"; filename="%b"\r\n' % name.encode(),
            text,
            b"--cut--\r\n",
        )
    )
    kind = "multipart/form-data; boundary=cut"
    made = await tenant.ask("POST", f"{ROUTE}/create/localFile", body, kind=kind)
    one = made.data["collectionId"]
    tenant.now.added[one] = name
    rows = {"collectionId": one, "pageSize": 1}
    found = await tenant.ask("POST", "/api/core/dataset/data/v2/list", rows)
    expect(found.data["total"] > 0, "rows", found.data)
    detail = await tenant.ask("GET", f"{ROUTE}/detail?id={one}")
    expect(detail.data["name"] == name, name, detail.data)
    await tenant.ask("DELETE", f"{ROUTE}/delete?id={one}")
    del tenant.now.added[one]
    await tenant.page()


async def talks(tenant: Tenant, random: Random) -> None:
    """Talk in a new chat, find it among the others, and remove it again."""
    chat = f"talk {random.randrange(10**6)}"
    message = {"role": "user", "content": "Hello"}
    said = {"appId": APP, "chatId": chat, "messages": [message]}
    answer = await tenant.ask("POST", "/api/v1/chat/completions", said)
    content = answer.json["choices"][0]["message"]["content"]
    expect("Hello" in content, "an echo", content)
    tenant.now.talks.add(chat)
    found = await tenant.ask("POST", f"{_HISTORY}/getHistories", {"appId": APP})
    held = len(CHATS) + len(tenant.now.talks)
    expect(found.data["total"] == held, f"{held} chats", found.data)
    await look_at_pins(tenant)
    query = f"appId={APP}&chatId={chat.replace(' ', '%20')}"
    await tenant.ask("DELETE", f"{_HISTORY}/delHistory?{query}")
    tenant.now.talks.discard(chat)


async def snapshots(tenant: Tenant, random: Random) -> None:
    """Keep the state, change it, and go back."""
    path = f"/snapshots/s{random.randrange(3)}"
    await tenant.admin("PUT", path, status=201)
    kept = deepcopy(tenant.now)
    await collections(tenant, random)
    await pins(tenant, random)
    restored = await tenant.admin("POST", f"{path}/restore")
    tenant.begun(kept)
    expect(restored["generation"] == tenant.generation, tenant.generation, restored)
    await tenant.page(size=30)
    await look_at_pins(tenant)
    await tenant.admin("DELETE", path)


async def resets(tenant: Tenant, random: Random) -> None:
    """Change something, reset, and find nothing of it."""
    await pins(tenant, random)
    await tenant.admin("POST", "/reset")
    tenant.emptied()
    await tenant.page(size=30)
    await look_at_pins(tenant)


async def states(tenant: Tenant, random: Random) -> None:
    """Put the fixture in the place of all that is there."""
    await pins(tenant, random)
    tenant.now = Contents()
    await tenant.put_state(document(0))
    await tenant.page(size=30)
    await look_at_pins(tenant)


async def own_states(tenant: Tenant, random: Random) -> None:
    """Put the state that is there: from now on resets lead to it."""
    await pins(tenant, random)
    await tenant.put_state(await tenant.admin("GET", "/state"))
    await tenant.page(size=30)
    await look_at_pins(tenant)


async def large_states(tenant: Tenant, _: Random) -> None:
    """Put a state that takes a process to load, then the small one again."""
    before = await tenant.admin("GET", "/state")
    await tenant.put_state(large(LARGE))
    body = {"offset": LARGE - 1, "datasetId": DATASET, "searchText": "large"}
    found = await tenant.ask("POST", LIST, body)
    expect(found.data["total"] == LARGE, LARGE, found.data)
    expect(len(found.data["list"]) == 1, "one item", found.data)
    await tenant.put_state(before)
    await tenant.page()


async def journals(tenant: Tenant, _: Random) -> None:
    """The journal has counted what was asked, of this sandbox only."""
    found = await tenant.admin("GET", "/journal?limit=20")
    least, most = tenant.asked, tenant.asked + len(tenant.cut)
    total = found["total"]
    expect(least <= total <= most, f"{least} to {most} entries", total)
    heads = [each["answer"]["headers"] for each in found["entries"]]
    names = {each.get("x-mock-sandbox") for each in heads}
    # Some faults leave a request without an answer.
    expect(names <= {tenant.name, None}, tenant.name, names)


async def streams(tenant: Tenant, random: Random) -> None:
    """Follow the journal for some requests, and go without a word."""
    connection = await tenant.client.connect()
    path = f"/__admin/sandboxes/{tenant.name}/journal/stream"
    try:
        connection.send(request("GET", path, b"", None))
        head = await connection.reader.readuntil(b"\r\n\r\n")
        expect(head.startswith(b"HTTP/1.1 200 "), 200, head)
        for _ in range(random.randrange(4)):
            await pins(tenant, random)
            event = b""
            while b"\ndata:" not in b"\n" + event or (tenant.cut and _CUT in event):
                event = (await connection.reader.readuntil(b"\n\n")).strip()
            expect(f'"{tenant.name}"'.encode() in event, tenant.name, event)
            expect(b'"updateHistory"' in event, "updateHistory", event)
    finally:
        connection.drop()


async def refused(tenant: Tenant, random: Random) -> None:
    """Requests that are wrong, each in its way."""
    page = {"offset": 0, "datasetId": DATASET}
    method, path, body, status = random.choice(
        (
            ("POST", LIST, page | {"pageSize": 31}, 400),
            ("POST", LIST, page | {"offset": "0"}, 400),
            ("POST", LIST, b"{", 400),
            ("POST", LIST, {"offset": 0, "datasetId": "unknown"}, 404),
            ("PUT", PIN, {"appId": APP, "chatId": "unknown", "top": True}, 404),
            ("PUT", LIST, page, 405),
            ("POST", "/api/core/unknown", {}, 404),
        )
    )
    await tenant.ask(method, path, body, status)


async def cuts(tenant: Tenant, random: Random) -> None:
    """Go in the middle of a request; it has had no effect."""
    chat = random.choice(CHATS)
    wanted = {"appId": APP, "chatId": chat, "top": not tenant.now.pins[chat]}
    content = request("PUT", PIN, wanted, tenant.key)
    connection = await tenant.client.connect()
    connection.send(content[: random.randrange(len(content))])
    await connection.writer.drain()
    connection.drop()
    tenant.cut.append(monotonic())
    await look_at_pins(tenant)


async def ends(tenant: Tenant, _: Random) -> None:
    """Delete the sandbox: its key leads nowhere from then on."""
    await tenant.admin("DELETE", "")
    answer = await tenant.client.ask("POST", LIST, {}, key=tenant.key)
    expect(answer.status == 401, 401, answer)

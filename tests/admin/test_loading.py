"""Large documents are loaded by processes of their own, which harm nobody."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import httpx2
import msgspec
import pytest

from mock_server import MockServer
from mock_server.admin.loading import Loader, SentFixture
from mock_server.api.errors import BadFixture
from mock_server.api.fixture_loading import load_fixture
from mock_server.api.slices import run_soon
from mock_server.domain.access import Caller
from mock_server.domain.call import Call
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import DEFAULT_LIMITS, Limits
from mock_server.domain.listing.list_v2 import list_v2
from mock_server.domain.listing.request import ListV2
from mock_server.domain.memory import Memory
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.storage.store import Store
from mock_server.fixture.dump import to_document
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.process.messages import End, pack
from mock_server.fixture.process.worker import LoadTask, write_block
from tests.large import document, is_alive, large, loading, pids, put
from tests.process import serving
from tests.support import fetch, load_text, wait
from tests.wire.sockets import connect

MIDDLE = document(3_000)
LONG, CHUNKED = "Content-Length: 30000000", "Transfer-Encoding: chunked"
BEGUN = b"c350\r\n" + b" " * 50_000


@pytest.fixture
def server() -> Iterator[MockServer]:
    with MockServer() as running:
        yield running


async def stay() -> None:
    """A client that does not go."""
    await asyncio.Event().wait()


def load(
    content: bytes, memory: Memory | None = None, limits: Limits = Limits()
) -> FixtureData:
    upload = SentFixture(content, content.startswith(b"{"), "name", stay)
    return asyncio.run(Loader(memory or Memory(), limits).load(upload))


def get(server: MockServer, path: str) -> httpx2.Response:
    return fetch("GET", f"{server.url}/__admin{path}")


@pytest.mark.ci
def test_others_are_served_while_documents_are_loaded(server: MockServer) -> None:
    with loading(server, DEFAULT_LIMITS.loads) as puts:
        assert get(server, "/clock").status_code == 200
        assert put(server.url, b'{"apps": []}').status_code == 200
        assert not any(each.done() for each in puts)
    assert [each.result().status_code for each in puts] == [200, 200]


@pytest.mark.ci
def test_one_too_many_is_503_before_its_body_is_read(server: MockServer) -> None:
    address = urlsplit(server.url)
    with (
        loading(server, DEFAULT_LIMITS.loads),
        socket.create_connection((address.hostname, address.port or 0), 30) as client,
    ):
        client.sendall(
            b"PUT /__admin/state HTTP/1.1\r\nHost: x\r\n"
            b"Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"
        )
        answer = client.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"retry-after: 1\r\n" in answer
    assert b'"serverBusy"' in answer


@pytest.mark.ci
def test_a_process_that_is_killed_is_told_and_changes_nothing(
    server: MockServer,
) -> None:
    before = get(server, "/state").content
    with loading(server) as (asked,):
        os.kill(pids(server)[0], signal.SIGKILL)
    assert asked.result().status_code == 400
    assert "can be loaded" in asked.result().json()["message"]
    assert get(server, "/state").content == before
    assert server.app.loader.processes == set()


def test_a_client_that_goes_ends_the_process(server: MockServer) -> None:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port or 0), 30) as client:
        client.sendall(
            b"PUT /__admin/state HTTP/1.1\r\nHost: x\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % len(large())
        )
        client.sendall(large())
        (pid,) = wait(lambda: pids(server))
    wait(lambda: not is_alive(pid))
    assert server.sandbox.state.generation == 1


@pytest.mark.ci
def test_a_state_for_a_sandbox_that_is_gone_is_for_no_other(
    server: MockServer,
) -> None:
    one = f"{server.url}/__admin/sandboxes"
    fetch("POST", one, json={"name": "s"})
    with loading(server, sandbox="/sandboxes/s") as (asked,):
        fetch("DELETE", f"{one}/s")
        fetch("POST", one, json={"name": "s"})
    assert asked.result().json()["statusText"] == "sandboxNotFound"
    assert get(server, "/sandboxes/s/health").json()["generation"] == 1


@pytest.mark.ci
def test_a_large_state_of_a_new_sandbox_is_loaded_too(server: MockServer) -> None:
    body = b'{"name": "s", "state": %b}' % MIDDLE
    path = f"{server.url}/__admin/sandboxes"
    made = fetch(
        "POST", path, content=body, headers={"Content-Type": "application/json"}
    )
    assert made.status_code == 201
    fixture = get(server, "/sandboxes/s/health").json()["fixture"]
    assert (fixture["files"], fixture["collections"]) == (["state"], 3_000)


YAML = b"""
datasets:
- {id: d, permissions: {k: read}, collections: [{name: "A {n}", repeat: 2500}]}
keys: [{key: k, member: m, permission: none}]
clock: 2026-01-01T00:00:00Z
"""


@pytest.mark.parametrize(
    "content", [pytest.param(MIDDLE, marks=pytest.mark.ci), YAML, b'{"apps": []}']
)
def test_what_a_process_loads_is_what_is_loaded_in_place(content: bytes) -> None:
    there = load(content)
    here = load_text(content, "state", is_json=content.startswith(b"{"))
    assert to_document(Store(there)) == to_document(Store(here))
    assert (there.sha256, there.size) == (here.sha256, here.size)


@pytest.mark.ci
def test_the_end_of_what_a_process_has_loaded_comes_too() -> None:
    command = [sys.executable, "-m", "mock_server.api.fixture_loading"]
    env = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        task = LoadTask([("x", True, None)], order="name", memory=2**40)
        write_block(process.stdin, msgspec.msgpack.encode(task))
        write_block(process.stdin, b"{}")
        process.stdin.flush()
        # So short that all of it waits in the buffer of the process.
        assert process.stdout.read().endswith(pack(End()))


@pytest.mark.ci
def test_problems_of_large_documents_are_those_of_small_ones() -> None:
    content = MIDDLE.replace(b'"name"', b'"nam"')
    with pytest.raises(FixtureError) as here:
        load_text(content, "state", is_json=True)
    with pytest.raises(BadFixture) as there:
        load(content)
    first, *_ = here.value.problems
    assert str(first) in there.value.message
    assert f"and {len(here.value.problems) - 20} more" in there.value.message


@pytest.mark.ci
@pytest.mark.parametrize("content", [MIDDLE, b'{"apps": [{"id": "a"}]}'])
def test_what_is_over_the_budget_is_refused(content: bytes) -> None:
    memory = Memory(Limits(memory_bytes=512))
    with pytest.raises(LimitReached, match=r"at most \d+ (bytes|KiB) of memory in use"):
        load(content, memory)
    assert memory.used == 0


@pytest.mark.ci
def test_a_state_is_charged_as_long_as_somebody_holds_it() -> None:
    memory = Memory()
    generation = load(MIDDLE, memory)
    assert memory.usage()["states"] == generation.size > 1_000_000
    del generation
    assert memory.used == 0


@pytest.mark.ci
def test_loading_ends_after_its_time() -> None:
    with pytest.raises(BadFixture, match=r"loads within 0.1 s"):
        load(large(), limits=Limits(load_seconds=0.1))


@pytest.mark.ci
def test_huge_repeats_are_refused_at_once(server: MockServer) -> None:
    entry = "{name: '%s{n}', repeat: 20000, children: [{name: x, repeat: 90}]}"
    content = "datasets: [{id: d, collections: [%s]}]" % (entry % ("x" * 400))
    path = f"{server.url}/__admin/state"
    headers = {"Content-Type": "application/yaml"}
    answer = fetch("PUT", path, content=content, headers=headers)
    assert (answer.status_code, answer.json()["statusText"]) == (409, "limitReached")
    assert "--memory" in answer.json()["message"]


@pytest.mark.ci
@pytest.mark.parametrize("content", [MIDDLE, document(9)])
def test_a_replaced_state_is_gone_at_once(server: MockServer, content: bytes) -> None:
    assert put(server.url, content).status_code == 200
    asked = ListV2("d", 0, 10, search_text="x")
    list_v2(Call.for_caller(server.sandbox.state, Caller("k")), asked)
    gc.collect()
    gc.disable()
    try:
        baseline = server.sandbox.baseline
        listing = baseline.datasets["d"].tree.listing(None, "update_time_desc")
        old = weakref.ref(baseline), weakref.ref(listing)
        del baseline, listing
        assert put(server.url, content).status_code == 200
        assert [each() for each in old] == [None, None]
    finally:
        gc.enable()


@pytest.mark.ci
def test_a_process_ends_with_its_orders() -> None:
    command = [sys.executable, "-m", "mock_server.api.fixture_loading"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        task = LoadTask([("x", True, None)], order="name", memory=2**40)
        write_block(process.stdin, msgspec.msgpack.encode(task))
        write_block(process.stdin, large())
        process.stdin.close()  # nobody reads what it would write
        assert process.wait(30) == 1


@pytest.mark.ci
@pytest.mark.parametrize("framing", [LONG, CHUNKED])
@pytest.mark.parametrize("begin", [b"", BEGUN])
def test_documents_that_never_come_keep_none_from_loading(
    server: MockServer, framing: str, begin: bytes
) -> None:
    head = f"PUT /__admin/state HTTP/1.1\r\nHost: localhost\r\n{framing}\r\n"
    request = f"{head}Content-Type: application/json\r\n\r\n".encode() + begin
    with ExitStack() as stalled:
        for _ in range(DEFAULT_LIMITS.loads):
            client = stalled.enter_context(connect(server.url))
            client.sendall(request)
        assert put(server.url, MIDDLE).status_code == 200


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="no /proc here")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.ci
def test_a_server_that_ends_leaves_no_process(how: signal.Signals) -> None:
    with serving("--port=0") as (url, process), ThreadPoolExecutor() as pool:
        asked = [pool.submit(put, url, large()) for _ in range(DEFAULT_LIMITS.loads)]
        children = wait(
            lambda: found if len(found := offspring(process.pid)) == 2 else []
        )
        process.send_signal(how)
        process.wait(timeout=30)
        wait(lambda: not any(map(is_alive, children)))
        if how == signal.SIGTERM:
            assert process.returncode == 0
            assert {each.result().status_code for each in asked} == {503}
        else:
            assert all(isinstance(each.exception(), httpx2.HTTPError) for each in asked)


def offspring(pid: int) -> list[int]:
    """The processes that a process has started."""
    found: list[int] = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children") as file:
                found += map(int, file.read().split())
        except OSError:
            continue  # a thread that has ended
    return found


async def turns_to_free(collections: int) -> int:
    """How many turns of the loop others have while so many are freed."""
    memory = Memory()
    memory.run_soon = run_soon
    part = load_fixture(msgspec.json.decode(document(collections)))
    memory.charge_shared(part)
    del part
    turns = 0
    while turns == 0 or len(asyncio.all_tasks()) > 1:
        await asyncio.sleep(0)
        turns += 1
    return turns


@pytest.mark.ci
def test_what_nobody_refers_to_is_freed_while_others_are_served() -> None:
    few, many = (asyncio.run(turns_to_free(size)) for size in (2_000, 200_000))
    assert many >= few + 10

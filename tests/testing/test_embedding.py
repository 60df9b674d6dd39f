"""The server inside a program: beside others, under any loop, gone without trace."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress

import httpx2
import pytest

from mock_server import Fault, MockServer, create_app
from mock_server.domain.limits import Limits
from tests.support import APP, CHAT, DATASET, LIBRARY, LIST, PIN, SECONDS, fetch, wait


def pin(server: MockServer, top: bool = True) -> int:
    body = {"appId": APP, "chatId": CHAT, "top": top}
    headers = {"Authorization": f"Bearer {server.key}"}
    return fetch("PUT", server.url + PIN, json=body, headers=headers).status_code


def try_to_pin(server: MockServer) -> None:
    with pytest.raises(httpx2.TransportError):
        pin(server)


def is_pinned(server: MockServer) -> bool:
    chat = server.sandbox.chat(APP, CHAT)
    return chat is not None and chat.top


def test_several_servers_are_apart() -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(MockServer(LIBRARY)) for _ in range(4)]
        assert len({server.url for server in servers}) == 4
        assert pin(servers[2]) == 200
        assert [is_pinned(each) for each in servers] == [False, False, True, False]


def test_the_sandbox_is_steered_directly() -> None:
    with MockServer(LIBRARY) as server:
        server.sandbox.faults.add(Fault.of("error", status=502, times=1))
        assert [pin(server), pin(server)] == [502, 200]
        before = server.sandbox.take_snapshot("before").generation
        server.sandbox.reset()
        assert not is_pinned(server)
        server.sandbox.restore("before")
        assert is_pinned(server)
        assert (before, server.sandbox.state.generation) == (1, 3)
        assert len(server.sandbox.journal) == 0


def test_a_reset_from_another_thread_is_safe_under_load() -> None:
    with MockServer(LIBRARY) as server:
        statuses: set[int] = set()
        going = True

        def call() -> None:
            while going:
                statuses.add(pin(server))

        threads = [threading.Thread(target=call) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(300):
            server.sandbox.reset()
        going = False
        for thread in threads:
            thread.join()
        server.sandbox.reset()
        assert (statuses, is_pinned(server)) == ({200}, False)


def test_generation_numbers_of_resets_from_many_threads_are_exact() -> None:
    sandbox = MockServer(LIBRARY).sandbox

    def reset() -> None:
        for _ in range(500):
            sandbox.reset()

    threads = [threading.Thread(target=reset) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sandbox.state.generation == 2_001


def test_what_a_fault_holds_up_does_not_hold_up_the_end() -> None:
    with MockServer(LIBRARY) as server:
        server.sandbox.faults.add(Fault.of("hang"))
        calling = threading.Thread(target=try_to_pin, args=(server,))
        calling.start()
        wait(lambda: server.sandbox.state.waits)
        state = server.sandbox.state
    calling.join()
    assert not state.waits


def test_signal_handlers_stay_as_they_are() -> None:
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    with MockServer(LIBRARY) as server:
        assert pin(server) == 200
        during = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    assert during == before


def test_no_thread_is_left(request: pytest.FixtureRequest) -> None:
    del request
    before = set(threading.enumerate())
    with MockServer(LIBRARY):
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) <= before


def test_a_running_loop_does_not_mind() -> None:
    async def main() -> int:
        with MockServer(LIBRARY) as server:
            return await asyncio.to_thread(pin, server)

    assert asyncio.run(main()) == 200


def selector_loop() -> asyncio.AbstractEventLoop:
    return asyncio.SelectorEventLoop()


@pytest.mark.ci
@pytest.mark.parametrize("factory", [selector_loop, asyncio.new_event_loop])
def test_any_kind_of_loop_does(
    factory: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    async def main() -> int:
        with MockServer(LIBRARY) as server:
            async with httpx2.AsyncClient(
                base_url=server.url, timeout=SECONDS
            ) as client:
                body = {"appId": APP, "chatId": CHAT, "top": True}
                headers = {"Authorization": f"Bearer {server.key}"}
                return (await client.put(PIN, json=body, headers=headers)).status_code

    with asyncio.Runner(loop_factory=factory) as runner:
        assert runner.run(main()) == 200


def test_a_server_can_be_started_again_and_keeps_its_state() -> None:
    server = MockServer(LIBRARY)
    with server:
        pin(server)
    with server:
        assert is_pinned(server)
        assert pin(server, top=False) == 200
        path = server.url + "/__admin/journal/stream?since=1"
        with httpx2.stream("GET", path, timeout=SECONDS) as answer:
            assert "event: entry" in answer.iter_lines()


def test_a_reset_ends_what_waits_in_a_loop_that_was_closed() -> None:
    app = create_app(LIBRARY)
    sandbox, loop = app.sandboxes.default, asyncio.new_event_loop()
    sandbox.faults.add(Fault.of("delay", ms=20_000))
    transport = httpx2.ASGITransport(app)
    client = httpx2.AsyncClient(transport=transport, base_url="http://localhost")
    body = {"offset": 0, "datasetId": DATASET}
    headers = {"Authorization": "Bearer any"}
    call = client.post(LIST, json=body, headers=headers)
    waiting = loop.create_task(call)
    while not sandbox.state.waits:
        loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    sandbox.reset()
    assert (sandbox.state.generation, waiting.done()) == (2, False)
    with suppress(RuntimeError):  # as when the interpreter ends
        call.close()


def test_no_violation_is_sure_only_if_the_journal_is_whole() -> None:
    with MockServer(LIBRARY, limits=Limits(journal_entries=2)) as server:
        fetch("PUT", server.url + PIN, json={"nonsense": 1})
        for _ in range(2):
            pin(server)
        with pytest.raises(AssertionError, match="dropped 1"):
            server.control.assert_no_violations()
        server.control.assert_no_violations(since=2)

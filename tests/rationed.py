"""A server whose memory ends at each place where a request asks for more."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import httpx2

from mock_server.app import Application
from mock_server.domain.memory import Memory
from tests.in_process import InProcess
from tests.support import Api

Ask = Callable[[Api], httpx2.Response]


def answers_with_less(
    make: Callable[[], Api], ask: Ask
) -> Iterator[tuple[Api, httpx2.Response]]:
    """The answers where a byte is wanting for a demand, of each; last that of enough.

    Each is of a server of its own, which has enough again when it is given.
    """
    full = make()
    memory, needs = _memory_of(full), set[int]()
    start, checked = memory.used, memory.check_room

    def note(size: int, place: str) -> None:
        needs.add(memory.used + size - start)
        checked(size, place)

    memory.check_room = note  # type: ignore[method-assign]
    answer = ask(full)
    memory.check_room = checked  # type: ignore[method-assign]
    for need in sorted(needs):
        api = make()
        short = _memory_of(api)
        limit, short.limit = short.limit, short.used + need - 1
        refused = ask(api)
        short.limit = limit
        yield api, refused
    yield full, answer


def _memory_of(api: Api) -> Memory:
    assert isinstance(api.client, InProcess)
    assert isinstance(api.client.app, Application)
    return api.client.app.sandboxes.memory

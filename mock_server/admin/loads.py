"""Documents become states while others are served, and never at any price.

Small ones are loaded in place. Large ones are loaded by a process of their own: few at
a time, for a bounded time, and until the client or the server goes.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.request import ClientGone
from mock_server.domain.errors import LimitReached
from mock_server.domain.index import Order
from mock_server.domain.limits import LIMITS
from mock_server.domain.memory import Holding, Memory
from mock_server.domain.store import Generation
from mock_server.fixture.child import Child
from mock_server.fixture.load import Draft, draft
from mock_server.fixture.parcels import (
    Assembly,
    End,
    Estimated,
    Problems,
    TooMuch,
    unpacked,
)
from mock_server.fixture.problems import FixtureError, Problem
from mock_server.fixture.worker import Job

_NAME = "state"
_SHOWN_PROBLEMS = 20
_MIB = 1024 * 1024
_CHILD_BYTES = 1024 * _MIB
_CHILD_SHARE = 4
_GONE, _LATE, _STOPPED = "client gone", "too late", "server stopped"

_HAS_PYTHON = bool(sys.executable) and not getattr(sys, "frozen", False)
"""Whether there is an interpreter to start: not in every program that embeds one."""

Gone = Callable[[], Awaitable[object]]
"""Waits until the client has gone."""


class Document(Struct, frozen=True):
    """A document to load: its notation, the order to sort by, and its client."""

    content: bytes
    is_json: bool
    order: Order
    gone: Gone

    @property
    def is_large(self) -> bool:
        """Whether it takes a process of its own to read it."""
        return len(self.content) > LIMITS.inline_load_bytes


class Loads:
    """All documents that a server loads now. Closing it ends them.

    Of large ones there are as many as there are `places`, each for so many `seconds`.
    """

    def __init__(
        self,
        memory: Memory,
        places: int = LIMITS.loads,
        seconds: float = LIMITS.load_seconds,
    ) -> None:
        self._memory = memory
        self._seconds = seconds
        self._places = places
        self.children: set[Child] = set()
        """The processes that load documents now."""

    @contextmanager
    def place(self) -> Iterator[None]:
        """One of the places for large documents. Raises ServerBusy."""
        if self._places == 0:
            expected = f"at most {LIMITS.loads} large documents at the same time"
            raise ServerBusy(expected, "one more", "body", "try again")
        self._places -= 1
        try:
            yield
        finally:
            self._places += 1

    def close(self) -> None:
        """End all of them."""
        for child in tuple(self.children):
            child.end(_STOPPED)

    async def load(self, document: Document, *, has_place: bool = False) -> Generation:
        """The generation of a document, sorted; its memory is charged from now on.

        Raises BadFixture, LimitReached, ServerBusy, and ClientGone.
        """
        try:
            if not document.is_large or not _HAS_PYTHON:
                found = draft(document.content, _NAME, is_json=document.is_json)
                if _is_small(found) or not _HAS_PYTHON:
                    return self._built(found, document.order)
            if has_place:
                return await self._in_child(document)
            with self.place():
                return await self._in_child(document)
        except FixtureError as error:
            raise _refusal(error.problems) from None

    def _built(self, found: Draft, order: Order) -> Generation:
        """What a draft becomes in place. Raises LimitReached, FixtureError."""
        self._memory.check_room(found.size, "body")
        generation = found.build()
        generation.sort(order)
        self._memory.keep(generation)
        return generation

    async def _in_child(self, document: Document) -> Generation:
        allowed = _CHILD_BYTES + _CHILD_SHARE * self._memory.limit
        job = Job(_NAME, document.is_json, document.order, allowed)
        child = Child(job, document.content)
        late = asyncio.get_running_loop().call_later(self._seconds, child.end, _LATE)
        # A coroutine of ours, for create_task takes nothing else.
        gone = asyncio.create_task(_wait(document.gone))
        gone.add_done_callback(lambda _: child.end(_GONE))
        self.children.add(child)
        try:
            return await self._assembled(child)
        finally:
            self.children.discard(child)
            late.cancel()
            child.end("done")
            gone.cancel()

    async def _assembled(self, child: Child) -> Generation:
        """What a child has loaded. Raises as `load` does."""
        assembly, holding = Assembly(), Holding(self._memory, "states")
        problems: list[Problem] = []
        async for parcel in child.parcels():
            for part in unpacked(parcel):
                match part:
                    case Estimated(size=size):
                        holding.reserve(size, "body")
                    case Problems():
                        problems.extend(part.problems)
                    case TooMuch():
                        raise _needs_too_much(self._memory)
                    case End() if problems:
                        raise FixtureError(problems)
                    case End():
                        generation = assembly.generation()
                        self._memory.keep(generation, holding)
                        return generation
                    case _:
                        assembly.add(part)
        raise self._cut_short(child)

    def _cut_short(self, child: Child) -> Exception:
        """Why a child has ended before its time."""
        if child.ended == _GONE:
            return ClientGone()
        if child.ended == _STOPPED:
            return ServerBusy("a server that goes on", "one that stops", "server")
        if child.ended == _LATE:
            expected = f"a document that loads within {self._seconds:g} s"
            return BadFixture(expected, "one that takes longer", "body")
        if child.pid is None:
            return ServerBusy("a process to load it", "none", "server", "try again")
        expected = "a document that can be loaded"
        return BadFixture(expected, "one of which the loading was ended", "body")


async def _wait(gone: Gone) -> None:
    await gone()


def _is_small(found: Draft) -> bool:
    estimate = found.estimate
    records = estimate.collections + estimate.chats
    is_short = estimate.bytes <= LIMITS.inline_load_size
    return is_short and records <= LIMITS.inline_load_collections


def _refusal(problems: list[Problem]) -> BadFixture:
    told = [str(problem) for problem in problems[:_SHOWN_PROBLEMS]]
    more = len(problems) - len(told)
    text = "; ".join(told) + (f"; and {more} more" if more > 0 else "")
    return BadFixture("a fixture document", "one with problems", "body", text)


def _needs_too_much(memory: Memory) -> LimitReached:
    expected = "a document that can be loaded with the memory there is"
    hint = f"start with more --memory than {memory.limit / _MIB:,.1f} MiB"
    return LimitReached(expected, "one that needs more", "body", hint)

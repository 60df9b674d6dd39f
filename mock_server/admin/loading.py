"""Loads documents that clients send, and the server's files anew, amid requests.

Small documents are loaded in place. A large one is loaded by a process of its own: few
at the same time, for a bounded time, and no longer than the client and the server stay.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count

from msgspec import Struct

from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.operations.operation import Operations
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.request import ClientGone
from mock_server.api.served import ServedOperations
from mock_server.domain.errors import LimitReached
from mock_server.domain.generation import Generation
from mock_server.domain.index import Order
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Holding, Memory
from mock_server.domain.printable import size_text
from mock_server.fixture import parcels
from mock_server.fixture.assembly import Assembly
from mock_server.fixture.child import Child
from mock_server.fixture.files import Content
from mock_server.fixture.load import Draft, draft
from mock_server.fixture.problems import FixtureError, Problem
from mock_server.fixture.worker import Job
from mock_server.validation.walk import Path

_NAME = "state"
"""What problems call the document, in the place of a file name."""
SHOWN_PROBLEMS = 20
_FREED_AT_ONCE = 2_000
_SETTLED_AT_ONCE = 32
"""Parcels between two calls of `on_growth`."""
_MIB = 1024 * 1024
# A process needs several times the memory of the generation that it makes.
_CHILD_BYTES, _CHILD_SHARE = 1024 * _MIB, 4
_GONE, _LATE, _STOPPED = "client gone", "too late", "server stopped"

# A program that embeds one (such as a frozen one) has no interpreter to start: it
# loads everything in place.
_HAS_PYTHON = bool(sys.executable) and not getattr(sys, "frozen", False)


class Upload(Struct, frozen=True):
    """A fixture document that a client has sent, and the order to sort it by.

    `disconnected` waits until the client has gone. Where only a part of it is the
    client's, `part` leads there, and `what` says what that is.
    """

    content: bytes
    is_json: bool
    order: Order
    disconnected: Callable[[], Awaitable[object]]
    part: Path = ()
    what: str = "a fixture document"


class Loader:
    """Makes generations of documents; `close` ends what is being loaded."""

    def __init__(
        self,
        memory: Memory,
        limits: Limits,
        free_slots: int | None = None,
        operations: Operations = OPERATIONS,
    ) -> None:
        """`free_slots` are those for large documents, by default `limits.loads`.

        Faults may be for `operations`, whose paths are taken; in large documents for
        the shipped ones.
        """
        self._served = ServedOperations(operations)
        self._memory = memory
        self._limits = limits
        self._free_slots = limits.loads if free_slots is None else free_slots
        self.children: set[Child] = set()
        """The processes that are loading documents now."""
        self.on_growth: Callable[[], object] = lambda: None
        """Called again and again while a large document is loaded.

        A process that is a server and no more can have the collector of garbage pass
        over what there is by then, which stays: to look through a dictionary of 180,000
        collections takes 20 ms.
        """

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold one of the slots for large documents. Raises ServerBusy."""
        if self._free_slots == 0:
            expected = f"at most {self._limits.loads} large documents at the same time"
            raise ServerBusy(expected, "one more", "body", "try again")
        self._free_slots -= 1
        try:
            yield
        finally:
            self._free_slots += 1

    def close(self) -> None:
        """End all processes."""
        for child in tuple(self.children):
            child.end(_STOPPED)

    async def load(self, upload: Upload, *, has_slot: bool = False) -> Generation:
        """The generation of a document, sorted; its memory is charged on return.

        A large one takes a slot unless the caller holds one (`has_slot`). Raises
        BadFixture, LimitReached, ServerBusy, and ClientGone.
        """
        is_large = len(upload.content) > self._limits.inline_load_bytes
        contents = [Content(_NAME, upload.is_json, upload.content)]
        try:
            if not is_large or not _HAS_PYTHON:
                found = draft(contents, self._limits, self._served, upload.part)
                # Looked at twice: with `repeat`, a short text makes a large state.
                # Then the draft is dropped, and a process begins again.
                if self._is_small(found) or not _HAS_PYTHON:
                    generation = self._built(found, upload.order)
                    self._memory.keep(generation)
                    return generation
            asked = contents, upload.order, upload.disconnected, upload.part
            if has_slot:
                return await self._load_in_child(*asked)
            # No slot was taken by its size: it is the state of a new sandbox, or has
            # grown large by `repeat`.
            with self.slot():
                return await self._load_in_child(*asked)
        except FixtureError as error:
            raise _refusal(upload, error.problems) from None

    async def load_files(self, contents: Sequence[Content], order: Order) -> Generation:
        """The generation of files together, as `load` makes it, never on the loop.

        It takes no slot: a server loads its own files one time after the other. Raises
        FixtureError, and what `load` does.
        """
        if _HAS_PYTHON:
            forever = asyncio.Event().wait
            return await self._load_in_child(contents, order, forever)
        found = await asyncio.to_thread(draft, contents, self._limits, self._served)
        generation = await asyncio.to_thread(self._built, found, order)
        self._memory.keep(generation)
        return generation

    def _is_small(self, found: Draft) -> bool:
        """Whether what a draft will take is within the limits for loading in place."""
        estimate, limits = found.estimate, self._limits
        records = estimate.collections + estimate.chats
        is_light = estimate.bytes <= limits.inline_load_size
        return is_light and records <= limits.inline_load_collections

    def _built(self, found: Draft, order: Order) -> Generation:
        """The generation, sorted. Raises LimitReached and FixtureError."""
        self._memory.check_room(found.size, "body")
        generation = found.build()
        generation.prepare(order)
        return generation

    async def _load_in_child(
        self,
        contents: Sequence[Content],
        order: Order,
        disconnected: Callable[[], Awaitable[object]],
        part: Path = (),
    ) -> Generation:
        """Raises FixtureError, and what `load` does."""
        allowed = _CHILD_BYTES + _CHILD_SHARE * self._memory.limit
        names = [(each.name, each.is_json, each.folder) for each in contents]
        job = Job(names, order, allowed, self._limits, part)
        child = Child(job, [each.content for each in contents])
        loop, seconds = asyncio.get_running_loop(), self._limits.load_seconds
        late = loop.call_later(seconds, child.end, _LATE)
        # create_task takes a coroutine; that `disconnected` gives one is not said.
        gone = asyncio.create_task(_wait(disconnected))
        gone.add_done_callback(lambda _: child.end(_GONE))
        self.children.add(child)
        try:
            return await self._assemble(child)
        finally:
            self.children.discard(child)
            late.cancel()
            child.end("done")
            gone.cancel()

    async def _assemble(self, child: Child) -> Generation:
        """Put together what a child sends. Raises as `_load_in_child` does."""
        # What is reserved needs no release: a holding gives it back once nobody refers
        # to it, also after an error.
        assembly = Assembly(self._served)
        holding = Holding(self._memory, "states")
        problems: list[Problem] = []
        numbers = count(1)
        async for parcel in child.parcels():
            if next(numbers) % _SETTLED_AT_ONCE == 0:
                self.on_growth()
            for part in parcels.unpacked(parcel):
                match part:
                    case parcels.Estimated(size=size):
                        # Before the parts come, which must not fill the memory.
                        holding.reserve(size, "body")
                    case parcels.Problems():
                        problems.extend(part.problems)
                    case parcels.TooMuch():
                        raise _needs_too_much(self._memory)
                    case parcels.End() if problems:
                        raise FixtureError(problems)
                    case parcels.End():
                        generation = assembly.generation()
                        self.on_growth()
                        self._memory.keep(generation, holding)
                        return generation
                    case _:
                        assembly.add(part)
        raise self._cut_short(child)

    def _cut_short(self, child: Child) -> Exception:
        """What to raise for a child that has ended before its work was done."""
        if child.ended == _GONE:
            return ClientGone()
        if child.ended == _STOPPED:
            return ServerBusy("a server that goes on", "one that stops", "server")
        if child.ended == _LATE:
            seconds = self._limits.load_seconds
            expected = f"a document that loads within {seconds:g} s"
            return BadFixture(expected, "one that takes longer", "body")
        if child.pid is None:
            return ServerBusy("a process to load it", "none", "server", "try again")
        # Killed from outside: most likely by the system, for want of memory.
        expected = "a document that can be loaded"
        return BadFixture(expected, "one of which the loading was ended", "body")


def held_by(generation: Generation) -> list[object]:
    """Records that would all be freed at once with a generation: for `forget`."""
    return list(generation.records(_FREED_AT_ONCE))


async def forget(held: list[object]) -> None:
    """Let go of what is in a list, which nobody else has.

    To free a million records takes long: others are served in between.
    """
    while held:
        del held[-1]
        await asyncio.sleep(0)


async def _wait(disconnected: Callable[[], Awaitable[object]]) -> None:
    await disconnected()


def _refusal(upload: Upload, problems: list[Problem]) -> BadFixture:
    shown = [str(problem) for problem in problems[:SHOWN_PROBLEMS]]
    more = len(problems) - len(shown)
    text = "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
    return BadFixture(upload.what, "one with problems", "body", text)


def _needs_too_much(memory: Memory) -> LimitReached:
    expected = "a document that can be loaded with the memory there is"
    hint = f"start with more --memory than {size_text(memory.limit)}"
    return LimitReached(expected, "one that needs more", "body", hint)

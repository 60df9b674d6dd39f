"""Loads documents that clients send, and the server's files anew, amid requests.

Small documents are loaded in place. A large one is loaded by a process of its own: few
at the same time, for a bounded time, and no longer than the client and the server stay.
"""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import IO, Any
from weakref import finalize

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.fixture_loading import ServedOperations
from mock_server.api.request import ClientGone
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Holding, Memory
from mock_server.domain.objects.fixture_data import Generation
from mock_server.domain.objects.index import Order
from mock_server.domain.printable import size_text
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.validation.walk import Path
from mock_server.fixture.load import Draft, draft
from mock_server.fixture.problems import FixtureError, Problem
from mock_server.fixture.process import parcels
from mock_server.fixture.process.assembly import Assembly
from mock_server.fixture.process.worker import Job, read_block, write_block
from mock_server.fixture.source.files import Content

_NAME = "state"
"""What problems call the document, in the place of a file name."""
SHOWN_PROBLEMS = 20
_SETTLED_AT_ONCE = 32
"""Parcels between two calls of `on_growth`."""
_FREED_AT_ONCE = 2_000
_MIB = 1024 * 1024
# A process needs several times the memory of the generation that it makes.
_CHILD_BYTES, _CHILD_SHARE = 1024 * _MIB, 4

# A program that embeds one (such as a frozen one) has no interpreter to start: it
# loads everything in place.
_HAS_PYTHON = bool(sys.executable) and not getattr(sys, "frozen", False)
# Isolated from the working folder (-P), which could hold modules of the same names.
_COMMAND = ("-P", "-m", "mock_server.api.fixture_loading")

Wait = Callable[[], Coroutine[Any, Any, object]]
"""Waits until something has happened."""
_STOPPED = partial(ServerBusy, "a server that goes on", "one that stops", "server")


class Upload(Struct, frozen=True):
    """A fixture document that a client has sent, and the order to sort it by.

    `disconnected` waits until the client has gone. Where only a part of it is the
    client's, `part` leads there, and `what` says what that is.
    """

    content: bytes
    is_json: bool
    order: Order
    disconnected: Wait
    part: Path = ()
    what: str = "a fixture document"


class Child:
    """A process that loads documents; `worker.main` is what runs in it.

    A thread of its own talks with it, and ends with it: asyncio's subprocesses would
    need a loop that watches children, which not every loop in every thread does.
    """

    def __init__(self, job: Job, contents: Sequence[bytes]) -> None:
        """`contents` are the documents that `job` names."""
        self.why: Callable[[], Exception] = _killed
        """Makes what to raise if the process ends before its work is done."""
        self.process: subprocess.Popen[bytes] | None = None
        """The process, once it runs."""
        self._job = msgspec.msgpack.encode(job)
        self._contents = contents
        self._is_ended = False
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "load")

    def end(self, why: Callable[[], Exception]) -> None:
        """End the process at once; the first reason counts."""
        with self._lock:
            if not self._is_ended:
                self._is_ended, self.why = True, why
            if self.process is not None:
                self.process.kill()

    async def parcels(self) -> AsyncIterator[bytes]:
        """The parcels that the process writes, until it ends. Raises ServerBusy."""
        # One at a time: a fast process waits at its pipe, and fills no memory.
        with suppress(OSError, EOFError):
            run, thread = asyncio.get_running_loop().run_in_executor, self._thread
            output = await run(thread, self._output)
            while not self._is_ended:
                yield await run(thread, read_block, output)

    def _output(self) -> IO[bytes]:
        """What the process writes, once it has the documents.

        Raises ServerBusy; OSError and EOFError if it ends meanwhile.
        """
        process = self._started()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        for block in (self._job, *self._contents):
            write_block(process.stdin, block)
        process.stdin.flush()
        return process.stdout

    def _started(self) -> subprocess.Popen[bytes]:
        """Raises ServerBusy, and EOFError if it is to end already."""
        with self._lock:
            if self._is_ended:
                raise EOFError
            try:
                self.process = subprocess.Popen(  # noqa: S603 - this very program
                    [sys.executable, *_COMMAND],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(),
                )
            except OSError:
                expected = "a process to load it"
                raise ServerBusy(expected, "none", "server", "try again") from None
            return self.process

    async def release(self) -> None:
        """Close the pipes of the process, and wait for its end."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    def _close(self) -> None:
        if self.process is not None:
            with suppress(OSError), self.process:  # what it has not taken is lost
                pass


def _killed() -> Exception:
    # From outside: most likely by the system, for want of memory.
    expected = "a document that can be loaded"
    return BadFixture(expected, "one of which the loading was ended", "body")


def _environment() -> dict[str, str]:
    """This process's environment without `MOCK_SERVER_*`, and with its import path."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("MOCK_SERVER_")}
    path = os.pathsep.join(each or os.getcwd() for each in sys.path)
    return own | {"PYTHONPATH": path}


class Loader:
    """Makes generations of documents; `close` ends what is being loaded."""

    def __init__(self, memory: Memory, limits: Limits) -> None:
        self._served = ServedOperations()
        self._memory = memory
        self._limits = limits
        self._free_slots = limits.loads
        self.children: set[Child] = set()
        """The processes that are loading documents now."""
        self.on_growth: Callable[[], object] = lambda: None
        """Called again and again while a large document is loaded.

        A process that is a server and no more can have the collector of garbage pass
        over what there is by then, which stays: to look through a dictionary of 180,000
        collections takes 20 ms.
        """

    def check_slot(self) -> None:
        """Raises ServerBusy if no slot for large documents is free."""
        if self._free_slots == 0:
            expected = f"at most {self._limits.loads} large documents at the same time"
            raise ServerBusy(expected, "one more", "body", "try again")

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold one of the slots for large documents. Raises ServerBusy."""
        self.check_slot()
        self._free_slots -= 1
        try:
            yield
        finally:
            self._free_slots += 1

    def close(self) -> None:
        """End all processes."""
        for child in tuple(self.children):
            child.end(_STOPPED)

    async def load(self, upload: Upload) -> Generation:
        """The generation of a document, sorted; its memory is charged on return.

        A large one takes a slot. Raises BadFixture, LimitReached, ServerBusy, and
        ClientGone.
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
            # Not before the body has come: one that never comes would hold the slot.
            with self.slot():
                return await self._load_in_child(
                    contents, upload.order, upload.disconnected, upload.part
                )
        except FixtureError as error:
            shown = "; ".join(map(str, error.problems[:SHOWN_PROBLEMS]))
            more = len(error.problems) - SHOWN_PROBLEMS
            text = f"{shown}; and {more} more" if more > 0 else shown
            raise BadFixture(upload.what, "one with problems", "body", text) from None

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
        disconnected: Wait,
        part: Path = (),
    ) -> Generation:
        """Raises FixtureError, and what `load` does."""
        allowed = _CHILD_BYTES + _CHILD_SHARE * self._memory.limit
        names = [(each.name, each.is_json, each.folder) for each in contents]
        job = Job(names, order, allowed, self._limits, part)
        child = Child(job, [each.content for each in contents])
        self.children.add(child)
        seconds = self._limits.load_seconds
        expected = f"a document that loads within {seconds:g} s"
        too_late = partial(BadFixture, expected, "one that takes longer", "body")
        late = asyncio.get_running_loop().call_later(seconds, child.end, too_late)
        gone = asyncio.create_task(disconnected())
        gone.add_done_callback(lambda _: child.end(ClientGone))
        try:
            return await self._assemble(child)
        finally:
            late.cancel()
            gone.cancel()
            child.end(_killed)
            self.children.discard(child)
            await child.release()

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
            match parcels.unpacked(parcel):
                case parcels.Estimated(size=size):
                    # Before the rows come, which must not fill the memory.
                    holding.charge(size, "body")
                case parcels.Failed(problems=[]):
                    expected = "a document that can be loaded with the memory there is"
                    hint = (
                        f"start with more --memory than {size_text(self._memory.limit)}"
                    )
                    raise LimitReached(expected, "one that needs more", "body", hint)
                case parcels.Failed(problems=some):
                    problems.extend(some)
                case parcels.Rows() as rows:
                    assembly.add(rows)
                case parcels.End() if problems:
                    raise FixtureError(problems)
                case parcels.End():
                    generation = assembly.generation()
                    await asyncio.to_thread(generation.prepare_changes)
                    self.on_growth()
                    self._memory.keep(generation, holding)
                    return generation
        raise child.why()


def put_baseline(sandbox: Sandbox, baseline: Generation) -> Coroutine[None, None, None]:
    """Replace the baseline of a sandbox, and reset it.

    What this gives frees the former one, and has to be awaited.
    """
    held: list[object] = list(sandbox.baseline.records(_FREED_AT_ONCE))
    sandbox.put_baseline(baseline)
    return _forget(held)


def free_in_parts(part: Generation) -> None:
    """Have what has been loaded freed in parts, once nobody refers to it."""
    loop = asyncio.get_running_loop()
    finalize(part, _free, loop, replace(part)).atexit = False


def _free(loop: asyncio.AbstractEventLoop, holds_the_same: Generation) -> None:
    """For any thread."""
    held: list[object] = list(holds_the_same.records(_FREED_AT_ONCE))
    if not loop.is_closed():
        asyncio.run_coroutine_threadsafe(_forget(held), loop)


async def _forget(held: list[object]) -> None:
    """Let go of what is in a list, which nobody else has.

    To free a million records takes long: others are served in between.
    """
    while held:
        del held[-1]
        await asyncio.sleep(0)

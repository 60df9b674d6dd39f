"""Loads fixtures of clients, and the server's files again, while it serves requests.

Small fixtures are loaded in place. A large one is loaded by a child process: few at the
same time, for a limited time, and while both client and server stay.
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
"""Name of the fixture in problems, in place of a file name."""
SHOWN_PROBLEMS = 20
_SETTLED_AT_ONCE = 32
"""Parcels between two calls of `on_growth`."""
_FREED_AT_ONCE = 2_000
_MIB = 1024 * 1024
# A process needs several times the memory of the generation that it builds.
_CHILD_BYTES, _CHILD_SHARE = 1024 * _MIB, 4

# A program that embeds Python (such as a frozen one) has no interpreter to start, so it
# loads all fixtures in place.
_HAS_PYTHON = bool(sys.executable) and not getattr(sys, "frozen", False)
# Isolated from the working folder (-P), which could hold modules of the same names.
_COMMAND = ("-P", "-m", "mock_server.api.fixture_loading")

Wait = Callable[[], Coroutine[Any, Any, object]]
"""Waits until an event, such as the client's disconnect."""
_STOPPED = partial(ServerBusy, "a server that goes on", "one that stops", "server")


class Upload(Struct, frozen=True):
    """A fixture that a client has sent, and the order to sort it by.

    `disconnected` waits until the client disconnects. If the client has sent only a
    part of the fixture, `part` is the path of that part, and `what` names it.
    """

    content: bytes
    is_json: bool
    order: Order
    disconnected: Wait
    part: Path = ()
    what: str = "a fixture document"


class Child:
    """A process that loads fixtures; it runs `worker.main`.

    A thread talks to the process and ends with it: asyncio's subprocesses would need a
    loop that watches children, which not every loop does.
    """

    def __init__(self, job: Job, contents: Sequence[bytes]) -> None:
        """`contents` are the fixture files that `job` names."""
        self.why: Callable[[], Exception] = _killed
        """Makes the error to raise if the process ends early."""
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
        """Yield the process's parcels until it ends. Raises ServerBusy."""
        # One at a time: a fast process waits at its pipe, so memory does not fill.
        with suppress(OSError, EOFError):
            run, thread = asyncio.get_running_loop().run_in_executor, self._thread
            output = await run(thread, self._output)
            while not self._is_ended:
                yield await run(thread, read_block, output)

    def _output(self) -> IO[bytes]:
        """Return the output of the process after sending the fixtures.

        Raises ServerBusy; OSError or EOFError if the process ends meanwhile.
        """
        process = self._started()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        for block in (self._job, *self._contents):
            write_block(process.stdin, block)
        process.stdin.flush()
        return process.stdout

    def _started(self) -> subprocess.Popen[bytes]:
        """Start and return the process. Raises ServerBusy, EOFError if ended."""
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
        """Close the pipes of the process, and wait until it has ended."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    def _close(self) -> None:
        if self.process is not None:
            with suppress(OSError), self.process:  # unread input is dropped
                pass


def _killed() -> Exception:
    # Killed from outside: probably by the system, because memory ran out.
    expected = "a document that can be loaded"
    return BadFixture(expected, "one of which the loading was ended", "body")


def _environment() -> dict[str, str]:
    """Return the environment without `MOCK_SERVER_*`, with the import path."""
    own = {k: v for k, v in os.environ.items() if not k.startswith("MOCK_SERVER_")}
    path = os.pathsep.join(each or os.getcwd() for each in sys.path)
    return own | {"PYTHONPATH": path}


class Loader:
    """Loads fixtures into generations; `close` ends the loads that are running."""

    def __init__(self, memory: Memory, limits: Limits) -> None:
        self._served = ServedOperations()
        self._memory = memory
        self._limits = limits
        self._free_slots = limits.loads
        self.children: set[Child] = set()
        """The processes that are loading fixtures now."""
        self.on_growth: Callable[[], object] = lambda: None
        """Called repeatedly while a large fixture is loaded.

        A dedicated server process freezes the objects loaded so far, which stay: a pass
        of the garbage collector over a large dictionary takes long.
        """

    def check_slot(self) -> None:
        """Raise ServerBusy if no slot for large fixtures is free."""
        if self._free_slots == 0:
            expected = f"at most {self._limits.loads} large documents at the same time"
            raise ServerBusy(expected, "one more", "body", "try again")

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Hold one of the slots for large fixtures. Raises ServerBusy."""
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
        """Return the sorted generation of a fixture, with its memory charged.

        A large fixture takes a slot. Raises BadFixture, LimitReached, ServerBusy,
        ClientGone.
        """
        is_large = len(upload.content) > self._limits.inline_load_bytes
        contents = [Content(_NAME, upload.is_json, upload.content)]
        try:
            if not is_large or not _HAS_PYTHON:
                found = draft(contents, self._limits, self._served, upload.part)
                # Checked twice: with `repeat`, a short text makes a large state. Then
                # the draft is dropped, and a process starts from the text.
                if self._is_small(found) or not _HAS_PYTHON:
                    generation = self._built(found, upload.order)
                    self._memory.keep(generation)
                    return generation
            # After the body has come: a body that never comes would hold the slot.
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
        """Return the generation of all files, loaded like `load` but off the loop.

        The load takes no slot: a server loads its own files one after the other. Raises
        FixtureError, and the errors of `load`.
        """
        if _HAS_PYTHON:
            forever = asyncio.Event().wait
            return await self._load_in_child(contents, order, forever)
        found = await asyncio.to_thread(draft, contents, self._limits, self._served)
        generation = await asyncio.to_thread(self._built, found, order)
        self._memory.keep(generation)
        return generation

    def _is_small(self, found: Draft) -> bool:
        """Return whether the estimate is within the limits for loading in place."""
        estimate, limits = found.estimate, self._limits
        records = estimate.collections + estimate.chats
        is_light = estimate.bytes <= limits.inline_load_size
        return is_light and records <= limits.inline_load_collections

    def _built(self, found: Draft, order: Order) -> Generation:
        """Build and sort the generation. Raises LimitReached and FixtureError."""
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
        """Load in a process. Raises FixtureError, and the errors of `load`."""
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
        """Build a generation from parcels. Raises as `_load_in_child`."""
        # The charge needs no release: a holding returns its bytes when it is freed,
        # also after an error.
        assembly = Assembly(self._served)
        holding = Holding(self._memory, "states")
        problems: list[Problem] = []
        numbers = count(1)
        async for parcel in child.parcels():
            if next(numbers) % _SETTLED_AT_ONCE == 0:
                self.on_growth()
            match parcels.unpack(parcel):
                case parcels.Estimated(size=size):
                    # Before the rows come: they must fit into the memory.
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

    Returns a coroutine, to be awaited, that frees the former baseline.
    """
    held: list[object] = list(sandbox.baseline.chats_and_collections(_FREED_AT_ONCE))
    sandbox.put_baseline(baseline)
    return _forget(held)


def free_in_parts(part: Generation) -> None:
    """Free a loaded part in slices, once nothing refers to it."""
    loop = asyncio.get_running_loop()
    finalize(part, _free, loop, replace(part)).atexit = False


def _free(loop: asyncio.AbstractEventLoop, holds_the_same: Generation) -> None:
    """Free a copy of the part in slices. May run in any thread."""
    held: list[object] = list(holds_the_same.chats_and_collections(_FREED_AT_ONCE))
    if not loop.is_closed():
        asyncio.run_coroutine_threadsafe(_forget(held), loop)


async def _forget(held: list[object]) -> None:
    """Free the objects of a list, to which nothing else refers.

    Freeing a million records takes long: other requests are served in between.
    """
    while held:
        del held[-1]
        await asyncio.sleep(0)

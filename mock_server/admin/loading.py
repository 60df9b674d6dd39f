"""Loads fixtures while the server serves requests.

Small fixtures are loaded in place, large ones by child processes. The number of these
processes and their time are limited; they end when the client or the server is gone.
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

import msgspec
from msgspec import Struct

from mock_server.api.errors import BadFixture, ServerBusy
from mock_server.api.fixture_loading import ServedOperations
from mock_server.api.request import ClientGone
from mock_server.domain.errors import LimitReached
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Memory, MemoryCharge
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.domain.objects.index import Order
from mock_server.domain.printable import size_text
from mock_server.domain.validation.walk import Path
from mock_server.fixture.load import Draft, read_draft
from mock_server.fixture.problems import FixtureError, Problem
from mock_server.fixture.process import messages
from mock_server.fixture.process.assembly import Assembly
from mock_server.fixture.process.worker import LoadTask, read_block, write_block
from mock_server.fixture.source.files import Content

_NAME = "state"
"""The name of the fixture in problems, in place of a file name."""
MAX_PROBLEMS = 20
_GROWTH_MESSAGES = 32
"""Number of messages between two calls of `on_growth`."""
_MIB = 1024 * 1024
# A process needs several times the memory of the fixture data that it builds.
_CHILD_BYTES, _CHILD_SHARE = 1024 * _MIB, 4

# Without a Python interpreter to start, as in a frozen program, all fixtures are loaded
# in place.
_HAS_PYTHON = bool(sys.executable) and not getattr(sys, "frozen", False)
# -P excludes the working folder, which could contain modules of the same names.
_COMMAND = ("-P", "-m", "mock_server.api.fixture_loading")

Wait = Callable[[], Coroutine[Any, Any, object]]
"""A function that waits for an event, such as the client's disconnect."""
_STOPPED = partial(ServerBusy, "a running server", "one that is stopping", "server")


_LINES_HINT = "has curl -d joined the lines? --data-binary @FILE keeps them"


class SentFixture(Struct, frozen=True):
    """A fixture that a client has sent, and the order to sort it by.

    `wait_for_disconnect` returns when the client has disconnected. If the client has
    sent only a part of the fixture, `part_path` is its path, and messages call it
    `noun`.
    """

    content: bytes
    is_json: bool
    order: Order
    wait_for_disconnect: Wait
    part_path: Path = ()
    noun: str = "a fixture document"


class LoadingProcess:
    """A child process that loads fixtures with `worker.main`.

    A thread reads from the process. Subprocesses of asyncio are not used, because not
    every event loop supports them.
    """

    def __init__(self, task: LoadTask, contents: Sequence[bytes]) -> None:
        """`contents` are the fixture files that `task` names."""
        self.error: Callable[[], Exception] = _killed
        """Returns the error to raise if the process ends early."""
        self.process: subprocess.Popen[bytes] | None = None
        """The process, after it has started."""
        self._task = msgspec.msgpack.encode(task)
        self._contents = contents
        self._is_ended = False
        self._lock = threading.Lock()
        self._thread = ThreadPoolExecutor(1, "load")

    def end(self, error: Callable[[], Exception]) -> None:
        """Kill the process; the first call sets the `error`."""
        with self._lock:
            if not self._is_ended:
                self._is_ended, self.error = True, error
            if self.process is not None:
                self.process.kill()

    async def messages(self) -> AsyncIterator[bytes]:
        """Yield the process's packed messages until it ends. Raises ServerBusy."""
        # Read one by one: a fast process waits for its pipe, so memory does not fill.
        with suppress(OSError, EOFError):
            run = partial(asyncio.get_running_loop().run_in_executor, self._thread)
            output = await run(self._output)
            while not self._is_ended:
                yield await run(read_block, output)

    def _output(self) -> IO[bytes]:
        """Return the output of the process after sending the fixtures.

        Raises ServerBusy; OSError or EOFError if the process ends meanwhile.
        """
        process = self._start()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        for block in (self._task, *self._contents):
            write_block(process.stdin, block)
        process.stdin.flush()
        return process.stdout

    def _start(self) -> subprocess.Popen[bytes]:
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
    # Probably the operating system has killed it, because memory ran out.
    expected = "a document that can be loaded"
    return BadFixture(expected, "one whose loading process was killed", "body")


def _environment() -> dict[str, str]:
    """Return the environment without `MOCK_SERVER_*`, with the import path."""
    names = [each for each in os.environ if not each.startswith("MOCK_SERVER_")]
    variables = {name: os.environ[name] for name in names}
    path = os.pathsep.join(each or os.getcwd() for each in sys.path)
    return variables | {"PYTHONPATH": path}


class Loader:
    """Loads fixtures; `close` ends the loads that are running."""

    def __init__(self, memory: Memory, limits: Limits) -> None:
        self._operations = ServedOperations()
        self._memory = memory
        self._limits = limits
        self._free_slots = limits.loads
        self.processes: set[LoadingProcess] = set()
        """The processes that are loading fixtures now."""
        self.on_growth: Callable[[], object] = lambda: None
        """Called repeatedly while a large fixture is loaded.

        `mock-server serve` then excludes the loaded objects from garbage collection,
        because a pass over a large dictionary takes long.
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
        for process in tuple(self.processes):
            process.end(_STOPPED)

    async def load(self, upload: SentFixture) -> FixtureData:
        """Return the sorted data of a fixture, and charge its memory.

        A large fixture takes a slot. Raises BadFixture, LimitReached, ServerBusy,
        ClientGone.
        """
        is_large = len(upload.content) > self._limits.inline_load_bytes
        is_one_line = not upload.is_json and b"\n" not in upload.content.strip()
        if is_one_line and upload.content.lstrip().startswith(b"#"):
            # Loaded as an empty document, it would remove all data.
            raise BadFixture(upload.noun, "only a comment", "body", _LINES_HINT)
        contents = [Content(_NAME, upload.is_json, upload.content)]
        try:
            if not is_large or not _HAS_PYTHON:
                rules = self._limits, self._operations
                draft = read_draft(contents, *rules, upload.part_path)
                # A short text with `repeat` can be a large fixture. Then the draft is
                # dropped, and a process loads the text.
                if self._is_small(draft) or not _HAS_PYTHON:
                    fixture = self._build(draft, upload.order)
                    self._memory.charge_shared(fixture)
                    return fixture
            # Taken after the whole body has arrived, so that slow bodies hold no slot.
            with self.slot():
                return await self._load_in_process(
                    contents, upload.order, upload.wait_for_disconnect, upload.part_path
                )
        except FixtureError as error:
            text = "; ".join(map(str, error.problems[:MAX_PROBLEMS]))
            rest_count = len(error.problems) - MAX_PROBLEMS
            text = f"{text}; and {rest_count} more" if rest_count > 0 else text
            if is_one_line and upload.content.strip()[:1] not in b"{[":
                text += f"; {_LINES_HINT}"
            raise BadFixture(upload.noun, "one with problems", "body", text) from None

    async def load_files(
        self, contents: Sequence[Content], order: Order
    ) -> FixtureData:
        """Return the data of all files, which another thread or process loads.

        This takes no slot, because a server loads its own files once at a time. Raises
        FixtureError, and the errors of `load`.
        """
        if _HAS_PYTHON:
            forever = asyncio.Event().wait
            return await self._load_in_process(contents, order, forever)
        draft = await asyncio.to_thread(
            read_draft, contents, self._limits, self._operations
        )
        fixture = await asyncio.to_thread(self._build, draft, order)
        self._memory.charge_shared(fixture)
        return fixture

    def _is_small(self, draft: Draft) -> bool:
        """Return whether the estimate is within the limits for loading in place."""
        estimate, limits = draft.estimate, self._limits
        records = estimate.collections + estimate.chats
        is_light = estimate.bytes <= limits.inline_load_size
        return is_light and records <= limits.inline_load_collections

    def _build(self, draft: Draft, order: Order) -> FixtureData:
        """Build and sort the fixture data. Raises LimitReached and FixtureError."""
        self._memory.check_room(draft.size, "body")
        fixture = draft.build()
        fixture.prepare(order)
        return fixture

    async def _load_in_process(
        self,
        contents: Sequence[Content],
        order: Order,
        wait_for_disconnect: Wait,
        part_path: Path = (),
    ) -> FixtureData:
        """Load in a process. Raises FixtureError, and the errors of `load`."""
        memory = _CHILD_BYTES + _CHILD_SHARE * self._memory.limit
        names = [(each.name, each.is_json, each.folder) for each in contents]
        task = LoadTask(names, order, memory, self._limits, part_path)
        process = LoadingProcess(task, [each.content for each in contents])
        self.processes.add(process)
        seconds = self._limits.load_seconds
        expected = f"a document that loads within {seconds:g} s"
        timeout_error = partial(BadFixture, expected, "one that takes longer", "body")
        loop = asyncio.get_running_loop()
        timer = loop.call_later(seconds, process.end, timeout_error)
        disconnect_task = asyncio.create_task(wait_for_disconnect())
        disconnect_task.add_done_callback(lambda _: process.end(ClientGone))
        try:
            return await self._assemble(process)
        finally:
            timer.cancel()
            disconnect_task.cancel()
            process.end(_killed)
            self.processes.discard(process)
            await process.release()

    async def _assemble(self, process: LoadingProcess) -> FixtureData:
        """Build fixture data from messages. Raises the errors of `_load_in_process`."""
        # A charge returns its bytes when it is freed, also after an error.
        assembly = Assembly(self._operations)
        charge = MemoryCharge(self._memory, "states")
        problems: list[Problem] = []
        numbers = count(1)
        async for packed in process.messages():
            if next(numbers) % _GROWTH_MESSAGES == 0:
                self.on_growth()
            match messages.unpack(packed):
                case messages.Estimated(size=size):
                    # Charged before the rows arrive, which must fit into the memory.
                    charge.add(size, "body")
                case messages.Failed(problems=[]):
                    expected = "a document that can be loaded with the memory there is"
                    hint = (
                        f"start with more --memory than {size_text(self._memory.limit)}"
                    )
                    raise LimitReached(expected, "one that needs more", "body", hint)
                case messages.Failed(problems=some):
                    problems.extend(some)
                case messages.Rows() as rows:
                    assembly.add(rows)
                case messages.End() if problems:
                    raise FixtureError(problems)
                case messages.End():
                    # It counts the records of chats with deleted ones.
                    fixture = await asyncio.to_thread(assembly.fixture)
                    await asyncio.to_thread(fixture.prepare_changes)
                    self.on_growth()
                    self._memory.charge_shared(fixture, charge)
                    return fixture
        raise process.error()

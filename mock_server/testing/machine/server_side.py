"""The server under a client machine: its state, its faults, a call's requests."""

import ctypes
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

import msgspec

from mock_server.admin import views
from mock_server.control.control_object import MockServerFixture
from mock_server.control.report import entry_lines, violation_lines
from mock_server.domain.access import Caller
from mock_server.domain.choices.table import Value
from mock_server.domain.limits import Published
from mock_server.domain.objects.fixture_data import Generation
from mock_server.testing.machine.client import HARMLESS, MADE_BY_MACHINE, Client

Entry = Mapping[str, Any]
Fault = Mapping[str, Any] | None
"""A fault as `POST faults` takes it; None for no fault."""
_SHOWN_ENTRIES = 8
_TOLERANCE_SECONDS = 0.1
"""The seconds that a waiting client may round off."""
_NEVER_MORE_ATTEMPTS = 10
"""The most tries of a client that declares no number of attempts."""


class Stopped(BaseException):
    """Stops a call; as a BaseException, no client catches it by mistake."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """Outcome of one client call: its result or exception, and its requests.

    Each `check` raises AssertionError if the client breaks a promise.
    """

    client: Client
    call: str
    fault: Fault
    value: Any
    error: BaseException | None
    entries: list[dict[str, Any]]
    logged: list[str]

    @property
    def failures(self) -> int:
        """Return how many requests had a fault that spoils the response."""
        faults = [each["fault"] for each in self.entries if each["fault"]]
        return sum(each["kind"] not in HARMLESS for each in faults)

    def wrong(self, expected: str, got: str) -> AssertionError:
        left_out = len(self.entries) - _SHOWN_ENTRIES
        lines = [f"Expected {expected}, got {got} - at {self.call}"]
        for entry in self.entries[:_SHOWN_ENTRIES]:
            lines += (f"  {line}" for line in entry_lines(entry))
        if left_out > 0:
            lines.append(f"  ({left_out} further requests)")
        return AssertionError("\n".join(lines))

    def check_requests(self) -> None:
        """Check the rules for the requests of every call."""
        client, entries = self.client, self.entries
        if isinstance(self.error, Stopped) or len(entries) > client.most_requests:
            often = f"{len(entries)} requests and no end"
            raise self.wrong(f"at most {client.most_requests} requests", often)
        allowed = *client.allowed, *MADE_BY_MACHINE
        for entry in entries:
            for line in violation_lines(entry, allowed):
                raise self.wrong("requests that keep to the spec", line.strip())
        most, got = client.attempts or _NEVER_MORE_ATTEMPTS, most_attempts(entries)
        if got > most:
            raise self.wrong(f"a request to be tried at most {most} times", str(got))
        for asked, waited in too_early(entries) if client.waits else ():
            expected = f"a retry after {asked:g} s (Retry-After)"
            raise self.wrong(expected, f"{waited:.3f} s")

    def check_texts(self, key: str) -> None:
        """Check that the error is one of the client's, and that no text has the key."""
        error = self.error
        for text in self.logged if error is None else [*self.logged, str(error)]:
            if key in text:
                shown = text.replace(key, "<the key>")
                raise self.wrong("no API key in what is logged or raised", repr(shown))
        if error is not None and not isinstance(error, self.client.errors):
            names = " or ".join(each.__name__ for each in self.client.errors)
            raise self.wrong(f"errors to be {names}", repr(error)) from error

    def check_success(self, *, is_refused: bool) -> None:
        """Check that the call raised if it failed, and only then."""
        if self.error is None:
            if is_refused:
                expected = "an error, as the server refuses this"
                raise self.wrong(expected, repr(self.value))
            return
        tries = self.client.attempts or 0
        is_passing = self._is_retried() and self.failures < tries
        if not is_refused and (self.failures == 0 or is_passing):
            why = f", with {tries} attempts" if self.failures else ""
            raise self.wrong(f"success{why}", repr(self.error)) from self.error

    def check_list(self, expected: Sequence[str] | None) -> None:
        """Check the ids of a list; None if the server refuses it."""
        self.check_success(is_refused=expected is None)
        if self.error is None and expected is not None:
            wrong = difference(self.value, expected, self.client.in_order)
            if wrong is not None:
                raise self.wrong(f"the {len(expected)} that are there", wrong)

    def _is_retried(self) -> bool:
        if self.fault is None:
            return False
        kind = self.fault["kind"]
        what = self.fault["status"] if kind == "error" else kind
        return what in self.client.retried and what != 200


def most_attempts(entries: Sequence[Entry]) -> int:
    """Return how often the same request came in a row."""
    most = in_a_row = 0
    last: Entry | None = None
    for entry in entries:
        in_a_row = in_a_row + 1 if last and _is_same(last, entry) else 1
        most, last = max(most, in_a_row), entry
    return most


def too_early(entries: Sequence[Entry]) -> Iterator[tuple[float, float]]:
    """Yield the wanted and the real wait, in seconds, of each early retry."""
    for first, second in pairwise(entries):
        asked = first["answer"]["headers"].get("retry-after", "")
        if asked.isdigit() and _is_same(first, second):
            waited = (_time(second) - _time(first)).total_seconds()
            if waited < float(asked) - _TOLERANCE_SECONDS:
                yield float(asked), max(0.0, waited)


def difference(
    got: Sequence[str], expected: Sequence[str], in_order: bool
) -> str | None:
    """Return how a list of ids differs from the expected one; None if it does not."""
    count = Counter(got)
    if twice := [each for each, often in count.items() if often > 1]:
        return f"{_named(twice)} more than once"
    if missing := [each for each in expected if each not in count]:
        return f"{len(got)} of {len(expected)}, without {_named(missing)}"
    known = set(expected)
    if further := [each for each in got if each not in known]:
        return f"also {_named(further)}"
    for at, (one, other) in enumerate(zip(got, expected, strict=True)):
        if in_order and one != other:
            return f"{one!r} in place {at}, where {other!r} is"
    return None


def _named(ids: Sequence[str]) -> str:
    shown = ", ".join(map(repr, ids[:3]))
    return shown if len(ids) <= 3 else f"{shown} and {len(ids) - 3} more"


def _is_same(one: Entry, other: Entry) -> bool:
    names = "method", "path", "query", "body"
    return all(one["request"][name] == other["request"][name] for name in names)


def _time(entry: Entry) -> datetime:
    return datetime.fromisoformat(entry["time"])


_POLL_SECONDS = 0.1


class ServerSide:
    """A sandbox of a server, which a machine's examples use one after the other."""

    def __init__(self, control: MockServerFixture, generation: Generation) -> None:
        self.control = control
        self.generation = generation
        self._admin = control._client
        self._since = self._before = 0

    def begin(self, profile: str, choices: Mapping[str, Value]) -> None:
        """Reset to the fixture, under these choices."""
        self._admin.json(views.ResetView, "POST", "/reset")
        asked = {"profile": profile, "choices": dict(choices)}
        self._admin.json(views.ChoicesView, "PUT", "/choices", **asked)
        if self.generation.frozen_at is not None:
            self.control.clock.run()  # else waiting would not show
        self._since = self._before = 0

    def key(self, caller: Caller) -> str:
        """Return the API key of a caller."""
        declared = self.generation.keys
        return self.control.keys[caller.key] if declared else self.control.key

    def tops(self) -> dict[tuple[str, str], bool]:
        """Return the pin state of every chat session."""
        return {
            (app, chat.chat_id or ""): chat.top
            for app in self.generation.apps
            for chat in self.control.chats(app)
        }

    def watch(
        self, client: Client, text: str, call: Callable[[], Any], fault: Fault
    ) -> CallOutcome:
        """Run a client's call under a fault; `text` names the call in messages."""
        if fault is not None:
            asked = {"ttl": Published.fault_ttl, **fault}
            self._admin.json(views.FaultView, "POST", "/faults", **asked)
        most = client.most_requests
        value, error = None, None
        with _logged() as texts:
            try:
                with _stopped_once(lambda: self._total() - self._before > most):
                    value = call()
            except (Exception, Stopped) as raised:
                error = raised
        entries = self._entries()
        fired = sum(each["fault"] is not None for each in entries)
        if fault is not None and fired < fault.get("times", 1):
            self._admin.json(views.FaultsView, "DELETE", "/faults")
        return CallOutcome(client, text, fault, value, error, entries, texts)

    def _total(self) -> int:
        page = self._admin.ask(views.JournalView, "GET", "/journal?limit=1")
        return page.value.total

    def _entries(self) -> list[dict[str, Any]]:
        page = msgspec.json.decode(self._admin.journal({"since": self._since}))
        self._since, self._before = page["next"], page["total"]
        return list(page["entries"])


@contextmanager
def _stopped_once(is_too_much: Callable[[], bool]) -> Iterator[None]:
    """Raise Stopped in the context once something is too much.

    Another thread calls `is_too_much` ten times a second.
    """
    lock, is_over, watched = threading.Lock(), threading.Event(), threading.get_ident()

    def watch() -> None:
        while not is_over.wait(_POLL_SECONDS):
            if is_too_much():
                with lock:
                    if not is_over.is_set():
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(
                            ctypes.c_ulong(watched), ctypes.py_object(Stopped)
                        )
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        with lock:
            is_over.set()
        thread.join()


@contextmanager
def _logged() -> Iterator[list[str]]:
    texts: list[str] = []
    handler, root = logging.Handler(), logging.getLogger()
    handler.emit = lambda record: texts.append(handler.format(record))  # type: ignore[method-assign]
    root.addHandler(handler)
    try:
        yield texts
    finally:
        root.removeHandler(handler)

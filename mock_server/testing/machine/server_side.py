"""Controls the server of a client machine, and checks the requests of a call."""

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
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.testing.machine.client import HARMLESS_KINDS, OWN_VIOLATIONS, Client

Entry = Mapping[str, Any]
Fault = Mapping[str, Any] | None
"""A fault as `POST faults` takes it; None for no fault."""
_MAX_ENTRIES = 8
_TOLERANCE_SECONDS = 0.1
"""A client may retry as many seconds too early, for rounding."""
_DEFAULT_ATTEMPTS = 10
"""The maximum number of tries of a client that declares no `attempts`."""


class Stopped(BaseException):
    """Stops a call. It is a BaseException, which clients rarely catch by mistake."""


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of one client call: its result or exception, and its requests.

    The methods `check_...` raise AssertionError if the client breaks a promise.
    """

    client: Client
    call: str
    fault: Fault
    value: Any
    error: BaseException | None
    entries: list[dict[str, Any]]
    log_texts: list[str]

    @property
    def failure_count(self) -> int:
        """The number of requests with a fault that makes the response wrong."""
        faults = [each["fault"] for each in self.entries if each["fault"]]
        return sum(each["kind"] not in HARMLESS_KINDS for each in faults)

    def failure(self, expected: str, got: str) -> AssertionError:
        left_out = len(self.entries) - _MAX_ENTRIES
        lines = [f"Expected {expected}, got {got} - at {self.call}"]
        for entry in self.entries[:_MAX_ENTRIES]:
            lines += (f"  {line}" for line in entry_lines(entry))
        if left_out > 0:
            lines.append(f"  ({left_out} further requests)")
        return AssertionError("\n".join(lines))

    def check_requests(self) -> None:
        """Check the rules for the requests of every call."""
        client, entries = self.client, self.entries
        if isinstance(self.error, Stopped) or len(entries) > client.most_requests:
            got = f"{len(entries)} requests and no end"
            raise self.failure(f"at most {client.most_requests} requests", got)
        allowed = *client.allowed, *OWN_VIOLATIONS
        for entry in entries:
            for line in violation_lines(entry, allowed):
                raise self.failure("requests that keep to the spec", line.strip())
        max_tries, tries = client.attempts or _DEFAULT_ATTEMPTS, max_attempts(entries)
        if tries > max_tries:
            expected = f"a request to be tried at most {max_tries} times"
            raise self.failure(expected, str(tries))
        for delay, pause in early_retries(entries) if client.waits else ():
            expected = f"a retry after {delay:g} s (Retry-After)"
            raise self.failure(expected, f"{pause:.3f} s")

    def check_texts(self, key: str) -> None:
        """Check the error's type, and that no error or log contains the API key."""
        error = self.error
        for text in self.log_texts if error is None else [*self.log_texts, str(error)]:
            if key in text:
                redacted = repr(text.replace(key, "<the key>"))
                raise self.failure("no API key in what is logged or raised", redacted)
        if error is not None and not isinstance(error, self.client.errors):
            names = " or ".join(each.__name__ for each in self.client.errors)
            raise self.failure(f"errors to be {names}", repr(error)) from error

    def check_success(self, *, is_refused: bool) -> None:
        """Check that the call raised an error if it failed, and only then."""
        if self.error is None:
            if is_refused:
                expected = "an error, as the server refuses this"
                raise self.failure(expected, repr(self.value))
            return
        tries = self.client.attempts or 0
        is_survivable = self._is_retried() and self.failure_count < tries
        if not is_refused and (self.failure_count == 0 or is_survivable):
            note = f", with {tries} attempts" if self.failure_count else ""
            raise self.failure(f"success{note}", repr(self.error)) from self.error

    def check_list(self, expected: Sequence[str] | None) -> None:
        """Check the ids of a list; `expected` is None if the request is refused."""
        self.check_success(is_refused=expected is None)
        if self.error is None and expected is not None:
            first_difference = difference(self.value, expected, self.client.in_order)
            if first_difference is not None:
                objects = f"the {len(expected)} that are there"
                raise self.failure(objects, first_difference)

    def _is_retried(self) -> bool:
        if self.fault is None:
            return False
        kind = self.fault["kind"]
        cause = self.fault["status"] if kind == "error" else kind
        return cause in self.client.retried and cause != 200


def max_attempts(entries: Sequence[Entry]) -> int:
    """Return the maximum number of equal requests in a row."""
    longest = row_length = 0
    previous: Entry | None = None
    for entry in entries:
        row_length = row_length + 1 if previous and _is_same(previous, entry) else 1
        longest, previous = max(longest, row_length), entry
    return longest


def early_retries(entries: Sequence[Entry]) -> Iterator[tuple[float, float]]:
    """Yield the expected and the real pause before each early retry, in seconds."""
    for first, second in pairwise(entries):
        delay = first["answer"]["headers"].get("retry-after", "")
        if delay.isdigit() and _is_same(first, second):
            pause = (_time(second) - _time(first)).total_seconds()
            if pause < float(delay) - _TOLERANCE_SECONDS:
                yield float(delay), max(0.0, pause)


def difference(
    got: Sequence[str], expected: Sequence[str], in_order: bool
) -> str | None:
    """Return the text of the first difference between two lists of ids, or None."""
    counts = Counter(got)
    if repeated_ids := [each for each, count in counts.items() if count > 1]:
        return f"{_ids_text(repeated_ids)} more than once"
    if missing_ids := [each for each in expected if each not in counts]:
        return f"{len(got)} of {len(expected)}, without {_ids_text(missing_ids)}"
    expected_ids = set(expected)
    if unexpected_ids := [each for each in got if each not in expected_ids]:
        return f"also {_ids_text(unexpected_ids)}"
    for index, (got_id, expected_id) in enumerate(zip(got, expected, strict=True)):
        if in_order and got_id != expected_id:
            return f"{got_id!r} in place {index}, where {expected_id!r} is"
    return None


def _ids_text(ids: Sequence[str]) -> str:
    text = ", ".join(map(repr, ids[:3]))
    return text if len(ids) <= 3 else f"{text} and {len(ids) - 3} more"


def _is_same(first: Entry, second: Entry) -> bool:
    names = "method", "path", "query", "body"
    return all(first["request"][name] == second["request"][name] for name in names)


def _time(entry: Entry) -> datetime:
    return datetime.fromisoformat(entry["time"])


_POLL_SECONDS = 0.1


class ServerSide:
    """A sandbox of a server, which the examples of a machine use in turn."""

    def __init__(self, control: MockServerFixture, fixture: FixtureData) -> None:
        self.control = control
        self.fixture = fixture
        self._admin = control._client
        self._next_entry = self._total_before = 0

    def begin(self, profile: str, choices: Mapping[str, Value]) -> None:
        """Reset to the fixture, then set these choices."""
        self._admin.json(views.ResetView, "POST", "/reset")
        fields = {"profile": profile, "choices": dict(choices)}
        self._admin.json(views.ChoicesView, "PUT", "/choices", **fields)
        if self.fixture.frozen_at is not None:
            self.control.clock.run()  # so that pauses of the client can be measured
        self._next_entry = self._total_before = 0

    def key(self, caller: Caller) -> str:
        """Return the API key of a caller."""
        declared = self.fixture.keys
        return self.control.keys[caller.key] if declared else self.control.key

    def pins(self) -> dict[tuple[str, str], bool]:
        """Return the pin state of every chat session."""
        return {
            (app, chat.chat_id or ""): chat.top
            for app in self.fixture.apps
            for chat in self.control.chats(app)
        }

    def run_call(
        self, client: Client, text: str, call: Callable[[], Any], fault: Fault
    ) -> CallOutcome:
        """Run a client's call with a fault; `text` names the call in messages."""
        if fault is not None:
            fields = {"ttl": Published.fault_ttl, **fault}
            self._admin.json(views.FaultView, "POST", "/faults", **fields)
        max_requests = client.most_requests
        value, error = None, None
        with _log_records() as log_texts:
            try:
                with _stop_if(
                    lambda: self._total() - self._total_before > max_requests
                ):
                    value = call()
            except (Exception, Stopped) as call_error:
                error = call_error
        entries = self._entries()
        fired = sum(each["fault"] is not None for each in entries)
        if fault is not None and fired < fault.get("times", 1):
            self._admin.json(views.FaultsView, "DELETE", "/faults")
        return CallOutcome(client, text, fault, value, error, entries, log_texts)

    def _total(self) -> int:
        page = self._admin.call(views.JournalView, "GET", "/journal?limit=1")
        return page.value.total

    def _entries(self) -> list[dict[str, Any]]:
        page = msgspec.json.decode(self._admin.journal({"since": self._next_entry}))
        self._next_entry, self._total_before = page["next"], page["total"]
        return list(page["entries"])


@contextmanager
def _stop_if(is_too_much: Callable[[], bool]) -> Iterator[None]:
    """Raise Stopped in the block when `is_too_much` returns True.

    Another thread calls `is_too_much` ten times a second.
    """
    lock, is_over = threading.Lock(), threading.Event()
    caller = threading.get_ident()

    def watch() -> None:
        while not is_over.wait(_POLL_SECONDS):
            if is_too_much():
                with lock:
                    if not is_over.is_set():
                        ctypes.pythonapi.PyThreadState_SetAsyncExc(
                            ctypes.c_ulong(caller), ctypes.py_object(Stopped)
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
def _log_records() -> Iterator[list[str]]:
    texts: list[str] = []
    handler, root = logging.Handler(), logging.getLogger()
    handler.emit = lambda record: texts.append(handler.format(record))  # type: ignore[method-assign]
    root.addHandler(handler)
    try:
        yield texts
    finally:
        root.removeHandler(handler)

"""The server's side of a machine: its state, its faults, and what a call has sent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from mock_server.admin.resources.choices import ChoicesView
from mock_server.control.handle import MockServerFixture
from mock_server.control.report import entry_lines
from mock_server.domain.access import Caller
from mock_server.domain.choices import Value
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits
from mock_server.strategies.findings import most_attempts, off_contract, too_early
from mock_server.strategies.shelf import HARMLESS
from mock_server.strategies.subprocess_client import ProcessEnded
from mock_server.strategies.watching import Stopped, Watch, logged
from mock_server.views import FaultsView, FaultView, JournalView, ResetView

Fault = Mapping[str, Any] | None
"""A fault as `POST faults` takes it; None is none."""
_SHOWN_ENTRIES = 8
NEVER_MORE_ATTEMPTS = 10
"""What a client that declares no number of attempts may make."""


@dataclass(frozen=True, slots=True)
class Said:
    """What came of a call: what the client gave or raised, and what it had sent."""

    call: str
    value: Any
    error: BaseException | None
    entries: list[dict[str, Any]]
    logged: list[str]

    @property
    def failures(self) -> int:
        """How many of its requests met a fault that spoils an answer."""
        faults = [each["fault"] for each in self.entries if each["fault"]]
        return sum(each["kind"] not in HARMLESS for each in faults)

    def wrong(self, expected: str, got: str) -> AssertionError:
        """What is to be raised where the client is wrong."""
        left_out = len(self.entries) - _SHOWN_ENTRIES
        lines = [f"Expected {expected}, got {got} - at {self.call}"]
        for entry in self.entries[:_SHOWN_ENTRIES]:
            lines += (f"  {line}" for line in entry_lines(entry))
        if left_out > 0:
            lines.append(f"  ({left_out} further requests)")
        return AssertionError("\n".join(lines))


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for every call of a client."""

    errors: tuple[type[BaseException], ...]
    allowed: Collection[str]
    attempts: int | None
    waits: bool
    most_requests: int

    def check(self, said: Said, key: str) -> None:
        """Raises AssertionError for what no call may do."""
        if isinstance(said.error, Stopped) or len(said.entries) > self.most_requests:
            often = f"{len(said.entries)} requests and no end"
            raise said.wrong(f"at most {self.most_requests} requests", often)
        for line in off_contract(said.entries, self.allowed):
            raise said.wrong("requests on contract", line.strip())
        most, got = self.attempts or NEVER_MORE_ATTEMPTS, most_attempts(said.entries)
        if got > most:
            raise said.wrong(f"a request to be tried at most {most} times", str(got))
        for asked, waited in too_early(said.entries) if self.waits else ():
            expected = f"to be asked again after {asked:g} s (Retry-After)"
            raise said.wrong(expected, f"{waited:.3f} s")
        texts = said.logged if said.error is None else [*said.logged, str(said.error)]
        for text in texts:
            if key in text:
                shown = text.replace(key, "<the key>")
                raise said.wrong("no API key in what is logged or raised", repr(shown))
        if said.error is not None and not isinstance(said.error, self.errors):
            names = " or ".join(each.__name__ for each in self.errors)
            raise said.wrong(f"errors to be {names}", repr(said.error)) from said.error


class Stage:
    """A sandbox of a server, which a machine's examples use one after the other."""

    def __init__(self, control: MockServerFixture, generation: Generation) -> None:
        self.control = control
        self.generation = generation
        self._admin = control._client
        self._since = self._before = 0

    def begin(self, profile: str, choices: Mapping[str, Value]) -> None:
        """Go back to the fixture, under these choices."""
        self._admin.json(ResetView, "POST", "/reset")
        asked = {"profile": profile, "choices": dict(choices)}
        self._admin.json(ChoicesView, "PUT", "/choices", **asked)
        if self.generation.frozen_at is not None:
            self.control.clock.run()  # or nobody who waits would be seen to
        self._since = self._before = 0

    def key(self, caller: Caller) -> str:
        """The API key to send for one who calls."""
        declared = self.generation.keys
        return self.control.keys[caller.key] if declared else self.control.key

    def watch(
        self, text: str, call: Callable[[], Any], fault: Fault, most_requests: int
    ) -> Said:
        """Have a client do something amid a fault; `text` is how it is told."""
        if fault is not None:
            asked = {"ttl": Limits.fault_ttl, **fault}
            self._admin.json(FaultView, "POST", "/faults", **asked)
        value, error = None, None
        with logged() as texts:
            try:
                with Watch(lambda: self._total() - self._before > most_requests):
                    value = call()
            except ProcessEnded:
                raise
            except (Exception, Stopped) as raised:
                error = raised
        entries = self._entries()
        if fault is not None and _fired(entries) < fault.get("times", 1):
            self._admin.json(FaultsView, "DELETE", "/faults")
        return Said(text, value, error, entries, texts)

    def _total(self) -> int:
        """How many requests there have been in this example."""
        page = self._admin.ask(JournalView, "GET", "/journal?limit=1")
        return page.value.total

    def _entries(self) -> list[dict[str, Any]]:
        """The requests since this was last asked."""
        page = msgspec.json.decode(self._admin.journal({"since": self._since}))
        entries = list(page["entries"])
        self._since, self._before = page["next"], page["total"]
        return entries


def _fired(entries: Sequence[Mapping[str, Any]]) -> int:
    return sum(each["fault"] is not None for each in entries)

"""The time and the choices of a test's sandbox, as a test sets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mock_server.admin.resources.choices import ChoicesView
from mock_server.admin.resources.clock import ClockView
from mock_server.client import AdminClient
from mock_server.domain.choices import Value


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a test's sandbox."""

    _client: AdminClient

    @property
    def now(self) -> str:
        """The time, as `2026-01-01T00:00:00.000Z`."""
        return str(self._client.json(ClockView, "GET", "/clock")["now"])

    def freeze(self, now: str | None = None) -> None:
        """Stop time, at a time like `2026-01-01T00:00:00Z` or where it is."""
        self._client.json(ClockView, "PUT", "/clock", now=now, frozen=True)

    def run(self) -> None:
        """Let time go on."""
        self._client.json(ClockView, "PUT", "/clock", frozen=False)

    def advance(self, seconds: float) -> None:
        """Go forward, whether time is running or not."""
        self._client.json(ClockView, "POST", "/clock/advance", seconds=seconds)


@dataclass(frozen=True, slots=True)
class Choosing(Mapping[str, Value]):
    """The choices in force; `choices["list_order"] = "name"` sets one."""

    _client: AdminClient

    def __getitem__(self, name: str) -> Value:
        value: Value = self._all()[name]
        return value

    def __setitem__(self, name: str, value: Value) -> None:
        chosen = self._all() | {name: value}
        self._client.json(ChoicesView, "PUT", "/choices", choices=chosen)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Value]:
        return dict(self._client.json(ChoicesView, "GET", "/choices")["choices"])

"""The time and the choices of a test's sandbox, as a test sets them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mock_server.domain.choices import Value
from mock_server.remote import Remote


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of a test's sandbox."""

    _remote: Remote

    @property
    def now(self) -> str:
        """The time, as `2026-01-01T00:00:00.000Z`."""
        return str(self._remote.json("GET", "/clock")["now"])

    def freeze(self, now: str | None = None) -> None:
        """Stop time, at a time like `2026-01-01T00:00:00Z` or where it is."""
        self._remote.json("PUT", "/clock", now=now, frozen=True)

    def run(self) -> None:
        """Let time go on."""
        self._remote.json("PUT", "/clock", frozen=False)

    def advance(self, seconds: float) -> None:
        """Go forward, whether time is running or not."""
        self._remote.json("POST", "/clock/advance", seconds=seconds)


@dataclass(frozen=True, slots=True)
class Choosing(Mapping[str, Value]):
    """The choices in force; `choices["list_order"] = "name"` sets one."""

    _remote: Remote

    def __getitem__(self, name: str) -> Value:
        value: Value = self._all()[name]
        return value

    def __setitem__(self, name: str, value: Value) -> None:
        chosen = self._all() | {name: value}
        self._remote.json("PUT", "/choices", choices=chosen)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Value]:
        return dict(self._remote.json("GET", "/choices")["choices"])

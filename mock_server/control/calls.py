"""What clients have sent to a server: read, awaited, and asserted."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from mock_server.client import AdminClient
from mock_server.control.durations import Duration, seconds
from mock_server.control.report import unmet, violation_lines
from mock_server.control.violations import allowed_violations
from mock_server.domain.access import redacted_key
from mock_server.domain.errors import did_you_mean
from mock_server.domain.printable import one_line

__tracebackhide__ = True

_POLL_SECONDS = 0.01


class Calls:
    """The requests that a server has got since its last reset."""

    _client: AdminClient

    @property
    def journal(self) -> list[dict[str, Any]]:
        """All requests so far, as `GET /__admin/journal` shows them."""
        return self._entries()

    def calls(self, operation: str) -> list[dict[str, Any]]:
        """The journal entries of an operation, with `["request"]["body"]` and so on."""
        return self._entries(operation=operation)

    def last_call(self, operation: str) -> dict[str, Any]:
        """The latest entry of an operation; raises AssertionError if there is none."""
        found = self.calls(operation)
        if not found:
            raise AssertionError(f"{operation} was not called; {self._called()}")
        return found[-1]

    def assert_called(
        self,
        operation: str,
        *,
        times: int | None = None,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        status: int | None = None,
    ) -> None:
        """Assert that an operation was called, `times` often or at least once.

        Only requests count whose body has at least the fields of `body`, that were sent
        with that API key, and that were answered with that HTTP status.
        """
        asked = _criteria(operation, body, key, status)
        asked |= {"atLeast": 1} if times is None else {"exactly": _whole(times)}
        self._verify(asked)

    def assert_not_called(
        self,
        operation: str,
        *,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        status: int | None = None,
    ) -> None:
        """Assert that no request was like this; arguments as in `assert_called`."""
        self._verify(_criteria(operation, body, key, status) | {"exactly": 0})

    def assert_in_order(self, steps: Sequence[str | Mapping[str, Any]]) -> None:
        """Assert that requests came in this order; others may lie between them.

        A step is the name of an operation, or the arguments of `assert_called` but
        `times`: `{"operation": "listV2", "body": {"offset": 10}}`.
        """
        if isinstance(steps, str | Mapping) or not steps:
            raise TypeError(f"Expected a list of steps, got {steps!r}")
        self._verify({"inOrder": [_step(each) for each in steps]})

    def assert_no_violations(
        self, allowed: Collection[str] = (), *, since: int = 0
    ) -> None:
        """Assert that no request departed from the spec.

        Violations of the names in `allowed` do not count; `neighbour` there allows all
        those of neighbours. `since` is the number of the first entry that counts.
        """
        allowed = allowed_violations(allowed, "allowed")
        off = self._entries(violations="true", since=since)
        lines = [line for entry in off for line in violation_lines(entry, allowed)]
        if lines:
            raise AssertionError("\n".join(["requests off contract:", *lines]))

    def wait_for(
        self, operation: str, times: int = 1, timeout: Duration = 5.0
    ) -> dict[str, Any]:
        """Wait until an operation has been called so often, `timeout` at most.

        Gives the entry of that request; raises AssertionError if it has not come.
        """
        if times < 1:
            raise ValueError(f"Expected times of at least 1, got {times}")
        limit = seconds(timeout)
        end = time.monotonic() + limit
        while len(found := self.calls(operation)) < times:
            if time.monotonic() >= end:
                often = f"{len(found)} of {times} times" if found else "not called"
                was = f"{operation} was {often} in {limit:g} s"
                raise AssertionError(f"{was}; {self._called()}")
            time.sleep(_POLL_SECONDS)
        return found[times - 1]

    def _entries(self, **query: object) -> list[dict[str, Any]]:
        page = msgspec.json.decode(self._client.journal(query))
        return list(page["entries"])

    def _verify(self, asked: Mapping[str, Any]) -> None:
        given = self._client.verify(asked)
        if not given.value.ok:
            raise AssertionError(f"{unmet(asked, given.plain())}\n{self._called()}")

    def _called(self) -> str:
        """What has been called so far, most often first."""
        counts = Counter(
            entry["operation"] or entry["request"]["path"] for entry in self.journal
        )
        shown = ", ".join(f"{name} ({count})" for name, count in counts.most_common(10))
        return one_line(f"called so far: {shown or 'nothing'}")


_STEP = "operation", "body", "key", "status"


def _step(given: object) -> dict[str, Any]:
    """What one step of an order asks for. Raises TypeError."""
    if isinstance(given, str):
        return _criteria(given)
    if not isinstance(given, Mapping) or "operation" not in given:
        example = '{"operation": "listV2", "body": {"offset": 10}}'
        raise TypeError(f"Expected an operation, or {example}, got {given!r}")
    for name in given:
        if name not in _STEP:
            known = did_you_mean(str(name), _STEP) or f" (there are {', '.join(_STEP)})"
            raise TypeError(f"Expected a field of a step, got {name!r}{known}")
    return _criteria(**given)


def _criteria(
    operation: str,
    body: Mapping[str, Any] | None = None,
    key: str | None = None,
    status: int | None = None,
) -> dict[str, Any]:
    """As `POST journal/verify` takes them; the journal knows keys redacted only."""
    shown_key = None if key is None else redacted_key(_text(key))
    given = {"operation": operation, "body": body, "key": shown_key, "status": status}
    return {name: value for name, value in given.items() if value is not None}


def _whole(times: object) -> int:
    if isinstance(times, int) and not isinstance(times, bool) and times >= 0:
        return times
    raise TypeError(f"Expected times to be 0 or more, got {times!r}")


def _text(key: object) -> str:
    if isinstance(key, str):
        return key
    raise TypeError(f"Expected key to be a text, got {key!r}")

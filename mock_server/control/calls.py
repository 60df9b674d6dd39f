"""Reads, awaits and asserts the requests that clients sent to a server."""

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any, NoReturn, get_args

import msgspec

from mock_server.admin.views import JournalView
from mock_server.api.operations.table import OPERATIONS
from mock_server.control.client import AdminClient
from mock_server.control.clock import Duration, seconds
from mock_server.control.report import allowed_violations, outside_line, violation_lines
from mock_server.domain.journal import Outside, as_redacted
from mock_server.domain.limits import Published
from mock_server.domain.messages import did_you_mean, nearest
from mock_server.domain.printable import one_line
from mock_server.domain.validation.json_match import difference_text
from mock_server.domain.wrong_calls import ByName, WrongValue, explained, hinted

__tracebackhide__ = True

_POLL_SECONDS = 0.01
_MAX_WAIT_SECONDS = 600


class JournalEntry(ByName, dict[str, Any]):
    """A journal entry or a part of it, as JSON; an error says where a name is."""

    def __init__(self, fields: Mapping[str, Any], named: str = "entry") -> None:
        super().__init__(fields)
        self.named = named
        for name in ("request", "answer", "headers"):
            if isinstance(part := fields.get(name), dict):
                self[name] = JournalEntry(part, f"{named}[{name!r}]")

    def __missing__(self, name: object) -> NoReturn:
        hint = self.item_hint(str(name), self)
        raise KeyError(f"{name!r} is not in {self.named}{hint}")

    def item_hint(self, name: str, known: Collection[str]) -> str:
        """Return a hint for a missing name, which may be in a part of the entry."""
        parts = [part for part in self.values() if isinstance(part, JournalEntry)]
        places: dict[str, list[str]] = {}
        for part in (self, *parts):
            for each in part:
                places.setdefault(each, []).append(f"{part.named}[{each!r}]")
        likely_name = nearest(name, places) or nearest(name.lower(), places)
        if likely_name is None:
            return f" (it has {', '.join(known)})"
        return f": write {' or '.join(places[likely_name])}"


class Entries(list[dict[str, Any]]):
    """A copy of the journal."""

    def clear(self) -> NoReturn:
        """Raise AttributeError, because only this copy would be cleared."""
        fix = "write reset(), which empties the journal and restores the data"
        raise AttributeError(f"`.journal` is a copy ({fix})")


@explained
class Calls:
    """Methods on the requests that a server received since its last reset."""

    _client: AdminClient

    @property
    def journal(self) -> list[dict[str, Any]]:
        """All entries, as in `GET /__admin/journal`."""
        return Entries(self._entries())

    def calls(self, operation: str) -> list[dict[str, Any]]:
        """Return the entries of an operation, with `["request"]["body"]` and so on."""
        return self._entries_of(operation)

    def last_call(self, operation: str) -> dict[str, Any]:
        """Return the latest entry of an operation. Raises AssertionError."""
        entries = self._entries_of(operation)
        if not entries:
            raise AssertionError(f"{operation} was not called; {self._summary()}")
        return entries[-1]

    def assert_called(
        self,
        operation: str,
        *,
        times: int | None = None,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        status: int | None = None,
    ) -> None:
        """Assert that an operation was called `times` times, or at least once.

        `body` is a part of the request's body, `key` an API key, `status` the HTTP
        status of the response.
        """
        criteria = _criteria(operation, body, key, status)
        criteria |= {"atLeast": 1} if times is None else {"exactly": _count(times)}
        self._verify(criteria)

    def assert_not_called(
        self,
        operation: str,
        *,
        body: Mapping[str, Any] | None = None,
        key: str | None = None,
        status: int | None = None,
    ) -> None:
        """Assert that no request matches; arguments as in `assert_called`."""
        self._verify(_criteria(operation, body, key, status) | {"exactly": 0})

    @hinted(lambda *steps, **_: f"write assert_in_order({[*steps]!r})")
    def assert_in_order(self, steps: Sequence[str | Mapping[str, Any]]) -> None:
        """Assert that requests came in this order; other requests may come between.

        A step is an operation, or arguments of `assert_called` without `times`:
        `{"operation": "listV2", "body": {"offset": 10}}`.
        """
        if isinstance(steps, str | Mapping) or not steps:
            raise TypeError(f"Expected a list of steps, got {steps!r}")
        self._verify({"inOrder": [_step_criteria(each) for each in steps]})

    def assert_no_violations(
        self, allowed: Collection[str] = (), *, since: int = 0, strict: bool = False
    ) -> None:
        """Assert that no request broke the spec.

        `strict` also counts calls of related routes and older paths. `allowed` has
        names of violations, `related_route` (with its violations) and `legacy_path`.
        `since` is the number of the first entry to check.
        """
        allowed = allowed_violations(allowed, "allowed")
        page = self._page(violations="true", since=since)
        entries = map(JournalEntry, page["entries"])
        lines = [line for entry in entries for line in violation_lines(entry, allowed)]
        for name in get_args(Outside) if strict else ():
            calls = () if name in allowed else self._entries(outside=name, since=since)
            lines += map(outside_line, calls)
            if calls:
                lines.append(f"  to allow them: mock_server_strict = {name}")
        if lines:
            raise AssertionError("\n".join(["requests against the spec:", *lines]))
        if (dropped := page["dropped"]) and since < page["next"] - page["kept"]:
            got = f"one that has dropped {dropped}"
            raise AssertionError(f"Expected a whole journal, got {got}")

    def wait_for(
        self, operation: str, *, times: int = 1, timeout: Duration = 5.0
    ) -> dict[str, Any]:
        """Wait until an operation has been called `times` times; return the last entry.

        Raises AssertionError after `timeout`, and RuntimeError in an event loop, which
        it would block: see `wait_for_async`.
        """
        max_seconds = _checked_seconds(times, timeout)
        end = time.monotonic() + max_seconds
        while len(entries := self._entries_of(operation)) < times:
            if _is_in_event_loop():
                form = f"await wait_for_async({operation!r})"
                reason = "which would block the event loop that may have to send"
                raise RuntimeError(f"Expected `{form}`, got wait_for, {reason}")
            if time.monotonic() >= end:
                count = len(entries)
                message = self._timeout_message(operation, count, times, max_seconds)
                raise AssertionError(message)
            time.sleep(_POLL_SECONDS)
        return entries[times - 1]

    async def wait_for_async(
        self, operation: str, *, times: int = 1, timeout: Duration = 5.0
    ) -> dict[str, Any]:
        """Wait as `wait_for` does, without blocking the event loop of asyncio."""
        max_seconds = _checked_seconds(times, timeout)
        end = time.monotonic() + max_seconds
        read_entries = partial(self._entries_of, operation)
        while len(entries := await asyncio.to_thread(read_entries)) < times:
            if time.monotonic() >= end:
                facts = operation, len(entries), times, max_seconds
                message = await asyncio.to_thread(self._timeout_message, *facts)
                raise AssertionError(message)
            await asyncio.sleep(_POLL_SECONDS)
        return entries[times - 1]

    def _timeout_message(
        self, operation: str, count: int, times: int, max_seconds: float
    ) -> str:
        calls = f"called {count} of {times} times" if count else "not called"
        return f"{operation} was {calls} in {max_seconds:g} s; {self._summary()}"

    def _entries_of(self, operation: object) -> list[dict[str, Any]]:
        if not isinstance(operation, str):
            got = "a function" if callable(operation) else repr(operation)
            raise WrongValue(f"Expected the name of an operation, got {got}")
        return self._entries(operation=operation)

    def _entries(self, **query: object) -> list[dict[str, Any]]:
        return [JournalEntry(entry) for entry in self._page(**query)["entries"]]

    def _page(self, **query: object) -> dict[str, Any]:
        page: dict[str, Any] = msgspec.json.decode(self._client.journal(query))
        return page

    def _next_number(self) -> int:
        """Return the number of the next entry, without reading the journal."""
        path = f"/journal?limit=1&since={Published.integer}"
        return int(self._client.json(JournalView, "GET", path)["next"])

    def _verify(self, criteria: Mapping[str, Any]) -> None:
        response = self._client.verify(criteria)
        if not response.value.ok:
            message = assertion_message(criteria, response.plain())
            lines = [message, *self._unsent_fields(criteria), self._summary()]
            raise AssertionError("\n".join(lines))
        if criteria.get("exactly") == 0:
            _check_fields(criteria["operation"], criteria.get("body", {}))

    def _unsent_fields(self, criteria: Mapping[str, Any]) -> Iterator[str]:
        """Yield a line for each field of the body that no request had."""
        if not isinstance(body := criteria.get("body"), Mapping):
            return
        sent: set[str] = set()
        for entry in self.calls(criteria["operation"]):
            fields = entry["request"]["body"]
            sent.update(fields if isinstance(fields, Mapping) else ())
        for name in body:
            if sent and name not in sent:
                hint = did_you_mean(name, sent) or f" (sent: {', '.join(sorted(sent))})"
                if name == "question" and "messages" in sent:
                    hint = " (the question is in messages)"
                yield one_line(f"no call had a field {name!r}{hint}")

    def _summary(self) -> str:
        counts = Counter(
            entry["operation"] or entry["request"]["path"] for entry in self.journal
        )
        calls = ", ".join(f"{name} ({count})" for name, count in counts.most_common(10))
        place = f" (sandbox {self._client.sandbox})" if self._client.sandbox else ""
        return one_line(f"called so far: {calls or 'nothing'}{place}")


def _checked_seconds(times: int, timeout: Duration) -> float:
    _count(times, least=1)
    max_seconds = seconds(timeout)
    if not max_seconds <= _MAX_WAIT_SECONDS:  # NaN is no time either
        milliseconds = f"write {max_seconds / 1_000:g} for as many milliseconds"
        hint = milliseconds if isfinite(max_seconds) else ""
        expected = f"a timeout of at most {_MAX_WAIT_SECONDS} seconds"
        raise WrongValue(f"Expected {expected}, got {max_seconds:g}", hint)
    return max_seconds


def _is_in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


_STEP_FIELDS = "operation", "body", "key", "status"


def _step_criteria(step: object) -> dict[str, Any]:
    """Return a step as criteria. Raises TypeError for anything but a step."""
    if isinstance(step, str):
        return _criteria(step)
    if not isinstance(step, Mapping) or "operation" not in step:
        example = '{"operation": "listV2", "body": {"offset": 10}}'
        raise TypeError(f"Expected an operation, or {example}, got {step!r}")
    for name in step:
        if name not in _STEP_FIELDS:
            hint = did_you_mean(str(name), _STEP_FIELDS)
            hint = hint or f" (there are {', '.join(_STEP_FIELDS)})"
            raise TypeError(f"Expected a field of a step, got {name!r}{hint}")
    return _criteria(**step)


def _criteria(
    operation: str,
    body: Mapping[str, Any] | None = None,
    key: str | None = None,
    status: int | None = None,
) -> dict[str, Any]:
    """Return the body of `POST journal/verify`; journals have API keys redacted."""
    if not (key is None or isinstance(key, str)):
        raise WrongValue(f"Expected key to be a text, got {key!r}")
    if key is not None and key.startswith("Bearer "):
        raise WrongValue(
            "Expected a key alone, got one behind 'Bearer '",
            "write key=mock_server.key",
        )
    redacted = None if key is None else as_redacted(key)
    fields = {"operation": operation, "body": body, "key": redacted, "status": status}
    return {name: value for name, value in fields.items() if value is not None}


def _check_fields(operation: str, body: Mapping[str, Any]) -> None:
    """Raise TypeError for a field that is probably misspelt.

    The assertion that no request has this field would always hold.
    """
    names = OPERATIONS[operation].contract.names if operation in OPERATIONS else ()
    for name in body:
        if name not in names and (hint := did_you_mean(name, names)):
            expected = f"Expected a field of {operation}"
            raise TypeError(f"{expected}, got {name!r}{hint} - at body")


def _count(times: object, least: int = 0) -> int:
    if isinstance(times, int) and not isinstance(times, bool) and times >= least:
        return times
    raise WrongValue(f"Expected times to be {least} or more, got {times!r}")


def assertion_message(criteria: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """Return the message of a failed journal assertion, with the nearest entries."""
    if "inOrder" in criteria:
        steps = list(map(_criteria_text, criteria["inOrder"]))
        matched, missing = steps[: result["count"]], steps[result["count"] :]
        after = f" after {' -> '.join(matched)}" if matched else ""
        lines = [f"Expected {' -> '.join(steps)}, got no {missing[0]}{after}"]
        if not result["message"].startswith("Expected an entry"):
            lines.append(f"  {result['message']}")  # the journal may lack a call
    else:
        lines = [f"{result['message']} calls of {_criteria_text(criteria)}"]
    for entry in result.get("nearest", ()):
        lines.append(f"  nearest: #{entry['seq']}")
        for each in entry["differences"]:
            lines.append(f"    {difference_text(each)}")
    return "\n".join(lines)


def _criteria_text(criteria: Mapping[str, Any]) -> str:
    names = ("body", "key", "status")
    texts = [f"{name} {criteria[name]!r}" for name in names if name in criteria]
    suffix = f" with {' and '.join(texts)}" if texts else ""
    return f"{criteria['operation']}{suffix}"

"""Faults, answers, replies and hits in tests: add them, count their firings, remove them."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Self

import httpx2
from msgspec import UNSET

from mock_server.control.http import Json, Refused, given, path
from mock_server.control.journal import JournalApi
from mock_server.scripting.match import brief

ANSWERS = ("answer", "reply", "hits")
"""The kinds of `respond`, `reply` and `hits`; all others are faults."""
BLOCK = {"times": 10_000}
"""How often a fault fires at most in a `with` block: as often as the server allows."""

__tracebackhide__ = True  # pytest shows the line of the test


class Fault:
    """A fault, an answer or a reply that was added, or all faults of a preset.

    In a `with` block it lasts until its end; a fault gets another id. The block fails if a
    fault, or what has `times`, never fired, as it then tests nothing.
    """

    def __init__(self, journal: JournalApi, fields: Json) -> None:
        self._journal, self._fields = journal, fields
        self.kind: str | None = fields.get("kind")
        self.is_answer = self.kind in ANSWERS
        self._add(fields)

    def _add(self, fields: Json) -> None:
        added = self._journal.call("POST", "/faults", fields)
        self.warning: str | None = added.get("warning")
        self._views: list[Json] = added.get("faults", [added])  # several of a preset
        self._is_removed = False
        self.id: str = self._views[0]["id"]

    @property
    def has_to_fire(self) -> bool:
        """Whether a test needs it to fire: a fault, or an answer with `times`."""
        return not self.is_answer or "times" in self._fields

    @property
    def fired(self) -> int:
        """How often it fired, in a `with` block since that began; a preset, all its faults."""
        if not self._is_removed:
            self._call_each("GET")
        return sum(it["fired"] for it in self._views)

    @property
    def missed(self) -> str | None:
        """What kept it from the nearest request; None if it has fired."""
        if self.fired:
            return None
        return str(self._views[0]["missed"])

    def _call_each(self, method: str) -> None:
        """Read all its rows, or remove them."""
        ids = [it["id"] for it in self._views]
        self._views = [self._journal.call(method, path("faults", id)) for id in ids]

    def remove(self) -> None:
        """Take it out of force."""
        self._call_each("DELETE")
        self._is_removed = True

    def __enter__(self) -> Self:
        # An answer, or a preset, lasts anyway.
        if not self.is_answer and "preset" not in self._fields:
            self.remove()
            self._add(BLOCK | self._fields)
        return self

    def __exit__(self, error: object, *_: object) -> None:
        try:
            self.remove()
        except Refused as refused:
            if refused.status != 404:  # the block may have removed or reset it
                raise
        else:
            if error is None and self.has_to_fire and self.fired == 0:
                why = f"{self} never fired in its block: {self.missed}"
                raise AssertionError(f"{why}\n{self._journal.summary()}")

    def __str__(self) -> str:
        return f"{'answer' if self.is_answer else 'fault'} {self.id} {brief(self._fields)}"


class Rows(JournalApi):
    """The faults and answers of a sandbox."""

    def __init__(self, http: httpx2.Client, sandbox: str = "default") -> None:
        super().__init__(http, sandbox)
        self._added: list[Fault] = []

    def fault(self, kind: str | None = None, **fields: Any) -> Fault:
        """Make requests fail: once, or with `times`; in a `with` block until it ends.

        The fields are those of `POST /__admin/faults`; `retry_after` means `retryAfter`. In
        place of a kind, `preset="flaky"` adds several faults, whose firings count together.
        """
        return self._add(given({"kind": kind}) | {camel(name): it for name, it in fields.items()})

    def respond(
        self,
        operation_or_route: str,
        *,
        data: Any = UNSET,
        json: Any = UNSET,
        text: str | None = None,
        body: bytes | None = None,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        delay_ms: float = 0,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
    ) -> Fault:
        """Answer an operation, or a route such as `GET /api/x/{id}`, until the next reset.

        `data` goes into the service's envelope; `json`, `text`, `body` are a whole body.
        """
        content = {name: it for name, it in (("data", data), ("json", json)) if it is not UNSET}
        fields = {"kind": "answer", "operation": operation_or_route, "status": status}
        fields |= {"text": text, "body": body, "headers": headers}
        limits = {"delayMs": delay_ms, "match": match, "times": times}
        return self._add(content | given(fields | limits))

    def reply(
        self,
        text: str | None = None,
        *,
        parts: Sequence[Any] | None = None,
        app: str | None = None,
        variables: Mapping[str, Any] | None = None,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
        stream: Mapping[str, Any] | None = None,
    ) -> Fault:
        """Set the message of chat completions, of one app or all: a text, or parts.

        `variables` are those that the workflow sets.
        """
        fields = {"text": text, "parts": parts, "app": app, "match": match, "times": times}
        return self._add(
            {"kind": "reply"} | given(fields | {"variables": variables, "stream": stream})
        )

    def hits(
        self,
        rows: Sequence[Mapping[str, Any]],
        *,
        match: Mapping[str, Any] | None = None,
        times: int | None = None,
    ) -> Fault:
        """Set what searches in datasets find: rows with their scores, in this order.

        A row is `{"row": ID, "score": 0.9}`, or `{"q": ..., "a": ..., "score": 0.3}`.
        """
        limits = given({"match": match, "times": times})
        return self._add({"kind": "hits", "rows": [*rows]} | limits)

    def _add(self, fields: Json) -> Fault:
        added = Fault(self, fields)
        self._added.append(added)
        if added.warning:
            warnings.warn(added.warning, stacklevel=3)  # at the line of the test
        return added

    @property
    def faults(self) -> list[Json]:
        """The faults and answers that were added, with what is left of each."""
        return [*self.call("GET", "/faults")["faults"]]

    def unfired(self) -> list[Fault]:
        """The added faults, and answers with `times`, that never fired."""
        mine = [it for it in self._added if it.has_to_fire]
        if not mine:
            return []
        unfired = {it["id"] for it in self.faults if it["fired"] == 0}
        return [it for it in mine if it.id in unfired and it.fired == 0]


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))

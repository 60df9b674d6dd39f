"""Faults whose answers can be said exactly: when each fires, and what it then does."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.model.answers import Answer, Refused, expected, refusal
from tests.model.base import Page
from tests.model.choices import Choices
from tests.model.listing import appeared
from tests.model.records import Fields

NEEDS = {
    "error": "",
    "rate_limit": "",
    "lost_write": "write",
    "page_drift": "page",
    "duplicate_item": "page",
    "alter": "page",
    "wrong_total": "total",
}
"""The trait that an operation needs for a kind to have a meaning."""


class Asked(NamedTuple):
    """What faults see of a request: the key as it was sent, and the declared one."""

    operation: str
    traits: set[str]
    sent_key: str
    key: str
    fields: Fields


class Standing(NamedTuple):
    """Where a rate limit stands after a request; seconds until its window is over."""

    is_allowed: bool
    limit: int
    left: int
    seconds: int

    def headers(self) -> dict[str, str]:
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(self.left),
            "x-ratelimit-reset": str(self.seconds),
        }


class Fault:
    """One fault, and how often it has been asked and has fired."""

    def __init__(self, name: str, given: Fields) -> None:
        self.id, self.kind = name, given["kind"]
        times = None if self.kind == "rate_limit" else 1
        default = {"operation": "*", "match": {}, "skip": 0, "times": times}
        self.fields: Fields = default | {"phase": "before"} | given
        self.matches = self.fired = 0
        self.windows: dict[str, tuple[int, int]] = {}
        self.standing: Standing | None = None

    @property
    def remaining(self) -> int | None:
        times: int | None = self.fields["times"]
        return None if times is None else times - self.fired

    def view(self) -> Fields:
        """What the admin API tells of it, as far as it is counted."""
        names = ("id", "kind", "remaining", "fired", "matches")
        return {name: getattr(self, name) for name in names}

    def fires(self, asked: Asked, now: int) -> bool:
        """Whether it fires; `standing` is then where its rate limit stands, if any."""
        self.standing = None
        wanted, need = self.fields, NEEDS[self.kind]
        match = wanted["match"]
        if wanted["operation"] not in ("*", asked.operation) or self.remaining == 0:
            return False
        if need and need not in asked.traits:
            return False
        if match.get("key") not in (None, asked.sent_key, asked.key):
            return False
        if not _holds(match.get("body") or {}, asked.fields):
            return False
        self.matches += 1
        if self.matches <= wanted["skip"]:
            return False
        if self.kind == "rate_limit":
            self.standing = self._count(asked.sent_key, now)
            if self.standing.is_allowed:
                return False
        self.fired += 1
        return True

    def _count(self, key: str, now: int) -> Standing:
        length = self.fields["window"] * 1000
        start, count = self.windows.get(key, (now, 0))
        if not start <= now < start + length:
            start, count = now, 0
        is_allowed = count < self.fields["limit"]
        self.windows[key] = start, count + is_allowed
        left = self.fields["limit"] - count - is_allowed
        seconds = -(-(start + length - now) // 1000)
        return Standing(is_allowed, self.fields["limit"], left, seconds)

    def answer(self, choices: Choices) -> Answer:
        """What `error` and `rate_limit` answer."""
        if self.kind == "error":
            status = self.fields.get("status", 503)
            body = {
                "code": self.fields.get("code", status),
                "statusText": "injected",
                "message": self.fields.get("message", "Injected by a fault"),
                "data": None,
            }
            retry = self.fields.get("retryAfter")
            headers = {} if retry is None else {"retry-after": str(retry)}
            return Answer(status, body, headers, is_exact=True)
        assert self.standing is not None
        what = f"at most {self.standing.limit} requests in a window"
        text = expected(what, "one more", "header Authorization")
        answer = refusal(Refused("rate", text), choices)
        headers = {"retry-after": str(self.standing.seconds)}
        return answer._replace(headers=headers | self.standing.headers())

    def change(self, page: Page, fields: Fields) -> None:
        """Have a page show what is not so."""
        if self.kind == "wrong_total":
            page.total = max(0, page.total + self.fields.get("by", 1))
        elif self.kind == "duplicate_item" and page.items:
            again = page.matching[max(0, page.offset - 1)]
            page.items = [again, *page.items][: page.size]
        elif self.kind == "page_drift":
            numbers = range(1, self.fields.get("insert", 0) + 1)
            new = [appeared(fields, number) for number in numbers]
            items, at = list(page.matching), self.fields.get("at", 0)
            here = min(at, len(items))
            items[here : here + self.fields.get("remove", 0)] = new
            page.items = items[page.offset : page.offset + page.size]
            page.total, page.matching = len(items), items

    def alter(self, data: Any) -> None:
        """Have fields of all items set, or removed."""
        items = data.get("list", data.get("data")) if isinstance(data, dict) else data
        for item in items or ():
            item.update(self.fields.get("set", {}))
            for name in self.fields.get("remove", []):
                item.pop(name, None)


def _holds(wanted: Any, value: Any) -> bool:
    """Whether a value has all that is wanted of it."""
    if isinstance(wanted, dict) and isinstance(value, dict):
        return all(
            name in value and _holds(each, value[name]) for name, each in wanted.items()
        )
    if isinstance(wanted, list) and isinstance(value, list):
        return len(wanted) == len(value) and all(map(_holds, wanted, value))
    return bool(wanted == value) and isinstance(wanted, bool) is isinstance(value, bool)

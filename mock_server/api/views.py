"""What is shown of requests, as types; to import them loads nothing else."""

from __future__ import annotations

from msgspec import Raw, Struct


class View(Struct, rename="camel"):
    """A JSON object that is only shown."""


class RequestView(View):
    """What the client sent; `body` is JSON as it came, or text, null if none came."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: Raw
    truncated: bool


class AnswerView(View):
    """What the client was answered; status 0 when it had gone before."""

    status: int
    headers: dict[str, str]
    body: Raw
    truncated: bool


class ViolationView(View):
    """A departure from the spec: the choice that may tolerate it, section, place."""

    name: str
    section: str
    path: str
    message: str


class FiringView(View):
    """The fault that fired, and the random draw that was below the threshold."""

    id: str
    kind: str
    draw: float
    threshold: float


class EntryView(View):
    """One request, in the order of arrival `seq`; the key is redacted."""

    seq: int
    time: str
    generation: int
    operation: str | None
    key: str | None
    member: str | None
    request: RequestView
    answer: AnswerView
    fault: FiringView | None
    duration_ms: float
    violations: list[ViolationView]
    hint: str | None

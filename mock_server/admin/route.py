"""What an admin route is: a row that says what it takes and gives, and a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct, field
from starlette.types import Scope

from mock_server.admin.loads import Gone, Loads
from mock_server.admin.sending import Sendings
from mock_server.api.answers import Answer
from mock_server.domain.errors import Refusal
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes


class Input(Struct, rename="camel", forbid_unknown_fields=True):
    """A JSON object, or a query, that a route takes; other fields are refused."""


class Call(Struct, frozen=True):
    """A request that has passed the guard, its parts read as its route says.

    `content` is the body as it came; `path` holds the decoded path parameters. `gone`
    waits until the client has gone; `has_place` says that a large document may come.
    """

    scope: Scope
    sandboxes: Sandboxes
    sandbox: Sandbox
    path: Mapping[str, str]
    query: Any
    body: Any
    content: bytes
    loads: Loads
    sendings: Sendings
    gone: Gone
    has_place: bool = False


Shape = type | tuple[type, ...]
"""What a body looks like; a tuple of types is any of these."""


class AdminRoute(Struct, frozen=True):
    """One route. Its path is below `/__admin`, and below each sandbox's own path too
    unless it `is_global`.

    `handle` gives what `answer` describes, or an Answer, Events, or Sent; or an
    awaitable of these. It may raise the refusals of `errors`. `further` are the
    answers with another status. A body of one type is read as that, one of several as
    plain data, a `raw_body` not at all: the function does that. A route that `loads`
    takes large documents, for which there are few places.
    """

    method: str
    path: str
    handle: Callable[[Call], Any]
    answer: Shape
    summary: str
    body: Shape | None = None
    raw_body: Shape | None = None
    query: type[Struct] | None = None
    status: int = 200
    further: Mapping[int, Shape] = field(default_factory=dict)
    errors: tuple[type[Refusal], ...] = ()
    is_global: bool = False
    loads: bool = False
    max_bytes: int = LIMITS.body_bytes
    takes: tuple[str, ...] = ("application/json",)
    gives: tuple[str, ...] = ("application/json",)


def created(value: object) -> Answer:
    """The answer to a request that has made something new."""
    return Answer(201, msgspec.json.encode(value))

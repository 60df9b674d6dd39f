"""What resources of the admin API are written with: routes, calls, views.

A resource is a list of routes (`AdminRoute`). `endpoint` reads a request as its route
says (`Call`), has the route's handler make a view, and sends that as JSON.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, ClassVar, Generic, Protocol, TypeVar

from msgspec import Meta, Struct, field
from starlette.types import Scope

from mock_server.admin.loading import Loader
from mock_server.admin.reloading import Reloader
from mock_server.admin.streaming import OpenResponses, Streams
from mock_server.api.operations.operation import Operations
from mock_server.api.redaction import Secrets
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.errors import InvalidField, Refusal, describe_value
from mock_server.domain.limits import Limits
from mock_server.domain.responses import DeclaredResponses
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import Sandboxes

V = TypeVar("V")

Shape = type | tuple[type, ...]
"""The type of a body or a response; a tuple of types is any of these."""


class AdminRoute(Struct, frozen=True):
    """One route, at a path below `/__admin`.

    Unless it `is_global`, the route is there below each sandbox's own path too.

    `handle` makes a view of type `answer`. It may also give Created or Conflict, whose
    types are in `further`; a Response, JournalStream or Download, which are sent as
    they are; or an awaitable of any of these. It raises the refusals of `errors`.

    A `body` of one type is converted to that; one of several types is left as a
    dictionary; a `raw_body` is only described, and read by the handler. With
    `takes_fixture` the body is a whole fixture document: it may be larger than others,
    and few large ones are loaded at the same time.
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
    takes_fixture: bool = False
    takes: tuple[str, ...] = ("application/json",)
    gives: tuple[str, ...] = ("application/json",)


Paths = Mapping[str, Mapping[str, AdminRoute]]
"""Routes by path and method."""


class Input(Struct, rename="camel", forbid_unknown_fields=True):
    """A JSON object, or a query, that a route takes; other fields are refused."""


class PageQuery(Input):
    """Which part of a long list."""

    offset: Annotated[int, Meta(ge=0, le=Limits.integer)] = 0
    limit: Annotated[int, Meta(ge=1, le=Limits.journal_page)] = Limits.journal_page

    @property
    def part(self) -> slice:
        """The part as a slice of the whole list."""
        return slice(self.offset, self.offset + self.limit)


class Created(Struct, Generic[V], frozen=True):
    """The view of something that did not exist before; sent with 201."""

    status: ClassVar[int] = 201
    view: V


class Conflict(Struct, Generic[V], frozen=True):
    """A view that says why things are not as the client has claimed; sent with 409."""

    status: ClassVar[int] = 409
    view: V


class Metrics(Protocol):
    """What a server tells of itself, where that is asked for."""

    def text(self) -> bytes:
        """All metrics in Prometheus' text format; called on the event loop."""

    def close(self) -> None:
        """End what would not end by itself."""


class Services:
    """What all admin requests to an application share.

    `operations` is the table of what it serves; `loader` loads fixture documents,
    `reloader` the server's own files, in whose problems there are to be no `secrets`.
    `streams` and `downloads` are the long responses that are being sent. `demo` is the
    path of the demo front end, if it is served, and `metrics` are told if they are
    asked for.
    """

    def __init__(
        self,
        sandboxes: Sandboxes,
        loader: Loader,
        operations: Operations,
        secrets: Secrets,
        demo: str | None = None,
        metrics: Metrics | None = None,
    ) -> None:
        limits = sandboxes.limits
        self.sandboxes = sandboxes
        self.loader = loader
        self.operations = operations
        self.demo = demo
        self.metrics = metrics
        self.reloader = Reloader(sandboxes, loader, secrets)
        self.streams = Streams(limits)
        self.downloads = OpenResponses(
            limits.sendings, "large answers at the same time"
        )

    def close(self) -> None:
        """End streams, downloads, and the loading of documents."""
        for each in (self.streams, self.downloads, self.reloader, self.loader):
            each.close()
        if self.metrics is not None:
            self.metrics.close()


class Call(Struct, frozen=True):
    """A request that has passed the guard, read as its route says.

    `path` holds the decoded parameters of the path, `content` the body as it came.
    `disconnected` waits until the client has gone. `has_slot` says that the request
    holds one of the loader's slots already.
    """

    scope: Scope
    services: Services
    sandbox: Sandbox
    path: Mapping[str, str]
    query: Any
    body: Any
    content: bytes
    disconnected: Callable[[], Awaitable[object]]
    has_slot: bool = False

    @property
    def sandboxes(self) -> Sandboxes:
        """All sandboxes of the application."""
        return self.services.sandboxes

    @property
    def limits(self) -> Limits:
        """The bounds of the application."""
        return self.services.sandboxes.limits

    @property
    def operations(self) -> Operations:
        """The operations that the application serves."""
        return self.services.operations

    @property
    def responses(self) -> DeclaredResponses:
        """The responses that are declared in the sandbox now."""
        return self.sandbox.state.store.generation.responses


def check_name(name: str, at: str) -> None:
    """Raises InvalidField for what no sandbox or snapshot can be called."""
    # Clients take `.` and `..` out of a URL (RFC 3986 5.2.4).
    if not re.fullmatch(NAME_PATTERN, name) or name in (".", ".."):
        expected = f"a name like {NAME_PATTERN}"
        message = f"Expected {expected}, got {describe_value(name)} - at {at}"
        raise InvalidField(f"{message} (1 to 64 of these: A-Z a-z 0-9 . _ -)")

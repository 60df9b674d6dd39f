"""Defines routes, calls and views, which the resources of the admin API use.

A resource is a list of routes (`AdminRoute`). `endpoint` reads a request into a `Call`,
calls the route's handler, and sends the returned view as JSON.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    TypeVar,
    Union,
    get_args,
    get_origin,
)

from msgspec import Meta, Struct, field
from starlette.types import Scope

from mock_server.admin.loading import Loader, Wait
from mock_server.admin.reloading import Reloader
from mock_server.admin.streaming import LongResponse, OpenResponses, Streams
from mock_server.api.redaction import Secrets
from mock_server.api.response import Response
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.errors import InvalidField, LimitReached, Refusal
from mock_server.domain.faults.routes import is_route
from mock_server.domain.limits import Limits, Published
from mock_server.domain.messages import describe_value, hint_of_name, known_names_hint
from mock_server.domain.sandboxes.registry import Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.sandbox import Sandbox

IN_PATH = "the sandbox is in the path: /__admin/sandboxes/NAME/..."
A_NAME = "a name of 1 to 64 letters, digits, '.', '_' or '-'"
ADMITTED = "mock_server.admitted"
"""Key of a scope: True if the caller has the admin token, or the server has none."""
V = TypeVar("V")
Handler = TypeVar("Handler", bound=Callable[..., Any])

Shape = type | tuple[type, ...]
"""The type of a body or a response; a tuple means any of its types."""


class Example(Struct, frozen=True):
    """A request with which the documents show a route; `path` has path parameters."""

    body: Any = None
    query: str = ""
    path: Mapping[str, str] = field(default_factory=dict)


class AdminRoute(Struct, frozen=True):
    """One route, at a path below `/__admin`.

    Unless it `is_global`, the route is also served below the path of each sandbox.

    `handle` is called with a Call and those attributes of it that `arguments` name. It
    returns a view of `response_type`, or Created or Conflict with a type in
    `other_types`, or a Response or LongResponse, which is sent unchanged, or an
    awaitable of these. It raises the refusals in `errors`. A DELETE returns the removed
    object.

    A `body` of one type is converted to the type; with several types the handler gets a
    dictionary; the handler itself reads a `raw_body`. With `has_fixture_body` the body
    is a whole fixture, which may be larger than other bodies; few large fixtures load
    at the same time. `examples` are requests that succeed; one that creates an object
    is sent twice, to show the response of a replacement too.
    """

    method: str
    path: str
    handle: Callable[..., Any]
    response_type: Shape
    summary: str
    arguments: tuple[str, ...] = ()
    body: Shape | None = None
    raw_body: Shape | None = None
    query: type[Struct] | None = None
    status: int = 200
    other_types: Mapping[int, Shape] = field(default_factory=dict)
    errors: tuple[type[Refusal], ...] = ()
    is_global: bool = False
    has_fixture_body: bool = False
    body_media_types: tuple[str, ...] = ("application/json",)
    media_types: tuple[str, ...] = ("application/json",)
    examples: tuple[Example, ...] = ()


class Routes(list[AdminRoute]):
    """The routes of a resource, each declared at its handler.

    The types of response, body and `query` come from the handler's signature, and the
    summary from the first line of its docstring.
    """

    def add(
        self, method: str, path: str, **fields: Any
    ) -> Callable[[Handler], Handler]:
        """Declare the route of a handler; `fields` are other fields of AdminRoute."""

        def declare(handle: Handler) -> Handler:
            annotations = dict(handle.__annotations__)
            response_type, other_types = _response_types(annotations.pop("return"))
            inputs = {
                "query" if name == "query" else "body": kind
                for name, kind in [*annotations.items()][1:]
            }
            types: dict[str, Any] = {"response_type": response_type}
            types["other_types"] = other_types
            types["arguments"] = (*inputs,)
            types |= {name: it for name, it in inputs.items() if isinstance(it, type)}
            types |= fields
            summary = (handle.__doc__ or "").partition("\n")[0].removesuffix(".")
            self.append(AdminRoute(method, path, handle, summary=summary, **types))
            return handle

        return declare


def _response_types(result: Any) -> tuple[Shape, dict[int, Shape]]:
    """Return the types of a handler's views, and other types by their status."""
    types = get_args(result) if get_origin(result) in (Union, UnionType) else (result,)
    status_types = [each for each in types if get_origin(each) in (Created, Conflict)]
    other_types = {get_origin(each).status: get_args(each)[0] for each in status_types}
    view_types = (each for each in types if each not in status_types)
    views = [each for each in view_types if not is_sent_as_it_is(each)]
    return (views[0] if len(views) == 1 else tuple(views) or Response), other_types


def is_sent_as_it_is(form: Any) -> bool:
    """Return whether a handler returns this type as a response, not as a view."""
    return isinstance(form, type) and issubclass(form, Response | LongResponse)


Paths = Mapping[str, Mapping[str, AdminRoute]]
"""Routes by path and method."""


class Input(Struct, rename="camel", forbid_unknown_fields=True):
    """A JSON object or query of a request; unknown fields are refused."""

    @classmethod
    def unknown_field_hint(cls, name: str, _: Mapping[str, object]) -> str:
        """Return a hint for an unknown field, or ""."""
        return f" ({IN_PATH})" if name == "sandbox" else ""


class PageQuery(Input):
    """The page of a long list, by `offset` and `limit`."""

    offset: Annotated[int, Meta(ge=0, le=Published.integer)] = 0
    limit: Annotated[int, Meta(ge=1, le=Published.journal_page)] = (
        Published.journal_page
    )


class Created(Struct, Generic[V], frozen=True):
    """The view of a new object, which is sent with 201."""

    status: ClassVar[int] = 201
    view: V


class Conflict(Struct, Generic[V], frozen=True):
    """The view of a failed assertion, which is sent with 409."""

    status: ClassVar[int] = 409
    view: V


class Services:
    """Objects that all admin requests to an application share.

    `loader` loads fixtures of clients, `reloader` the server's own files, without
    `secrets` in the problems. `streams` and `downloads` count the long responses that
    are being sent. `demo` is the path of the demo front end, if it is served.
    """

    def __init__(
        self, sandboxes: Sandboxes, secrets: Secrets, demo: str | None
    ) -> None:
        limits = sandboxes.limits
        self.sandboxes = sandboxes
        self.demo = demo
        self.loader = Loader(sandboxes.memory, limits)
        self.reloader = Reloader(sandboxes, self.loader, secrets)
        self.streams = Streams(sandboxes)
        self.downloads = OpenResponses(
            limits.sendings, "large answers at the same time"
        )

    def close(self) -> None:
        """End streams and the loading of fixtures."""
        for each in (self.streams, self.reloader, self.loader):
            each.close()


class Call(Struct, frozen=True):
    """A request that has passed the guard, with its path, query and body parsed.

    `path` has the decoded path parameters, `content` the bytes of the body.
    `wait_for_disconnect` returns when the client has disconnected.
    """

    scope: Scope
    services: Services
    sandbox: Sandbox
    path: Mapping[str, str]
    query: Any
    body: Any
    content: bytes
    wait_for_disconnect: Wait

    @property
    def sandboxes(self) -> Sandboxes:
        """All sandboxes of the application."""
        return self.services.sandboxes

    def check_sandbox(self) -> None:
        """Raise SandboxNotFound if the sandbox was deleted, or replaced by another."""
        if self.sandboxes.get(self.sandbox.name) is not self.sandbox:
            expected = "the sandbox of the request"
            raise SandboxNotFound(expected, "a new one of the same name", "path")

    @property
    def limits(self) -> Limits:
        """The limits of the application."""
        return self.sandboxes.limits

    @property
    def routes(self) -> Collection[str]:
        """The routes of static responses and answers that the sandbox has now."""
        return {*filter(is_route, self.sandbox.faults.answered_names)}


def require(
    value: V | None,
    call: Call,
    name: str,
    refusal: type[Refusal],
    expected: str,
    ids: Iterable[str],
    count: int | None = None,
    ids_and_names: Iterable[tuple[str, str]] = (),
    hint: str = "",
) -> V:
    """Return `value`, or raise `refusal` if it is None.

    `name` is the path parameter with the unknown id. The hint lists some of the `count`
    `ids`, or the id whose name the caller has written; `ids_and_names` are ids with
    names. `hint` comes first.
    """
    if value is not None:
        return value
    text = call.path[name]
    if count is None:
        ids = [*ids]
        count = len(ids)
        for other_name, other_value in call.path.items():
            if other_value in ids and other_name != "sandbox":
                hint = f"{name} and {other_name} look swapped: {name} comes first"
                raise refusal(expected, describe_value(text), "path", hint)
    name_hint = hint_of_name(text, ids_and_names)
    hints = hint, name_hint, known_names_hint(text, ids, count)
    hint = "; ".join(filter(None, hints))
    raise refusal(expected, describe_value(text), "path", hint)


def check_room(count: int, limit: int, objects: str) -> None:
    """Raise LimitReached if there are `limit` created objects already."""
    if count >= limit:
        raise LimitReached(f"at most {limit} created {objects}", "one more", "path")


def check_name(name: str, place: str) -> None:
    """Raise InvalidField if a sandbox or a snapshot cannot have this name."""
    # Clients remove `.` and `..` from URLs (RFC 3986 5.2.4).
    if not re.fullmatch(NAME_PATTERN, name) or name in (".", ".."):
        raise InvalidField.of(name, A_NAME, place)

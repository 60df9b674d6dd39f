"""From an admin request to the call of a handler, and from its view to a response.

A resource is a list of routes (`AdminRoute`). The endpoint of a path reads a request as
its route says (`Call`), has the route's handler make a view, and sends that as JSON.
The order of this file is that of the story: route, call, endpoint, reading, sending.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Annotated, Any, ClassVar, Generic, TypeVar
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec
from msgspec import Meta, Struct, field
from starlette.types import Receive, Scope, Send

from mock_server.admin.loading import Loader
from mock_server.admin.streaming import Download, JournalStream, OpenResponses
from mock_server.api.errors import MethodNotAllowed, UnsupportedMediaType
from mock_server.api.headers import check_content_type as check_json
from mock_server.api.headers import media_type, parse_headers, values
from mock_server.api.operations.operation import Operations
from mock_server.api.request import ClientGone, RequestBody, check_integers, read_json
from mock_server.api.response import Response, error_response, response_headers
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.choices import Choices
from mock_server.domain.errors import InvalidField, Refusal, describe_value
from mock_server.domain.limits import Limits
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import DEFAULT, Sandboxes
from mock_server.validation.convert import convert

# Answers repeat what clients have sent, who may be hostile: no browser may take one
# for a script or a page, and no other site may embed one (WHATWG Fetch).
BROWSER_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
# These need the type of JSON, which no form of a foreign page can have. A DELETE has no
# body, and a browser asks before it sends one to another site.
_BODIED = ("POST", "PUT")
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


class Created(Struct, Generic[V], frozen=True):
    """The view of something that did not exist before; sent with 201."""

    status: ClassVar[int] = 201
    view: V


class Conflict(Struct, Generic[V], frozen=True):
    """A view that says why things are not as the client has claimed; sent with 409."""

    status: ClassVar[int] = 409
    view: V


class Services:
    """What all admin requests to an application share.

    `operations` is the table of what it serves; `loader` loads fixture documents.
    `streams` and `downloads` are the long responses that are being sent.
    """

    def __init__(
        self, sandboxes: Sandboxes, loader: Loader, operations: Operations
    ) -> None:
        limits = sandboxes.limits
        self.sandboxes = sandboxes
        self.loader = loader
        self.operations = operations
        self.streams = OpenResponses(limits.journal_streams, "streams")
        self.downloads = OpenResponses(
            limits.sendings, "large answers at the same time"
        )

    def close(self) -> None:
        """End streams, downloads, and the loading of documents."""
        for each in (self.streams, self.downloads, self.loader):
            each.close()


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


class AdminEndpoint:
    """The ASGI application of one path: serves its routes by method."""

    def __init__(self, routes: Mapping[str, AdminRoute], services: Services) -> None:
        self._routes = routes
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = RequestBody(scope, receive)
        try:
            response = await self._response(scope, body)
        except Refusal as refusal:
            response = plain_error(refusal)
        except ClientGone:
            return
        if isinstance(response, Response):
            await respond(response, body, send)
        else:
            await response.send(scope, receive, send, BROWSER_HEADERS)

    async def _response(
        self, scope: Scope, body: RequestBody
    ) -> Response | JournalStream | Download:
        # HEAD is answered as GET is, but for the body (RFC 9110 9.3.2).
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        route = self._routes.get(method)
        if route is None:
            expected, got = ", ".join(self._routes), describe_value(scope["method"])
            raise MethodNotAllowed(expected, got)
        # Before slot and body: a request that this refuses takes neither.
        check_content_type(route, scope)
        limits = self._services.sandboxes.limits
        if not (route.takes_fixture and _may_be_large(scope, limits)):
            return await self._handled(await self._call(route, scope, body), route)
        # The slot comes before the body: what waits for one would fill the memory.
        with self._services.loader.slot():
            call = await self._call(route, scope, body, has_slot=True)
            return await self._handled(call, route)

    async def _call(
        self,
        route: AdminRoute,
        scope: Scope,
        body: RequestBody,
        *,
        has_slot: bool = False,
    ) -> Call:
        sandboxes = self._services.sandboxes
        limits = sandboxes.limits
        path = {name: _decoded(text) for name, text in scope["path_params"].items()}
        most = limits.fixture_bytes if route.takes_fixture else limits.body_bytes
        content = await body.read(most, sandboxes.memory)
        # The body may have taken long: only now it is clear which sandbox it is for.
        return Call(
            scope=scope,
            services=self._services,
            sandbox=sandboxes.get(path.get("sandbox", DEFAULT)),
            path=path,
            query=_query(route, scope),
            body=_body(route, content),
            content=content,
            disconnected=body.gone,
            has_slot=has_slot,
        )

    async def _handled(
        self, call: Call, route: AdminRoute
    ) -> Response | JournalStream | Download:
        made = route.handle(call)
        if isawaitable(made):
            made = await made
        if route.method != "GET":
            # Also where nothing has changed: to look in vain costs a page little.
            call.sandbox.changed()
        if isinstance(made, Response | JournalStream | Download):
            return made
        if isinstance(made, Created | Conflict):
            return Response(made.status, msgspec.json.encode(made.view))
        return Response(route.status, msgspec.json.encode(made))


def check_content_type(route: AdminRoute, scope: Scope) -> None:
    """Raises UnsupportedMediaType with the command that would have been right."""
    headers = scope["headers"]
    # Every route takes JSON, named first. Of a further type there is no more to check.
    if route.method not in _BODIED or media_type(headers) in route.takes[1:]:
        return
    try:
        check_json(headers, Choices())
    except UnsupportedMediaType:
        types = values(headers, b"content-type")
        host = values(headers, b"host")[0].decode("latin-1")
        command = f"curl -X {route.method} http://{host}{scope['path']}"
        raise UnsupportedMediaType(
            "application/json",
            describe_value(b", ".join(types).decode("latin-1")) if types else "nothing",
            "header Content-Type",
            f"such as {command} -H 'Content-Type: application/json' -d '{{}}'",
        ) from None


def _may_be_large(scope: Scope, limits: Limits) -> bool:
    """Whether a body is announced as large, or to come without its length."""
    head = parse_headers(scope["headers"])
    # After HTTP/1 there are no chunks (RFC 9113 8.1), and a body without a length may
    # still come.
    is_open = head.is_chunked or scope["http_version"][0] != "1"
    return is_open or head.length > limits.inline_load_bytes


def _decoded(text: str) -> str:
    """A path parameter without percent-escapes, which routing has left as they came."""
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        message = f"Expected UTF-8, got {describe_value(text)} - at path"
        raise InvalidField(message) from None


def _query(route: AdminRoute, scope: Scope) -> Struct | None:
    if route.query is None:
        return None
    # Not UTF-8: whatever bytes come can be read, and the mistakes in them be told.
    text = scope["query_string"].decode("latin-1")
    # An empty value counts: `parentId=` is the top level.
    given: dict[str, object] = dict(parse_qsl(text, keep_blank_values=True))
    # Not strict: every value of a query is a text, also that of a number.
    return convert(given, route.query, "query", strict=False)


def _body(route: AdminRoute, content: bytes) -> object:
    if route.body is None:
        return None
    # To reset or to take a snapshot needs no field, so it needs no body.
    fields = read_json(content) if content.strip() else {}
    check_integers(content, fields)
    # Which of several types it is depends on the fields: the handler looks.
    return fields if isinstance(route.body, tuple) else convert(fields, route.body)


class PageQuery(Input):
    """Which part of a long list."""

    offset: Annotated[int, Meta(ge=0, le=Limits.integer)] = 0
    limit: Annotated[int, Meta(ge=1, le=Limits.journal_page)] = Limits.journal_page

    @property
    def part(self) -> slice:
        """The part as a slice of the whole list."""
        return slice(self.offset, self.offset + self.limit)


def check_name(name: str, at: str) -> None:
    """Raises InvalidField for what no sandbox or snapshot can be called."""
    # Clients take `.` and `..` out of a URL (RFC 3986 5.2.4).
    if not re.fullmatch(NAME_PATTERN, name) or name in (".", ".."):
        expected = f"a name like {NAME_PATTERN}"
        raise InvalidField(f"Expected {expected}, got {describe_value(name)} - at {at}")


def plain_error(refusal: Refusal) -> Response:
    """The response to a refused admin request: plain whatever `error_form` says."""
    return error_response(refusal, Choices())


async def respond(response: Response, body: RequestBody, send: Send) -> None:
    """Send a response of the admin API."""
    await response.send(response_headers(response, *BROWSER_HEADERS), body, send)

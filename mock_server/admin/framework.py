"""The ASGI endpoint of one admin path: from a request to a call, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import isawaitable
from typing import Any
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec
from msgspec import Struct, field
from starlette.types import Receive, Scope, Send

from mock_server.admin.loads import Gone, Loads
from mock_server.admin.responses import plain, respond
from mock_server.admin.sending import LongResponse, Sendings
from mock_server.admin.stream import EVENT_STREAM, Events
from mock_server.api.errors import MethodNotAllowed, UnsupportedMediaType
from mock_server.api.headers import check_content_type as check_json
from mock_server.api.headers import media_type, parse_headers, values
from mock_server.api.request import ClientGone, RequestBody, check_integers, read_json
from mock_server.api.response import Response
from mock_server.domain.choices import Choices
from mock_server.domain.errors import InvalidField, Refusal, describe_value
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandbox import Sandbox
from mock_server.domain.sandboxes import DEFAULT, Sandboxes
from mock_server.validation.convert import convert

_BODIED = ("POST", "PUT")


def check_content_type(route: AdminRoute, scope: Scope) -> None:
    """Raises UnsupportedMediaType with the command that would have been right."""
    headers = scope["headers"]
    if route.method not in _BODIED:
        return
    if media_type(headers) in route.takes[1:]:
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

    `handle` gives what `answer` describes, or a Response, Events or LongResponse, or
    an awaitable of these. It may raise the refusals of `errors`. `further` are the
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


Paths = Mapping[str, Mapping[str, AdminRoute]]
"""Routes by path and method."""


def created(value: object) -> Response:
    """The answer to a request that has made something new."""
    return Response(201, msgspec.json.encode(value))


class AdminEndpoint:
    """Serves the routes that share a path, by method."""

    def __init__(
        self,
        routes: Mapping[str, AdminRoute],
        sandboxes: Sandboxes,
        loads: Loads,
        sendings: Sendings,
    ) -> None:
        self._routes = routes
        self._sandboxes = sandboxes
        self._loads = loads
        self._sendings = sendings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = RequestBody(scope, receive)
        try:
            done = await self._perform(scope, body)
        except Refusal as refusal:
            done = plain(refusal)
        except ClientGone:
            return
        if isinstance(done, LongResponse):
            await done.send(scope, receive, send)
        elif isinstance(done, Events) and scope["method"] == "GET":
            await done.send(receive, send)
        elif isinstance(done, Events):
            await respond(Response(200, b"", content_type=EVENT_STREAM), body, send)
        else:
            await respond(done, body, send)

    async def _perform(
        self, scope: Scope, body: RequestBody
    ) -> Response | Events | LongResponse:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        route = self._routes.get(method)
        if route is None:
            raise MethodNotAllowed(
                ", ".join(self._routes), describe_value(scope["method"])
            )
        check_content_type(route, scope)
        if not (route.loads and _may_be_large(scope)):
            return await self._handled(route, scope, body)
        with self._loads.place():
            return await self._handled(route, scope, body, has_place=True)

    async def _handled(
        self,
        route: AdminRoute,
        scope: Scope,
        body: RequestBody,
        *,
        has_place: bool = False,
    ) -> Response | Events | LongResponse:
        path = {name: _decoded(text) for name, text in scope["path_params"].items()}
        content = await body.read(route.max_bytes, self._sandboxes.memory)
        call = Call(
            scope=scope,
            sandboxes=self._sandboxes,
            sandbox=self._sandboxes.get(path.get("sandbox", DEFAULT)),
            path=path,
            query=_query(route, scope),
            body=_body(route, content),
            content=content,
            loads=self._loads,
            sendings=self._sendings,
            gone=body.gone,
            has_place=has_place,
        )
        done = route.handle(call)
        if isawaitable(done):
            done = await done
        if route.method != "GET":
            call.sandbox.changed()
        if isinstance(done, Response | Events | LongResponse):
            return done
        return Response(route.status, msgspec.json.encode(done))


def _may_be_large(scope: Scope) -> bool:
    """Whether a body is announced as large, or to come without its length."""
    head = parse_headers(scope["headers"])
    is_open = head.is_chunked or scope["http_version"][0] != "1"
    return is_open or head.length > LIMITS.inline_load_bytes


def _decoded(text: str) -> str:
    """A path parameter without its escapes; they were routed as they came."""
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise InvalidField(
            f"Expected UTF-8, got {describe_value(text)} - at path"
        ) from None


def _query(route: AdminRoute, scope: Scope) -> Struct | None:
    if route.query is None:
        return None
    text = scope["query_string"].decode("latin-1")
    given: dict[str, object] = dict(parse_qsl(text, keep_blank_values=True))
    return convert(given, route.query, "query", strict=False)


def _body(route: AdminRoute, content: bytes) -> object:
    if route.body is None:
        return None
    fields = read_json(content) if content.strip() else {}
    check_integers(content, fields)
    return fields if isinstance(route.body, tuple) else convert(fields, route.body)

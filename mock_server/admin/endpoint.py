"""The ASGI endpoint of one admin path: from a request to a call, and back."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import isawaitable
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from mock_server.admin.answering import answer, plain
from mock_server.admin.content_type import check_content_type
from mock_server.admin.events import EVENT_STREAM, Events
from mock_server.admin.loads import Loads
from mock_server.admin.route import AdminRoute, Call
from mock_server.admin.sending import Sendings, Sent
from mock_server.api.answers import Answer
from mock_server.api.body import ClientGone, RequestBody, TooLarge
from mock_server.api.errors import BodyTooLarge, MethodNotAllowed
from mock_server.api.fields import check_integers
from mock_server.api.head import read_head
from mock_server.api.requests import read_json
from mock_server.api.typed import typed
from mock_server.domain.errors import InvalidField, Refusal, show
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandboxes import DEFAULT, Sandboxes


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
        if isinstance(done, Sent):
            await done.send(scope, receive, send)
        elif isinstance(done, Events) and scope["method"] == "GET":
            await done.send(receive, send)
        elif isinstance(done, Events):
            await answer(Answer(200, b"", content_type=EVENT_STREAM), body, send)
        else:
            await answer(done, body, send)

    async def _perform(self, scope: Scope, body: RequestBody) -> Answer | Events | Sent:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        route = self._routes.get(method)
        if route is None:
            raise MethodNotAllowed(", ".join(self._routes), show(scope["method"]))
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
    ) -> Answer | Events | Sent:
        path = {name: _decoded(text) for name, text in scope["path_params"].items()}
        try:
            content = await body.read(route.max_bytes, self._sandboxes.memory)
        except TooLarge as error:
            expected = f"at most {route.max_bytes} bytes"
            raise BodyTooLarge(expected, str(error), "body") from None
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
        if isinstance(done, Answer | Events | Sent):
            return done
        return Answer(route.status, msgspec.json.encode(done))


def _may_be_large(scope: Scope) -> bool:
    """Whether a body is announced as large, or to come without its length."""
    head = read_head(scope["headers"])
    is_open = head.is_chunked or scope["http_version"][0] != "1"
    return is_open or head.length > LIMITS.inline_load_bytes


def _decoded(text: str) -> str:
    """A path parameter without its escapes; they were routed as they came."""
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise InvalidField(f"Expected UTF-8, got {show(text)} - at path") from None


def _query(route: AdminRoute, scope: Scope) -> Struct | None:
    if route.query is None:
        return None
    text = scope["query_string"].decode("latin-1")
    given: dict[str, object] = dict(parse_qsl(text, keep_blank_values=True))
    return typed(given, route.query, "query", strict=False)


def _body(route: AdminRoute, content: bytes) -> object:
    if route.body is None:
        return None
    fields = read_json(content) if content.strip() else {}
    check_integers(content, fields)
    return fields if isinstance(route.body, tuple) else typed(fields, route.body)

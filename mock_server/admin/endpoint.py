"""Reads an admin request, calls its handler, and sends the view as a response.

The functions are in the order in which a request uses them.
"""

from collections.abc import Callable, Iterable, Mapping
from inspect import isawaitable
from typing import Any
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec
from msgspec import Struct
from starlette.types import Receive, Scope, Send

from mock_server.admin.framework import (
    IN_PATH,
    AdminRoute,
    Call,
    Conflict,
    Created,
    Input,
    Services,
)
from mock_server.admin.streaming import BROWSER_HEADERS, LongResponse
from mock_server.api.connection import check_connected
from mock_server.api.errors import MethodNotAllowed, UnsupportedMediaType
from mock_server.api.headers import (
    check_content_type,
    media_type,
    parse_headers,
    values,
)
from mock_server.api.request import ClientGone, RequestBody, check_integers, read_json
from mock_server.api.response import Response, error_response, response_headers
from mock_server.api.slices import once_ready, own_turn
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.limits import Limits
from mock_server.domain.messages import (
    SHOWN_CHARS,
    describe_value,
    known_names_hint,
    quoted,
)
from mock_server.domain.objects.pending import NotReady
from mock_server.domain.sandboxes.registry import DEFAULT, Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.validation.convert import convert

# These methods need `Content-Type: application/json`, which a form of another site
# cannot send. A DELETE has no body, and browsers ask before a cross-site DELETE.
_BODY_METHODS = ("POST", "PUT")


class _NoQuery(Input):
    """The query of a route without query parameters."""


class AdminEndpoint:
    """The ASGI application of one path: serves its routes by method."""

    def __init__(
        self,
        routes: Mapping[str, AdminRoute],
        services: Services,
        hinted_routes: Callable[[Scope], Iterable[tuple[AdminRoute, str]]],
    ) -> None:
        """`hinted_routes` yields routes and hints, for a wrong method or body."""
        self._routes = routes
        self._services = services
        self._hinted_routes = hinted_routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, charge = RequestBody.of(scope, receive), None
        try:
            response = await self._response(scope, body)
            if isinstance(response, Response) and scope["method"] == "GET":
                memory = self._services.sandboxes.memory
                charge = memory.charge_response(response.size)
        except Refusal as refusal:
            response = _plain_error(refusal)
        except ClientGone:
            return
        if isinstance(response, Response):
            await _send(response, body, send)
        else:
            await response.send(body, send)
        if charge is not None:
            charge.release()

    async def _response(
        self, scope: Scope, body: RequestBody
    ) -> Response | LongResponse:
        """Return the response to a request. Raises Refusal, ClientGone."""
        # HEAD gets the response to GET without the body (RFC 9110 9.3.2).
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        route = self._routes.get(method)
        if route is None:
            expected, got = ", ".join(self._routes), describe_value(scope["method"])
            hint = "; ".join(text for _, text in self._hinted_routes(scope))
            raise MethodNotAllowed(expected, got, hint)
        # Checked before the body is read, so that a refused request takes no memory.
        _check_sandbox_header(scope)
        _check_type(route, scope)
        limits = self._services.sandboxes.limits
        if route.has_fixture_body and _may_be_large(scope, limits):
            self._services.loader.check_slot()
        return await self._handle(await self._read_call(route, scope, body), route)

    async def _read_call(
        self, route: AdminRoute, scope: Scope, body: RequestBody
    ) -> Call:
        """Read the body, and return the parsed request. Raises Refusal, ClientGone."""
        sandboxes = self._services.sandboxes
        limits = sandboxes.limits
        path = {name: _decode(text) for name, text in scope["path_params"].items()}
        is_fixture = route.has_fixture_body
        max_bytes = limits.fixture_bytes if is_fixture else limits.body_bytes
        content = await body.read(max_bytes, sandboxes.memory)
        # Sandboxes can change while the body arrives, so look up the sandbox after it.
        return Call(
            scope=scope,
            services=self._services,
            sandbox=_sandbox(sandboxes, path.get("sandbox", DEFAULT)),
            path=path,
            query=_read_query(route, scope),
            body=self._read_body(route, content, scope),
            content=content,
            wait_for_disconnect=body.wait_for_disconnect,
        )

    def _read_body(self, route: AdminRoute, content: bytes, scope: Scope) -> object:
        """Return the body as the route's type, a dictionary or None. Raises Refusal."""
        if route.body is None:
            return None
        # An empty body is {}, because a reset or a snapshot needs no fields.
        fields = read_json(content) if content.strip() else {}
        check_integers(content, fields)
        if isinstance(route.body, tuple):
            return fields  # the handler selects the type by these fields
        try:
            return convert(fields, route.body)
        except InvalidField as refusal:
            unknown = fields.keys() - _names_of(route.body)
            if "sandbox" in unknown and IN_PATH not in refusal.message:
                refusal.message += f" ({IN_PATH})"
            for near, hint in self._hinted_routes(scope):
                names = {near.path.rpartition("/")[2], *_names_of(near.body)}
                if near.path != route.path and unknown & names:
                    refusal.message += f" ({hint})"
                    break
            raise

    async def _handle(self, call: Call, route: AdminRoute) -> Response | LongResponse:
        """Call the handler of a route; return its view as a response."""
        arguments = [getattr(call, each) for each in route.arguments]
        if route.method == "GET":
            await own_turn()  # long lists take milliseconds, and many may come at once

        def handle() -> Any:
            call.check_sandbox()  # it may have been deleted since the look-up
            return route.handle(call, *arguments)

        def handle_unless_gone() -> Any:
            check_connected(call.scope)
            return handle()

        try:
            result = handle()
        except NotReady as error:
            queue, begun = call.sandbox.name, error.take()
            result = await once_ready(handle_unless_gone, queue, begun)
        if isawaitable(result):
            result = await result
        if route.method != "GET":
            # Count a change even if nothing changed: the console then reads once more.
            call.sandbox.count_change()
        if isinstance(result, Response | LongResponse):
            return result
        if isinstance(result, Created | Conflict):
            return Response(result.status, msgspec.json.encode(result.view))
        return Response(route.status, msgspec.json.encode(result))


def _sandbox(sandboxes: Sandboxes, name: str) -> Sandbox:
    """Return the sandbox. Raises SandboxNotFound with the names of the others."""
    try:
        return sandboxes.get(name)
    except SandboxNotFound as refusal:
        # The hint is only for admin requests: others must not see sandboxes' names.
        names = [each.name for each in sandboxes.all()]
        hint = known_names_hint(name, names, len(names))
        owner = sandboxes.for_key(name)
        if owner not in (None, sandboxes.default):
            hint = f"that is a key of {quoted(owner.name)}"
        expected, got = "the name of a sandbox", describe_value(name)
        raise SandboxNotFound(expected, got, refusal.place, hint) from None


def _check_sandbox_header(scope: Scope) -> None:
    """Raise InvalidField if a header names another sandbox than the path."""
    path_name = scope["path_params"].get("sandbox", DEFAULT)
    for value in values(scope["headers"], b"x-mock-sandbox"):
        if (name := value.decode("latin-1")) != path_name:
            place = "header X-Mock-Sandbox"
            expected = f"the sandbox of the path, {path_name}"
            raise InvalidField.of(name, expected, place, IN_PATH)


def _check_type(route: AdminRoute, scope: Scope) -> None:
    """Raise UnsupportedMediaType, with a correct command, for other content types."""
    headers = scope["headers"]
    # Every route accepts JSON, its first type. Other types need no further check.
    other_types = route.body_media_types[1:]
    if route.method not in _BODY_METHODS or media_type(headers) in other_types:
        return
    try:
        check_content_type(headers, Choices())
    except UnsupportedMediaType:
        types = values(headers, b"content-type")
        raise UnsupportedMediaType(
            " or ".join(route.body_media_types),
            describe_value(b", ".join(types).decode("latin-1")) if types else "nothing",
            "header Content-Type",
            f"such as {curl(route, scope, scope['path'])}",
        ) from None


def curl(route: AdminRoute, scope: Scope, path: str) -> str:
    """Return a curl command that sends the route's example to a path of it."""
    host = values(scope["headers"], b"host")[0].decode("latin-1")
    command = f"curl -X {route.method} http://{host}{path}"
    if route.method not in _BODY_METHODS:
        return command
    # An empty body as an example would delete all data on a route for fixtures.
    bodies = (each.body for each in route.examples if each.body)
    body = msgspec.json.encode(next(bodies, {})).decode()
    body = body if len(body) <= SHOWN_CHARS else "{...}"
    data = "--data-binary @FILE" if route.has_fixture_body else f"-d '{body}'"
    return f"{command} -H 'Content-Type: {route.body_media_types[-1]}' {data}"


def _may_be_large(scope: Scope, limits: Limits) -> bool:
    """Return whether the headers give a large length of the body, or no length."""
    head = parse_headers(scope["headers"])
    # A body in HTTP/2 can lack a length without being chunked (RFC 9113 8.1).
    is_open = head.is_chunked or scope["http_version"][0] != "1"
    return is_open or head.length > limits.inline_load_bytes


def _decode(text: str) -> str:
    """Return a path parameter without percent-escapes. Raises InvalidField."""
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise InvalidField.of(text, "UTF-8", "path") from None


def _read_query(route: AdminRoute, scope: Scope) -> Struct | None:
    if route.query is None and not scope["query_string"]:
        return None
    # Latin-1 decodes any bytes, so that a message can quote wrong values.
    text = scope["query_string"].decode("latin-1")
    # Empty values are kept, because `parentId=` is the top level.
    fields: dict[str, object] = dict(parse_qsl(text, keep_blank_values=True))
    # Convert texts to numbers, because a query has only texts.
    return convert(fields, route.query or _NoQuery, "query", strict=False)


def _names_of(body: object) -> Iterable[str]:
    """Return the field names of a body's type; none if it has several types."""
    return getattr(body, "__struct_encode_fields__", ())


async def respond(
    response: Response | Refusal, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send a response or a refusal to an admin request with an unread body."""
    if isinstance(response, Refusal):
        response = _plain_error(response)
    await _send(response, RequestBody.of(scope, receive), send)


def _plain_error(refusal: Refusal) -> Response:
    """Return the response to a refused admin request; `error_form` does not apply."""
    return error_response(refusal, Choices())


async def _send(response: Response, body: RequestBody, send: Send) -> None:
    await response.send(response_headers(response, *BROWSER_HEADERS), body, send)

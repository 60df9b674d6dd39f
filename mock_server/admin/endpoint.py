"""Turns an admin request into a call of its handler, and the view into a response.

This file follows a request: endpoint, reading, sending.
"""

from collections.abc import Callable, Iterable, Mapping
from inspect import isawaitable
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
from mock_server.api.errors import MethodNotAllowed, UnsupportedMediaType
from mock_server.api.headers import (
    check_content_type,
    media_type,
    parse_headers,
    values,
)
from mock_server.api.request import ClientGone, RequestBody, check_integers, read_json
from mock_server.api.response import Response, error_response, response_headers
from mock_server.api.slices import once_ready
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField, Refusal
from mock_server.domain.limits import Limits
from mock_server.domain.messages import describe_value, known_names_hint, quoted
from mock_server.domain.sandboxes.registry import DEFAULT, Sandboxes, SandboxNotFound
from mock_server.domain.sandboxes.sandbox import Sandbox
from mock_server.domain.validation.convert import convert

# These need `Content-Type: application/json`, which no form of a foreign page can send.
# A DELETE has no body, and browsers ask before a cross-site DELETE.
_BODIED = ("POST", "PUT")


class _NoQuery(Input):
    """The query of a route that has none."""


class AdminEndpoint:
    """The ASGI application of one path: serves its routes by method."""

    def __init__(
        self,
        routes: Mapping[str, AdminRoute],
        services: Services,
        beside: Callable[[Scope], Iterable[tuple[AdminRoute, str]]],
    ) -> None:
        """`beside` yields routes that a wrong method or body may mean, in words."""
        self._routes = routes
        self._services = services
        self._beside = beside

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, holding = RequestBody.of(scope, receive), None
        try:
            response = await self._response(scope, body)
            if isinstance(response, Response) and scope["method"] == "GET":
                memory = self._services.sandboxes.memory
                holding = memory.hold_response(response.size)
        except Refusal as refusal:
            response = _plain_error(refusal)
        except ClientGone:
            return
        if isinstance(response, Response):
            await _send(response, body, send)
        else:
            await response.send(body, send)
        if holding is not None:
            holding.release()

    async def _response(
        self, scope: Scope, body: RequestBody
    ) -> Response | LongResponse:
        # HEAD is answered like GET, without the body (RFC 9110 9.3.2).
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        route = self._routes.get(method)
        if route is None:
            expected, got = ", ".join(self._routes), describe_value(scope["method"])
            others = "; ".join(words for _, words in self._beside(scope))
            raise MethodNotAllowed(expected, got, others)
        # Before the body is read: a request refused here takes no memory.
        _check_place(scope)
        _check_type(route, scope)
        limits = self._services.sandboxes.limits
        if route.takes_fixture and _may_be_large(scope, limits):
            self._services.loader.check_slot()
        return await self._handled(await self._call(route, scope, body), route)

    async def _call(self, route: AdminRoute, scope: Scope, body: RequestBody) -> Call:
        sandboxes = self._services.sandboxes
        limits = sandboxes.limits
        path = {name: _decoded(text) for name, text in scope["path_params"].items()}
        most = limits.fixture_bytes if route.takes_fixture else limits.body_bytes
        content = await body.read(most, sandboxes.memory)
        # Sandboxes can change while the body arrives, so look up the sandbox after it.
        return Call(
            scope=scope,
            services=self._services,
            sandbox=_sandbox(sandboxes, path.get("sandbox", DEFAULT)),
            path=path,
            query=_query(route, scope),
            body=self._body(route, content, scope),
            content=content,
            disconnected=body.gone,
        )

    def _body(self, route: AdminRoute, content: bytes, scope: Scope) -> object:
        if route.body is None:
            return None
        # No field is required for a reset or a snapshot, so no body is either.
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
            for other, words in self._beside(scope):
                own = {other.path.rpartition("/")[2], *_names_of(other.body)}
                if other.path != route.path and unknown & own:
                    refusal.message += f" ({words})"
                    break
            raise

    async def _handled(self, call: Call, route: AdminRoute) -> Response | LongResponse:
        arguments = [getattr(call, each) for each in route.arguments]
        made = await once_ready(lambda: route.handle(call, *arguments))
        if isawaitable(made):
            made = await made
        if route.method != "GET":
            # Also if nothing changed: a page that reads the state in vain costs little.
            call.sandbox.count_change()
        if isinstance(made, Response | LongResponse):
            return made
        if isinstance(made, Created | Conflict):
            return Response(made.status, msgspec.json.encode(made.view))
        return Response(route.status, msgspec.json.encode(made))


def _sandbox(sandboxes: Sandboxes, name: str) -> Sandbox:
    """Return the sandbox. Raises SandboxNotFound with the names of the others."""
    try:
        return sandboxes.get(name)
    except SandboxNotFound as refusal:
        # Only here: a public request must not see the names of other sandboxes.
        names = [each.name for each in sandboxes.all()]
        hint = known_names_hint(name, names, len(names))
        owner = sandboxes.for_key(name)
        if owner not in (None, sandboxes.default):
            hint = f"that is a key of {quoted(owner.name)}"
        expected, got = "the name of a sandbox", describe_value(name)
        raise SandboxNotFound(expected, got, refusal.place, hint) from None


def _check_place(scope: Scope) -> None:
    """Raise InvalidField if a header names another sandbox than the path."""
    own = scope["path_params"].get("sandbox", DEFAULT)
    for given in values(scope["headers"], b"x-mock-sandbox"):
        if (name := given.decode("latin-1")) != own:
            at = "header X-Mock-Sandbox"
            raise InvalidField.of(name, f"the sandbox of the path, {own}", at, IN_PATH)


def _check_type(route: AdminRoute, scope: Scope) -> None:
    """Raise UnsupportedMediaType with a correct command."""
    headers = scope["headers"]
    # Every route takes JSON, named first. Other types need no further check.
    if route.method not in _BODIED or media_type(headers) in route.takes[1:]:
        return
    try:
        check_content_type(headers, Choices())
    except UnsupportedMediaType:
        types = values(headers, b"content-type")
        raise UnsupportedMediaType(
            " or ".join(route.takes),
            describe_value(b", ".join(types).decode("latin-1")) if types else "nothing",
            "header Content-Type",
            f"such as {curl(route, scope, scope['path'], '{}')}",
        ) from None


def curl(route: AdminRoute, scope: Scope, path: str, body: str) -> str:
    """The curl command that sends a body to a path as the route needs it."""
    host = values(scope["headers"], b"host")[0].decode("latin-1")
    command = f"curl -X {route.method} http://{host}{path}"
    if route.method not in _BODIED:
        return command
    # A route that replaces all data gets no empty body as an example.
    data = "--data-binary @FILE" if route.takes_fixture else f"-d '{body or '{}'}'"
    return f"{command} -H 'Content-Type: {route.takes[-1]}' {data}"


def _may_be_large(scope: Scope, limits: Limits) -> bool:
    """Return whether a body is announced as large, or without its length."""
    head = parse_headers(scope["headers"])
    # HTTP/2 has no chunks (RFC 9113 8.1): a body may come without a length.
    is_open = head.is_chunked or scope["http_version"][0] != "1"
    return is_open or head.length > limits.inline_load_bytes


def _decoded(text: str) -> str:
    """Return a path parameter without percent-escapes. Raises InvalidField."""
    try:
        return unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        raise InvalidField.of(text, "UTF-8", "path") from None


def _query(route: AdminRoute, scope: Scope) -> Struct | None:
    if route.query is None and not scope["query_string"]:
        return None
    # Not UTF-8: any bytes can be read, and a message can name the mistakes in them.
    text = scope["query_string"].decode("latin-1")
    # An empty value counts: `parentId=` is the top level.
    given: dict[str, object] = dict(parse_qsl(text, keep_blank_values=True))
    # Not strict: in a query every value is a text, numbers included.
    return convert(given, route.query or _NoQuery, "query", strict=False)


def _names_of(body: object) -> Iterable[str]:
    """Return the names of the fields of a body that has one type."""
    return getattr(body, "__struct_encode_fields__", ())


async def respond(
    response: Response | Refusal, scope: Scope, receive: Receive, send: Send
) -> None:
    """Send a response or a refusal to an admin request with an unread body."""
    if isinstance(response, Refusal):
        response = _plain_error(response)
    await _send(response, RequestBody.of(scope, receive), send)


def _plain_error(refusal: Refusal) -> Response:
    """Return the response to a refused admin request, plain under any `error_form`."""
    return error_response(refusal, Choices())


async def _send(response: Response, body: RequestBody, send: Send) -> None:
    await response.send(response_headers(response, *BROWSER_HEADERS), body, send)

"""The admin app: finds the route of a request by its path."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

import msgspec
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.endpoint import AdminEndpoint, curl, respond
from mock_server.admin.framework import AdminRoute, Paths, Services
from mock_server.admin.resources import health
from mock_server.api.errors import RouteNotFound
from mock_server.api.operations.nearest import nearest_path
from mock_server.domain.limits import Published
from mock_server.domain.messages import SHOWN_CHARS, cut, describe_value, most_alike

_PREFIX = "/__admin"
_OF_ALL = "sandboxes"
_IN_SANDBOX = f"/{_OF_ALL}/{{sandbox}}"
_OF_PAGES = {"", "console"}
_LEAST = 0.8
"""How similar a word of a path must be to a word of a route to suggest that route."""


def table() -> Paths:
    """Return all routes by path and method; the paths are below `/__admin`."""
    from mock_server.admin.resources.table import ROUTES

    return by_path(ROUTES)


def by_path(routes: Iterable[AdminRoute]) -> Paths:
    """Return routes by path and method.

    A route that is not global comes twice: at its own path, for the default sandbox,
    and below `/sandboxes/{sandbox}`.
    """
    found: dict[str, dict[str, AdminRoute]] = {}
    for prefix in ("", _IN_SANDBOX):
        for route in routes:
            if not (prefix and route.is_global):
                found.setdefault(prefix + route.path, {})[route.method] = route
    return found


class _Served:
    """Finds the application of a path, in which `{name}` is any one segment.

    A router that compiles a pattern for each path would slow down the start.
    """

    def __init__(self, paths: Paths, services: Services) -> None:
        self._apps = [
            (path.split("/"), AdminEndpoint(by, services, partial(_beside, path)))
            for path, by in paths.items()
        ]

    def find(self, path: str) -> tuple[ASGIApp | None, Mapping[str, str]]:
        """Return the application of a path, and the path parameters by name."""
        given = path.split("/")
        for template, app in self._apps:
            if len(template) == len(given):
                pairs = list(zip(template, given, strict=True))
                named = {own[1:-1]: text for own, text in pairs if own.startswith("{")}
                if all(own == text or (own[:1] == "{" and text) for own, text in pairs):
                    return app, named
        return None, {}


class AdminRouter:
    """Serves routes by their exact paths, as the client sent them.

    Path parameters are in `path_params` of the scope. Health is served before the
    modules of all other routes are imported, as that takes long.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._first = _Served(by_path(health.routes), services)

    @cached_property
    def _all(self) -> _Served:
        return _Served(table(), self._services)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(scope["root_path"])
        app, named = self._first.find(path)
        if app is None:
            app, named = self._all.find(path)
        scope["path_params"] = named
        await (app or _not_found)(scope, receive, send)


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    path, method = scope["path"], scope["method"]
    got, near = describe_value(path), _nearest(path, method)
    first = sorted({each.split("/")[1] for each in table()} - _OF_PAGES)
    hint = f"there are {', '.join(first)}"
    if "/api/" in path:
        hint = (
            f"for /api{path.partition('/api')[2]}, leave /__admin out of the base URL"
        )
    elif words := [each for each in path.split("/") if each in _OF_OTHERS]:
        hint = f"what others call {words[0]} is here {_OF_OTHERS[words[0]]}"
    elif near is not None:
        hint = f"did you mean {near}? Paths are exact"
    refusal = RouteNotFound("a route of the admin API", got, "path", hint)
    await respond(refusal, scope, receive, send)


_FIELDS = '{"kind": "answer", "operation": "GET /api/x", "json": {}}'
_ANSWER = f"POST {_PREFIX}/faults {_FIELDS}"
_CALLS = f"GET {_PREFIX}/journal, POST {_PREFIX}/journal/verify, POST {_PREFIX}/reset"
_REPLY = '{"kind": "reply", "text": "Hello", "match": {"question": "weather"}}'
_MEANT = {
    "mappings stubs expectations expectation mocks mock scenarios rules": _ANSWER,
    "answers answer": _ANSWER,
    "replies reply": f"POST {_PREFIX}/faults {_REPLY}",
    "requests calls retrieve logs log history": _CALLS,
    "fixtures fixture load data seed": f"PUT {_PREFIX}/state, with a fixture",
    "chats": f"PUT and DELETE {_PREFIX}/apps/APP/chats/CHAT",
    "shutdown stop": "Ctrl-C, or the signal SIGTERM",
}
_OF_OTHERS = {each: meant for words, meant in _MEANT.items() for each in words.split()}
_ADDED = {"/responses": f"it lists answers of the fixture; to add one: {_ANSWER}"}
"""Routes of this server by the words that admin APIs of other mock servers use, and how
to add to a resource that cannot be written at its own path."""


def _nearest(path: str, method: str) -> str | None:
    """Return the route that is meant, after its method if the given method is wrong."""
    if path.rstrip("/") in (_PREFIX, f"{_PREFIX}/console"):
        return f"{_PREFIX}/"
    given = [each for each in path.split("/") if each]
    paths = [each for each in table() if not each.endswith(("/", "{file}"))]
    named = [*_named_last(paths, given)] if len(path) <= Published.hinted_chars else ()
    if len(named) == 1:
        return named[0]
    known: dict[str, list[str]] = {}
    for each in paths:
        filled = _filled(f"{_PREFIX}{each}".split("/")[1:], given)
        if filled is not None:
            known.setdefault(filled, []).extend(table()[each])
    near = nearest_path(path, known)
    if near is None or method in known[near]:
        return near
    meant = [each for each in known[near] if (each == "GET") == (method == "GET")]
    return f"{[*meant, *known[near]][0]} {near}"


def _named_last(paths: Iterable[str], given: Sequence[str]) -> Iterator[str]:
    """Yield routes whose last word is a word of the path, such as `restore/NAME`."""
    for path in paths:
        _, *words, last = path.split("/")
        is_meant = last in given and "POST" in table()[path]
        if words and is_meant and path.startswith(_IN_SANDBOX) == (_OF_ALL in given):
            literal = [each for each in (*words, last) if each[0] != "{"]
            others = [
                each for each in given[1:] if not most_alike(each, literal, _LEAST)
            ]
            own = iter(others)
            filled = (each if each[0] != "{" else next(own, each) for each in words)
            yield "/".join((f"POST {_PREFIX}", *filled, last))


def _beside(path: str, scope: Scope) -> Iterator[tuple[AdminRoute, str]]:
    """Yield routes that change something at, right above or below `path`, in words."""

    def is_beside(other: str) -> bool:
        longer, shorter = sorted((path, other), key=len, reverse=True)
        is_next = longer.rpartition("/")[0] == shorter
        is_below = shorter != _IN_SANDBOX and (path == shorter or longer[-1] == "}")
        return (is_next and is_below) or longer == shorter

    own = path.removeprefix(_IN_SANDBOX)
    if own in _ADDED:
        yield table()[path]["GET"], _ADDED[own]
    for each, routes in table().items():
        filled = _PREFIX + each
        for name, text in scope["path_params"].items():
            filled = filled.replace(f"{{{name}}}", cut(text))
        for method, route in routes.items() if is_beside(each) else ():
            if method != "GET":
                fields = [example.body for example in route.examples if example.body]
                body = msgspec.json.encode(fields[0]).decode() if fields else ""
                shown = body if len(body) <= SHOWN_CHARS else "{...}"
                yield route, f"{route.summary}: {curl(route, scope, filled, shown)}"


def _filled(parts: Sequence[str], given: Sequence[str]) -> str | None:
    """Return the path of a route, its parameters filled from another path.

    Return None if the other words of the two paths are not alike.
    """
    if len(parts) != len(given):
        return "/" + "/".join(parts)
    filled = ""
    for part, own in zip(parts, given, strict=True):
        if part[0] != "{" and not most_alike(part, [own.lower()], _LEAST):
            return None
        filled += f"/{own if part[0] == '{' else part}"
    return filled

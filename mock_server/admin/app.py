"""Finds the route of an admin request by its path, or suggests a route."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.endpoint import AdminEndpoint, curl, respond
from mock_server.admin.framework import AdminRoute, Paths, Services
from mock_server.admin.resources import health
from mock_server.api.errors import RouteNotFound
from mock_server.api.operations.nearest import nearest_path
from mock_server.domain.limits import Published
from mock_server.domain.messages import cut, describe_value, most_alike

_PREFIX = "/__admin"
_SANDBOXES = "sandboxes"
_IN_SANDBOX = f"/{_SANDBOXES}/{{sandbox}}"
_PAGES = {"", "console"}
_MIN_SIMILARITY = 0.8
"""How similar a word of a path must be to a word of a route to suggest that route."""


def table() -> Paths:
    """Return all routes by path and method; the paths are below `/__admin`."""
    from mock_server.admin.resources.table import ROUTES

    return by_path(ROUTES)


def by_path(routes: Iterable[AdminRoute]) -> Paths:
    """Return routes by path and method.

    A route that is not global is there twice: at its own path, for the default sandbox,
    and below `/sandboxes/{sandbox}`.
    """
    paths: dict[str, dict[str, AdminRoute]] = {}
    for prefix in ("", _IN_SANDBOX):
        for route in routes:
            if not (prefix and route.is_global):
                paths.setdefault(prefix + route.path, {})[route.method] = route
    return paths


class _PathTable:
    """Finds the application of a path; `{name}` in a route's path is any segment.

    Paths are compared by segments, because compiling patterns would slow down the
    start.
    """

    def __init__(self, paths: Paths, services: Services) -> None:
        self._apps = [
            (path.split("/"), AdminEndpoint(by_method, services, partial(_near, path)))
            for path, by_method in paths.items()
        ]

    def find(self, path: str) -> tuple[ASGIApp | None, Mapping[str, str]]:
        """Return the application of a path, and the path parameters by name."""
        segments = path.split("/")
        for template, app in self._apps:
            if len(template) == len(segments):
                pairs = list(zip(template, segments, strict=True))
                parameters = {name[1:-1]: it for name, it in pairs if name[:1] == "{"}
                if all(part == it or (part[:1] == "{" and it) for part, it in pairs):
                    return app, parameters
        return None, {}


class AdminRouter:
    """Serves routes by their exact, undecoded paths.

    Path parameters are in `path_params` of the scope. A request for health imports no
    other resources, because that takes long.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._health_paths = _PathTable(by_path(health.routes), services)

    @cached_property
    def _all_paths(self) -> _PathTable:
        return _PathTable(table(), self._services)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(scope["root_path"])
        app, parameters = self._health_paths.find(path)
        if app is None:
            app, parameters = self._all_paths.find(path)
        scope["path_params"] = parameters
        await (app or _not_found)(scope, receive, send)


async def _not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Respond with 404 and a suggestion."""
    path, method = scope["path"], scope["method"]
    got, similar_route = describe_value(path), _nearest(path, method)
    rest = path.removeprefix(f"{_PREFIX}/")
    resources = sorted({each.split("/")[1] for each in table()} - _PAGES)
    hint = f"there are {', '.join(resources)}"
    if "/api/" in path:
        hint = (
            f"for /api{path.partition('/api')[2]}, leave /__admin out of the base URL"
        )
    elif words := [each for each in (rest, *path.split("/")) if each in _FOREIGN_WORDS]:
        hint = f"what others call {words[0]} is here {_FOREIGN_WORDS[words[0]]}"
    elif similar_route is not None:
        hint = f"did you mean {similar_route}? Paths are exact"
    refusal = RouteNotFound("a route of the admin API", got, "path", hint)
    await respond(refusal, scope, receive, send)


_FIELDS = '{"kind": "answer", "operation": "GET /api/x", "json": {}}'
_ANSWER = f"POST {_PREFIX}/faults {_FIELDS}"
_CALLS = f"GET {_PREFIX}/journal, POST {_PREFIX}/journal/verify, POST {_PREFIX}/reset"
_REPLY = '{"kind": "reply", "text": "Hello", "match": {"question": "weather"}}'
_ROUTES_BY_WORDS = {
    "mappings stubs expectations expectation mocks mock scenarios rules": _ANSWER,
    "mappings/reset requests/reset scenarios/reset": f"POST {_PREFIX}/reset",
    "answers answer": _ANSWER,
    "replies reply": f"POST {_PREFIX}/faults {_REPLY}",
    "requests calls retrieve logs log history": _CALLS,
    "fixtures fixture load data seed": f"PUT {_PREFIX}/state, with a fixture",
    "chats": f"PUT and DELETE {_PREFIX}/apps/APP/chats/CHAT",
    "profile profiles": f'PUT {_PREFIX}/choices {{"profile": "deployed"}}',
    "shutdown stop": "Ctrl-C, or the signal SIGTERM",
}
_FOREIGN_WORDS = {
    word: route for words, route in _ROUTES_BY_WORDS.items() for word in words.split()
}
"""Routes of this server by the words that admin APIs of other mock servers use."""
_READ_ONLY = {"/responses": f"it lists answers of the fixture; to add one: {_ANSWER}"}
"""How to add to a resource that cannot be written at its own path."""


def _nearest(path: str, method: str) -> str | None:
    """Return the most similar route; include its method if `method` is wrong."""
    if path.rstrip("/") in (_PREFIX, f"{_PREFIX}/console"):
        return f"{_PREFIX}/"
    words = [each for each in path.split("/") if each]
    paths = [each for each in table() if not each.endswith(("/", "{file}"))]
    is_short = len(path) <= Published.hinted_chars
    routes = [*_by_verb(paths, words)] if is_short else ()
    if len(routes) == 1:
        return routes[0]
    known: dict[str, list[str]] = {}
    for each in paths:
        filled = _fill(f"{_PREFIX}{each}".split("/")[1:], words)
        if filled is not None:
            known.setdefault(filled, []).extend(table()[each])
    similar = nearest_path(path, known)
    if similar is None or method in known[similar]:
        return similar
    methods = [each for each in known[similar] if (each == "GET") == (method == "GET")]
    return f"{[*methods, *known[similar]][0]} {similar}"


def _by_verb(paths: Iterable[str], path_words: Sequence[str]) -> Iterator[str]:
    """Yield POST routes whose last word is anywhere in a path: `restore/NAME`."""
    for path in paths:
        _, *words, last = path.split("/")
        has_verb = last in path_words and "POST" in table()[path]
        is_in_sandbox = path.startswith(_IN_SANDBOX)
        if words and has_verb and is_in_sandbox == (_SANDBOXES in path_words):
            literals = [each for each in (*words, last) if each[0] != "{"]
            values = (it for it in path_words[1:] if not _is_similar(it, literals))
            filled = (each if each[0] != "{" else next(values, each) for each in words)
            yield "/".join((f"POST {_PREFIX}", *filled, last))


def _is_similar(word: str, words: Sequence[str]) -> bool:
    return bool(most_alike(word, words, _MIN_SIMILARITY))


def _near(path: str, scope: Scope) -> Iterator[tuple[AdminRoute, str]]:
    """Yield routes and hints that change the resource at, above or below `path`."""

    def is_near(other: str) -> bool:
        longer, shorter = sorted((path, other), key=len, reverse=True)
        is_next = longer.rpartition("/")[0] == shorter
        is_below = shorter != _IN_SANDBOX and (path == shorter or longer[-1] == "}")
        return (is_next and is_below) or longer == shorter

    own_path = path.removeprefix(_IN_SANDBOX)
    if own_path in _READ_ONLY:
        yield table()[path]["GET"], _READ_ONLY[own_path]
    for each, routes in table().items():
        filled = _PREFIX + each
        for name, value in scope["path_params"].items():
            filled = filled.replace(f"{{{name}}}", cut(value))
        for method, route in routes.items() if is_near(each) else ():
            if method != "GET":
                yield route, f"{route.summary}: {curl(route, scope, filled)}"


def _fill(parts: Sequence[str], path_words: Sequence[str]) -> str | None:
    """Return the path of a route, with parameters from a similar path.

    Return None if the paths are not similar.
    """
    if len(parts) != len(path_words):
        return "/" + "/".join(parts)
    filled = ""
    for part, word in zip(parts, path_words, strict=True):
        if part[0] != "{" and not _is_similar(part, [word.lower()]):
            return None
        filled += f"/{word if part[0] == '{' else part}"
    return filled

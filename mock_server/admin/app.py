"""The admin app: the table of its routes, and the guard around all of them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin import endpoint, framework
from mock_server.admin.guard import Guard
from mock_server.admin.routing import Router
from mock_server.api.errors import RouteNotFound
from mock_server.api.operations.near_paths import nearest_path
from mock_server.api.request import RequestBody
from mock_server.domain.errors import describe_value

_PREFIX = "/__admin"
_SANDBOXES = "sandboxes"

# By the first segments of their paths, so that a start imports only what answers the
# first request: all of them take 11 of its 197 ms. They are in the order in which the
# OpenAPI document and the manual list them; a name after a dot is that of the routes.
_RESOURCES: Mapping[str, Sequence[str]] = {
    "health": ["health"],
    "reset": ["state"],
    "state": ["state"],
    "snapshots": ["snapshots"],
    "clock": ["clock"],
    "choices": ["choices"],
    "apps": ["apps", "holders.APPS"],
    "datasets": ["datasets", "holders.DATASETS"],
    "why": ["why"],
    "faults": ["faults"],
    "responses": ["responses"],
    "journal": ["journal", "verification"],
    _SANDBOXES: ["sandboxes"],
    "metrics": ["metrics"],
    "schema": ["schema"],
    "openapi.json": ["console"],
    "": ["console"],
    "console": ["console"],
}
_UNDESCRIBED = ("openapi.json", "", "console")
"""What the OpenAPI document leaves out: itself, and a page for browsers."""


def described_routes() -> framework.Paths:
    """The routes that the OpenAPI document describes, by path and method."""
    return _by_path(each for each in _RESOURCES if each not in _UNDESCRIBED)


def table() -> framework.Paths:
    """All routes by path and method; the paths are below `/__admin`."""
    return _by_path(_RESOURCES)


def _routes_of(segment: str) -> Iterator[framework.AdminRoute]:
    """The routes whose paths begin with a segment."""
    for place in _RESOURCES.get(segment, ()):
        module, _, name = place.partition(".")
        resource = import_module(f"{__package__}.resources.{module}")
        for route in getattr(resource, name or "ROUTES"):
            if route.path.split("/")[1] == segment:
                yield route


def _by_path(segments: Iterable[str]) -> framework.Paths:
    """The routes of some segments by path and method.

    Those that are not global come twice: as they are, for the default sandbox, and
    below `/sandboxes/{sandbox}`.
    """
    found: dict[str, dict[str, framework.AdminRoute]] = {}
    routes = [route for segment in segments for route in _routes_of(segment)]
    for prefix in ("", f"/{_SANDBOXES}/{{sandbox}}"):
        for route in routes:
            if not (prefix and route.is_global):
                found.setdefault(prefix + route.path, {})[route.method] = route
    return found


def _nearest(path: str) -> str | None:
    """The path of the admin API that is likely meant by one that it does not have."""
    given = [each for each in path.split("/") if each]
    known = [_filled(f"{_PREFIX}{each}".split("/")[1:], given) for each in table()]
    return nearest_path(path, known)


def _filled(parts: Sequence[str], given: Sequence[str]) -> str:
    """The path of a route; its parameters are what stands there in another path."""
    is_alike = len(parts) == len(given)
    filled = (
        own if is_alike and part.startswith("{") else part
        for part, own in zip(parts, given if is_alike else parts, strict=True)
    )
    return "/" + "/".join(filled)


def _segment(path: str) -> str:
    """The segment of `_RESOURCES` that a path belongs to, if any does."""
    parts = path.split("/")
    in_sandbox = parts[1] == _SANDBOXES and len(parts) > 3
    return parts[3 if in_sandbox else 1]


async def not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers every admin request that no route takes."""
    got, near = describe_value(scope["path"]), _nearest(scope["path"])
    hint = f"did you mean {near}? Paths are exact" if near else ""
    refusal = RouteNotFound("a route of the admin API", got, "path", hint)
    await endpoint.respond(
        endpoint.plain_error(refusal), RequestBody.of(scope, receive), send
    )


def admin_app(
    services: framework.Services, *, token: str | None, allowed_hosts: Collection[str]
) -> ASGIApp:
    """The admin API of all sandboxes, to be mounted at `/__admin`.

    Raises ValueError for a token or a host that no request could ever show.
    """

    def served(segment: str) -> Mapping[str, ASGIApp]:
        return {
            path: endpoint.AdminEndpoint(by_method, services)
            for path, by_method in _by_path((segment,)).items()
        }

    router = Router(served, _segment, not_found)
    return Guard(router, token=token, allowed_hosts=allowed_hosts)

"""The admin app: the table of its routes, and the guard around all of them."""

from collections.abc import Collection, Sequence

from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin import endpoint, framework
from mock_server.admin.guard import Guard
from mock_server.admin.resources import (
    apps,
    choices,
    clock,
    console,
    datasets,
    faults,
    holders,
    journal,
    metrics,
    responses,
    sandboxes,
    schema,
    snapshots,
    state,
    verification,
    why,
)
from mock_server.admin.routing import Router
from mock_server.api.errors import RouteNotFound
from mock_server.api.operations.near_paths import nearest_path
from mock_server.api.request import RequestBody
from mock_server.domain.errors import describe_value

_PREFIX = "/__admin"

# In the order in which the OpenAPI document and the manual list them.
_DESCRIBED = (
    *state.ROUTES,
    *snapshots.ROUTES,
    *clock.ROUTES,
    *choices.ROUTES,
    *apps.ROUTES,
    *holders.APPS,
    *datasets.ROUTES,
    *holders.DATASETS,
    *why.ROUTES,
    *faults.ROUTES,
    *responses.ROUTES,
    *journal.ROUTES,
    *verification.ROUTES,
    *sandboxes.ROUTES,
    *metrics.ROUTES,
    *schema.ROUTES,
)


def described_routes() -> framework.Paths:
    """The routes that the OpenAPI document describes, by path and method."""
    return _by_path(_DESCRIBED)


def table() -> framework.Paths:
    """All routes by path and method; the paths are below `/__admin`."""
    return _by_path((*_DESCRIBED, *console.ROUTES))


def _by_path(routes: Sequence[framework.AdminRoute]) -> framework.Paths:
    """The routes by path and method.

    Those that are not global come twice: as they are, for the default sandbox, and
    below `/sandboxes/{sandbox}`.
    """
    found: dict[str, dict[str, framework.AdminRoute]] = {}
    for prefix in ("", "/sandboxes/{sandbox}"):
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


async def not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers every admin request that no route takes."""
    got, near = describe_value(scope["path"]), _nearest(scope["path"])
    hint = f"did you mean {near}? Paths are exact" if near else ""
    refusal = RouteNotFound("a route of the admin API", got, "path", hint)
    await endpoint.respond(
        endpoint.plain_error(refusal), RequestBody(scope, receive), send
    )


def admin_app(
    services: framework.Services, *, token: str | None, allowed_hosts: Collection[str]
) -> ASGIApp:
    """The admin API of all sandboxes, to be mounted at `/__admin`.

    Raises ValueError for a token or a host that no request could ever show.
    """
    apps = {
        path: endpoint.AdminEndpoint(by_method, services)
        for path, by_method in table().items()
    }
    router = Router(apps, not_found)
    return Guard(router, token=token, allowed_hosts=allowed_hosts)

"""The admin app: the table of its routes, and the guard around all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.framework import AdminEndpoint, AdminRoute, Paths
from mock_server.admin.guard import Guard
from mock_server.admin.loads import Loads
from mock_server.admin.resources import (
    apps,
    choices,
    clock,
    console,
    datasets,
    faults,
    health,
    journal,
    openapi,
    snapshots,
    state,
    verification,
)
from mock_server.admin.resources import sandboxes as sandbox_routes
from mock_server.admin.responses import plain, respond
from mock_server.admin.sending import Sendings
from mock_server.admin.stream import Streams
from mock_server.api.errors import RouteNotFound
from mock_server.api.request import RequestBody
from mock_server.domain.errors import describe_value
from mock_server.domain.sandboxes import Sandboxes


def described_routes() -> Paths:
    """The routes that the OpenAPI document describes."""
    return paths(_routes(Streams()))


def table(streams: Streams) -> Paths:
    """All routes by path and method, those of a sandbox below its own path too."""
    return paths((*_routes(streams), *openapi.ROUTES, *console.ROUTES))


def _routes(streams: Streams) -> Sequence[AdminRoute]:
    return (
        *health.ROUTES,
        *state.ROUTES,
        *snapshots.ROUTES,
        *clock.ROUTES,
        *choices.ROUTES,
        *apps.ROUTES,
        *datasets.ROUTES,
        *faults.ROUTES,
        *journal.routes(streams),
        *verification.ROUTES,
        *sandbox_routes.ROUTES,
    )


def paths(routes: Sequence[AdminRoute]) -> dict[str, dict[str, AdminRoute]]:
    """Routes by path and method, those of a sandbox below its own path too."""
    found: dict[str, dict[str, AdminRoute]] = {}
    for prefix in ("", "/sandboxes/{sandbox}"):
        for route in routes:
            if not (prefix and route.is_global):
                found.setdefault(prefix + route.path, {})[route.method] = route
    return found


async def not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers every admin request that no route takes."""
    refusal = RouteNotFound(
        "a route of the admin API", describe_value(scope["path"]), "path"
    )
    await respond(plain(refusal), RequestBody(scope, receive), send)


def admin_app(
    sandboxes: Sandboxes,
    streams: Streams,
    *,
    loads: Loads,
    sendings: Sendings,
    token: str | None,
    allowed_hosts: Collection[str],
) -> ASGIApp:
    """The admin API of all sandboxes, to be mounted at `/__admin`."""
    routes = [
        Route(path, AdminEndpoint(by_method, sandboxes, loads, sendings))
        for path, by_method in table(streams).items()
    ]
    router = Router(routes, redirect_slashes=False, default=not_found)
    return Guard(router, token=token, allowed_hosts=allowed_hosts)

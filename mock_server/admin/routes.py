"""The admin app: the table of its routes, and the guard around all of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server import __version__
from mock_server.admin import (
    chats,
    choosing,
    clocks,
    collections,
    console,
    faults,
    health,
    journals,
    sandboxes,
    snapshots,
    states,
    verify,
)
from mock_server.admin.answering import answer, plain
from mock_server.admin.endpoint import AdminEndpoint
from mock_server.admin.events import Streams
from mock_server.admin.guard import Guard
from mock_server.admin.loads import Loads
from mock_server.admin.openapi import Paths, openapi_route
from mock_server.admin.route import AdminRoute
from mock_server.admin.sending import Sendings
from mock_server.api.body import RequestBody
from mock_server.api.errors import RouteNotFound
from mock_server.api.examples import Record, no_answers
from mock_server.domain.errors import show
from mock_server.domain.sandboxes import Sandboxes


def table(streams: Streams, record: Record = no_answers) -> Paths:
    """All routes by path and method, those of a sandbox below its own path too."""
    routes = (
        *health.ROUTES,
        *states.ROUTES,
        *snapshots.ROUTES,
        *clocks.ROUTES,
        *choosing.ROUTES,
        *chats.ROUTES,
        *collections.ROUTES,
        *faults.ROUTES,
        *journals.routes(streams),
        *verify.ROUTES,
        *sandboxes.ROUTES,
    )
    described = paths(routes)
    undescribed = openapi_route(__version__, described, record), *console.ROUTES
    return described | paths(undescribed)


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
    refusal = RouteNotFound("a route of the admin API", show(scope["path"]), "path")
    await answer(plain(refusal), RequestBody(scope, receive), send)


def admin_app(
    sandboxes: Sandboxes,
    streams: Streams,
    record: Record,
    *,
    loads: Loads,
    sendings: Sendings,
    token: str | None,
    allowed_hosts: Collection[str],
) -> ASGIApp:
    """The admin API of all sandboxes, to be mounted at `/__admin`."""
    routes = [
        Route(path, AdminEndpoint(by_method, sandboxes, loads, sendings))
        for path, by_method in table(streams, record).items()
    ]
    router = Router(routes, redirect_slashes=False, default=not_found)
    return Guard(router, token=token, allowed_hosts=allowed_hosts)

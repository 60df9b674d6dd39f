"""The admin API, by which tests control the server and read its journal."""

import re
from collections.abc import Collection
from itertools import chain
from types import ModuleType

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from mock_server.admin import (
    apps,
    clock_and_choices,
    console,
    datasets,
    journal,
    rules,
    sandbox_state,
    sandboxes,
)
from mock_server.admin.guard import Guard
from mock_server.admin.route import ROUTES
from mock_server.choices import Choices
from mock_server.errors import BadFixture, MethodNotAllowed, Refusal, RouteNotFound
from mock_server.fixture.source import FixtureError
from mock_server.http.responses import error_response, json_response
from mock_server.openapi import admin_document
from mock_server.sandbox import Sandboxes
from mock_server.text.wording import did_you_mean


def routes_of(module: ModuleType) -> list[Route]:
    """The routes that a module declares."""
    return [it for it in ROUTES if it.endpoint.__module__ == module.__name__]


SANDBOX_ROUTES = [
    *chain.from_iterable(
        map(routes_of, (sandbox_state, rules, journal, clock_and_choices, apps, datasets))
    )
]
ADMIN_ROUTES = [*SANDBOX_ROUTES, *routes_of(sandboxes)]
CONSOLE_ROUTES = [
    Route(section.path, section.endpoint, middleware=[Middleware(GZipMiddleware, compresslevel=1)])
    for section in routes_of(console)
]
"""The sections of the console, which a page fetches after each request that it hears of."""


def create_admin(
    all_sandboxes: Sandboxes, *, token: str | None, allowed_hosts: Collection[str], demo: bool
) -> Starlette:
    """The admin API, to be mounted. A route under `/sandboxes/NAME` is for that sandbox."""
    files = StaticFiles(directory=console.FILES / "static", check_dir=False)
    application = Starlette(
        routes=[
            Route("/", console.get_console),
            Route("/openapi.json", lambda request: json_response(admin_document(ADMIN_ROUTES))),
            *CONSOLE_ROUTES,
            Mount("/static", files, middleware=[Middleware(GZipMiddleware)]),
            *ADMIN_ROUTES,
            Mount("/sandboxes/{sandbox}", routes=[*SANDBOX_ROUTES, *CONSOLE_ROUTES]),
        ],
        middleware=[Middleware(Guard, token=token, allowed_hosts=allowed_hosts)],
        exception_handlers={
            **dict.fromkeys((Refusal, FixtureError, HTTPException), refuse),
            # The client has left, so nobody reads this response.
            ClientDisconnect: lambda request, error: Response(),
        },
    )
    application.state.sandboxes = all_sandboxes
    application.state.demo = demo
    return application


def refuse(request: Request, error: Exception) -> Response:
    """The envelope of an error, which depends on no choice."""
    if isinstance(error, FixtureError):
        refusal: Refusal = BadFixture(f"a fixture without mistakes, got:\n{error}")
        # The mistakes of a single object, which has no file, are the whole message.
        if not error.problems[0].file:
            refusal.message = str(error)
    elif isinstance(error, Refusal):
        refusal = error
    else:
        refusal = refusal_of_path(request)
    return error_response(refusal, Choices())


def refusal_of_path(request: Request) -> Refusal:
    """The refusal of a request that no route takes: wrong method, or unknown path."""
    path = request.url.path
    # A path may begin with /sandboxes/NAME.
    own_path, is_of_sandbox = re.subn("^/sandboxes/[^/]+(?=/)", "", path.removeprefix("/__admin"))
    routes = SANDBOX_ROUTES if is_of_sandbox else ADMIN_ROUTES
    methods: set[str] = set()
    for route in routes:
        if route.path_regex.match(own_path):
            methods |= route.methods or set()
    if methods:
        return MethodNotAllowed(sorted(methods - {"HEAD"}), request.method)
    suggestion = did_you_mean(own_path, [it.path for it in ADMIN_ROUTES])
    suggestion = suggestion or " (GET /__admin/openapi.json lists them)"
    return RouteNotFound("a route of the admin API", path, suggestion=suggestion)

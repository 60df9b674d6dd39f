"""The Starlette application: the documented operations and the admin API."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.routes import admin_app
from mock_server.api.cors import CORS
from mock_server.api.endpoint import Endpoint
from mock_server.api.last_resort import LastResort
from mock_server.api.not_found import NotFound
from mock_server.api.operations import OPERATIONS
from mock_server.domain.choices import Value, choose
from mock_server.domain.sandbox import Sandbox
from mock_server.fixture.files import FixtureLike
from mock_server.fixture.load import Fixture, load_fixture


def create_app(
    fixture: Fixture | FixtureLike | Sequence[FixtureLike] | None = None,
    *,
    profile: str = "documented",
    choices: Mapping[str, Value] | None = None,
    cors_origins: Collection[str] = ("*",),
    admin_token: str | None = None,
    allowed_hosts: Collection[str] = (),
) -> Starlette:
    """An application over one fixture: a path, a document, several, or the demo.

    Its `state.sandbox` is the sandbox that requests read and change, its
    `state.fixture` what was loaded. Raises FixtureError, and
    ValueError for a setting that cannot be (UnknownChoice among them).
    """
    loaded = _load(fixture)
    chosen = choose(profile, choices)
    sandbox = Sandbox(loaded.generation, chosen, _real_time)
    admin = LastResort(
        admin_app(
            sandbox, loaded, profile, token=admin_token, allowed_hosts=allowed_hosts
        )
    )
    routes = [
        *_public_routes(sandbox, cors_origins),
        Route("/__admin", admin),
        Mount("/__admin", admin),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(ExactPath)])
    app.router.redirect_slashes = False
    app.router.default = _public(NotFound(sandbox), cors_origins)
    app.state.sandbox, app.state.fixture = sandbox, loaded
    return app


def _public_routes(sandbox: Sandbox, origins: Collection[str]) -> list[BaseRoute]:
    routes: list[BaseRoute] = []
    for each in OPERATIONS.values():
        routes.append(Route(each.path, _public(Endpoint(each, sandbox), origins)))
        if each.legacy_path is not None:
            legacy = Endpoint(each, sandbox, legacy=True)
            routes.append(Route(each.legacy_path, _public(legacy, origins)))
    return routes


def _public(app: ASGIApp, origins: Collection[str]) -> ASGIApp:
    """What stands around every public path, outermost first."""
    return CORS(LastResort(app), origins)


def _load(
    fixture: Fixture | FixtureLike | Sequence[FixtureLike] | None,
) -> Fixture:
    if isinstance(fixture, Fixture):
        return fixture
    if fixture is None:
        return load_fixture()
    if isinstance(fixture, Sequence) and not isinstance(fixture, str):
        return load_fixture(*fixture)
    return load_fixture(fixture)


def _real_time() -> int:
    return time.time_ns() // 1_000_000


class ExactPath:
    """Routes by the path as it was sent: `%2F` is no slash and `%5f` no underscore."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path") or b""
        if b"%" in raw:
            # Some servers leave the query in it.
            path = raw.partition(b"?")[0].decode("latin-1")
            scope = {**scope, "path": path}
        await self._app(scope, receive, send)

"""The admin app: its routes, and the guard around all of them."""

from __future__ import annotations

from collections.abc import Collection

import msgspec
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from mock_server.admin.guard import Guard
from mock_server.api.answers import Answer, write
from mock_server.api.body import RequestBody
from mock_server.api.errors import MethodNotAllowed, RouteNotFound, refused
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal, show
from mock_server.domain.sandbox import Sandbox
from mock_server.fixture.load import Fixture


class Health:
    """`GET /__admin/health`: what is served. Needs no token and tells no secret."""

    def __init__(self, sandbox: Sandbox, fixture: Fixture, profile: str) -> None:
        self._sandbox = sandbox
        self._profile = profile
        self._fixture = {
            "files": fixture.files,
            "sha256": fixture.sha256,
            **fixture.counts(),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = self._answer()
        if scope["method"] not in ("GET", "HEAD"):
            answer = _plain(MethodNotAllowed("GET", show(scope["method"])))
        await write(answer, RequestBody(scope, receive), send)

    def _answer(self) -> Answer:
        health = {
            "status": "ready",
            "fixture": self._fixture,
            "generation": self._sandbox.generation_number,
            "profile": self._profile,
        }
        return Answer(200, msgspec.json.encode(health))


async def not_found(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers every admin request that no route takes."""
    refusal = RouteNotFound("a route of the admin API", show(scope["path"]), "path")
    await write(_plain(refusal), RequestBody(scope, receive), send)


def admin_app(
    sandbox: Sandbox,
    fixture: Fixture,
    profile: str,
    *,
    token: str | None,
    allowed_hosts: Collection[str],
) -> ASGIApp:
    """The admin API of a sandbox, to be mounted at `/__admin`."""
    routes = [Route("/health", Health(sandbox, fixture, profile))]
    router = Router(routes, redirect_slashes=False, default=not_found)
    return Guard(router, token=token, allowed_hosts=allowed_hosts)


def _plain(refusal: Refusal) -> Answer:
    return refused(refusal, Choices())

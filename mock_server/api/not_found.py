"""Requests to paths that no operation has: an envelope too, with a hint."""

from __future__ import annotations

from difflib import get_close_matches

from starlette.types import Receive, Scope, Send

from mock_server.api.answers import sandbox_headers, write
from mock_server.api.body import RequestBody
from mock_server.api.errors import RouteNotFound, refused
from mock_server.api.operations import OPERATIONS
from mock_server.domain.errors import show
from mock_server.domain.sandbox import Sandbox


class NotFound:
    """Answers every request that no route takes."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sandbox, body = self._sandbox, RequestBody(scope, receive)
        answer = refused(unknown_route(scope["path"]), sandbox.choices)
        await write(answer, body, send, sandbox_headers(sandbox))


def unknown_route(path: str) -> RouteNotFound:
    """The refusal of a path, with the nearest one that exists."""
    routes = " or ".join(f"{each.method} {each.path}" for each in OPERATIONS.values())
    return RouteNotFound(routes, show(path), "path", _hint(path))


def _hint(path: str) -> str:
    for operation in OPERATIONS.values():
        if path == operation.legacy_path:
            return "older paths are served with the choice legacy_paths=on"
    paths = {each.path.lower(): each.path for each in OPERATIONS.values()}
    near = get_close_matches(path.lower(), paths, 1, cutoff=0.8)
    return f"did you mean {paths[near[0]]}? Paths are exact" if near else ""

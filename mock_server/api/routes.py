"""Which operation a path leads to; paths are exact (spec 4)."""

from __future__ import annotations

from difflib import get_close_matches

from msgspec import Struct

from mock_server.api.errors import RouteNotFound
from mock_server.api.operations import OPERATIONS, Operation
from mock_server.domain.errors import describe_value
from mock_server.domain.limits import LIMITS


class Target(Struct, frozen=True):
    """An operation, at its path or at its legacy path."""

    operation: Operation
    is_legacy: bool = False


TARGETS = {each.path: Target(each) for each in OPERATIONS.values()} | {
    each.legacy_path: Target(each, is_legacy=True)
    for each in OPERATIONS.values()
    if each.legacy_path is not None
}


def unknown_route(path: str) -> RouteNotFound:
    """The refusal of a path, with the nearest one that exists."""
    routes = " or ".join(f"{each.method} {each.path}" for each in OPERATIONS.values())
    return RouteNotFound(routes, describe_value(path), "path", _hint(path))


def _hint(path: str) -> str:
    if path in TARGETS:
        return "older paths are served with the choice legacy_paths=on"
    if len(path) > LIMITS.hinted_chars:
        return ""
    paths = {each.path.lower(): each.path for each in OPERATIONS.values()}
    near = get_close_matches(path.lower(), paths, 1, cutoff=0.8)
    return f"did you mean {paths[near[0]]}? Paths are exact" if near else ""

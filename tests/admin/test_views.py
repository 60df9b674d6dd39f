"""Handlers give what their routes declare; mypy holds them to what they say."""

from __future__ import annotations

from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from mock_server.admin.app import table
from mock_server.admin.framework import AdminRoute, Conflict, Created, is_sent_as_it_is

ROUTES = {
    f"{method} {path}": route
    for path, by_method in table().items()
    for method, route in by_method.items()
    if "{sandbox}/" not in path
}


def alternatives(kind: Any) -> tuple[Any, ...]:
    """The members of a union; a type by itself is its only one."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def declared(route: AdminRoute) -> dict[int, Any]:
    """The types of a route's views by status."""
    shapes = {route.status: route.response_type, **route.other_types}
    return {
        status: set(shape if isinstance(shape, tuple) else (shape,))
        for status, shape in shapes.items()
    }


def given(route: AdminRoute) -> dict[int, Any]:
    """The types that the handler says it gives, by status."""
    found: dict[int, Any] = {}
    for kind in alternatives(get_type_hints(route.handle)["return"]):
        if get_origin(kind) in (Created, Conflict):
            found.setdefault(get_origin(kind).status, set()).update(get_args(kind))
        else:
            found.setdefault(route.status, set()).add(kind)
    return found


def test_a_handler_gives_what_its_route_declares() -> None:
    for name, route in ROUTES.items():
        if not all(map(is_sent_as_it_is, given(route)[route.status])):
            assert given(route) == declared(route), name


def test_only_what_is_no_json_of_a_view_is_sent_as_it_is() -> None:
    as_they_are = {
        name
        for name, route in ROUTES.items()
        if all(map(is_sent_as_it_is, given(route)[route.status]))
    }
    # Parts of the state are written as the whole is: piece by piece.
    parts = {
        f"{method} {path}"
        for method in ("GET", "PUT", "DELETE")
        for path in ("/apps/{appId}", "/datasets/{datasetId}")
    }
    assert as_they_are == parts | {
        "GET /state",
        "GET /journal/stream",
        "GET /",
        "GET /console/{file}",
    }

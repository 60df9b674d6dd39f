"""`openapi.json`: the description of the admin API."""

from __future__ import annotations

from typing import Any

from mock_server.admin.framework import AdminRoute, Call
from mock_server.api.description import document
from mock_server.api.response import Response


def get_openapi(_: Call) -> Response:
    """`GET openapi.json`."""
    return Response(200, document("admin"))


ROUTES = (
    AdminRoute(
        "GET",
        "/openapi.json",
        get_openapi,
        dict[str, Any],
        "This description",
        is_global=True,
    ),
)

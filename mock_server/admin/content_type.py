"""The content type that an admin route needs.

What changes something must be JSON: no web page can send that unasked (CORS). So it is
needed without a body too.
"""

from __future__ import annotations

from starlette.types import Scope

from mock_server.admin.route import AdminRoute
from mock_server.api.content_type import check_content_type as check_json
from mock_server.api.content_type import media_type
from mock_server.api.errors import UnsupportedMediaType
from mock_server.api.headers import values
from mock_server.domain.choices import Choices
from mock_server.domain.errors import show

_BODIED = ("POST", "PUT")


def check_content_type(route: AdminRoute, scope: Scope) -> None:
    """Raises UnsupportedMediaType with the command that would have been right."""
    headers = scope["headers"]
    if route.method not in _BODIED:
        return
    if media_type(headers) in route.takes[1:]:
        return
    try:
        check_json(headers, Choices())
    except UnsupportedMediaType:
        types = values(headers, b"content-type")
        host = values(headers, b"host")[0].decode("latin-1")
        command = f"curl -X {route.method} http://{host}{scope['path']}"
        raise UnsupportedMediaType(
            "application/json",
            show(b", ".join(types).decode("latin-1")) if types else "nothing",
            "header Content-Type",
            f"such as {command} -H 'Content-Type: application/json' -d '{{}}'",
        ) from None

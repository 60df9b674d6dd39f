"""The JSON Schema of fixtures, for editors and validators."""

from msgspec import Raw

from mock_server.admin.framework import AdminRoute, Call
from mock_server.fixture.published import published


def get_schema(_: Call) -> Raw:
    """`GET schema`: what `mock-server schema` prints."""
    return Raw(published())


ROUTES = (
    AdminRoute(
        "GET",
        "/schema",
        get_schema,
        Raw,
        "Read the JSON Schema of fixtures, for editors",
        is_global=True,
    ),
)

"""The responses that a sandbox declares for paths beyond the operations."""

from mock_server.admin.framework import AdminRoute, Call
from mock_server.api.operations.declared import content_type_of
from mock_server.views import ResponsesView, ResponseView


def get_responses(call: Call) -> ResponsesView:
    """`GET responses`; bodies and headers are in `GET state`."""
    return ResponsesView(
        [
            ResponseView(
                operation=each.name,
                method=each.method,
                path=each.path,
                status=each.status,
                content_type=content_type_of(each) or None,
                bytes=len(each.body),
                delay_ms=each.delay_ms,
            )
            for each in call.responses.values()
        ]
    )


ROUTES = (
    AdminRoute(
        "GET",
        "/responses",
        get_responses,
        ResponsesView,
        "List the responses that are declared for further paths",
    ),
)

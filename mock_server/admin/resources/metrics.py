"""Metrics of the server, for Prometheus and what reads its format."""

from mock_server.admin.framework import AdminRoute, Call
from mock_server.api.errors import RouteNotFound
from mock_server.api.response import Response

TEXT_FORMAT = b"text/plain; version=0.0.4; charset=utf-8"


def get_metrics(call: Call) -> Response:
    """`GET metrics`. Raises RouteNotFound where they were not asked for."""
    metrics = call.services.metrics
    if metrics is None:
        how = "start it with --metrics, MOCK_SERVER_METRICS=true or metrics=True"
        expected, got = "a server that has metrics", "one that was started without"
        raise RouteNotFound(expected, got, "path", how)
    return Response(200, metrics.text(), content_type=TEXT_FORMAT)


ROUTES = (
    AdminRoute(
        "GET",
        "/metrics",
        get_metrics,
        str,
        "Read metrics for Prometheus, if the server was started with them",
        errors=(RouteNotFound,),
        is_global=True,
        gives=("text/plain",),
    ),
)

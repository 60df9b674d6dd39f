"""Routes of the service's commercial edition, to which the other edition forwards."""

from mock_server.api.errors import CommercialRoute
from mock_server.domain.errors import Refusal
from mock_server.domain.messages import cut

COMMERCIAL = "/api/proApi/"
"""Start of the paths of these routes."""


def commercial_route(path: str, answers: str) -> Refusal:
    """Return the refusal in the service's words; `answers` hints at a response."""
    segments = path.removeprefix(COMMERCIAL).replace("/", ",")
    hint = f"未配置商业版链接: {cut(segments)}; {answers}"
    return CommercialRoute.of(path, "a route of the community edition", "path", hint)

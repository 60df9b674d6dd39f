"""Routes of the commercial edition of the service, which the other forwards to it."""

from mock_server.api.errors import CommercialRoute
from mock_server.domain.errors import Refusal
from mock_server.domain.messages import cut

COMMERCIAL = "/api/proApi/"
"""What their paths begin with."""


def commercial_route(path: str, answers: str) -> Refusal:
    """The refusal of such a path, in the service's words; `answers` says what helps."""
    segments = path.removeprefix(COMMERCIAL).replace("/", ",")
    hint = f"未配置商业版链接: {cut(segments)}; {answers}"
    return CommercialRoute.of(path, "a route of the community edition", "path", hint)

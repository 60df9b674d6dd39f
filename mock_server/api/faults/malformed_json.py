"""A body that is not JSON."""

from msgspec.structs import replace

from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response


class MalformedJson(Fault, tag="malformed_json"):
    """A 200 with a body that no JSON parser accepts."""

    chinese = "状态码 200，但正文不是合法的 JSON。"

    async def apply(self, context: FaultContext) -> Response:
        """Return the body with a wrong bracket at its end."""
        # The length stays, so that only a JSON parser can notice.
        response = await context.spoilable()
        if not response.status:  # a reply that is cut before its first byte
            return response
        return replace(response, status=200, body=response.body[:-1] + b"]")

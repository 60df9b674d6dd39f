"""A 429 for more requests than a key may make."""

from typing import Annotated

from msgspec import Meta, field

from mock_server.api.errors import RateLimitExceeded
from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response, error_response, rate_limit_headers
from mock_server.domain.limits import Limits


class RateLimited(Fault, tag="rate_limit", kw_only=True):
    """A 429 for what exceeds `limit` requests in `window` seconds, for each key."""

    requests: Annotated[int, Meta(ge=1, le=Limits.integer)] = field(name="limit")
    window: Annotated[int, Meta(ge=1, le=86_400)]
    # Without `times` it lasts as long as its `ttl`.
    times: Annotated[int, Meta(ge=1, le=Limits.fault_times)] | None = None  # type: ignore[assignment]

    @property
    def limit(self) -> tuple[int, int]:
        """Requests, and seconds from the first of them."""
        return self.requests, self.window

    async def apply(self, context: FaultContext) -> Response:
        # The domain has counted already, on the sandbox's clock.
        limit = context.firing.limit
        context.perform_if_after()
        expected = f"at most {limit.limit} requests in a window" if limit else "fewer"
        refusal = RateLimitExceeded(expected, "one more", "header Authorization")
        response = error_response(refusal, context.request.state.choices)
        if limit is None:
            return response
        retry = (b"retry-after", b"%d" % limit.reset_seconds)
        return response.with_headers(retry, *rate_limit_headers(limit))

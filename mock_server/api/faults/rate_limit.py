"""The kind `rate_limit`: a 429 for more requests than an API key may send."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta, field

from mock_server.api.errors import RateLimitExceeded
from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response, error_response, rate_limit_headers
from mock_server.domain.limits import Published


class RateLimited(Fault, tag="rate_limit", kw_only=True):
    """An API key that exceeds `limit` requests in `window` seconds gets a 429."""

    chinese = "每个密钥在 `window` 秒内超过 `limit` 次的请求得到 429。"
    required_fields: ClassVar[Mapping[str, Any]] = {"limit": 1, "window": 1}

    requests: Annotated[int, Meta(ge=1, le=Published.integer)] = field(name="limit")
    """Maximum requests of a key in a window."""
    window: Annotated[int, Meta(ge=1, le=86_400)]
    """The window in seconds."""
    # By default the limit lasts until its `ttl` ends.
    times: Annotated[int, Meta(ge=1, le=Published.fault_times)] | None = None  # type: ignore[assignment]

    @property
    def limit(self) -> tuple[int, int]:
        """Return the maximum number of requests, and the seconds of a window."""
        return self.requests, self.window

    async def apply(self, context: FaultContext) -> Response:
        # The domain has counted the request, on the sandbox's clock.
        limit = context.firing.limit
        await context.perform_if_after()
        expected = f"at most {limit.limit} requests in a window" if limit else "fewer"
        refusal = RateLimitExceeded(expected, "one more", "header Authorization")
        response = error_response(refusal, context.request.state.choices)
        if limit is None:
            return response
        retry_after = (b"retry-after", b"%d" % limit.reset_seconds)
        return response.with_headers(retry_after, *rate_limit_headers(limit))

"""An error response."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from mock_server.api.faults.fault import Fault, FaultContext, Whole, wrong
from mock_server.api.response import Response, error_envelope
from mock_server.domain.errors import describe_value
from mock_server.domain.limits import Limits

# Responses of these never have a body (RFC 9110 6.4.1).
_BODILESS = (204, 205, 304)


class Error(Fault, tag="error"):
    """An error answer; `code` is the status unless it says otherwise."""

    schema: ClassVar[Mapping[str, Any]] = {
        "properties": {"status": {"not": {"enum": list(_BODILESS)}}}
    }

    status: Annotated[int, Meta(ge=200, le=599)] = 503
    code: Whole | None = None
    message: Annotated[str, Meta(max_length=Limits.title_chars)] = "Injected by a fault"
    retry_after: Whole | None = None

    def check(self) -> None:
        super().check()
        if self.status in _BODILESS:
            got = describe_value(self.status)
            raise wrong("a status that has a body", got, "status")

    async def apply(self, context: FaultContext) -> Response:
        """The error that it says, in every profile."""
        context.perform_if_after()
        code = self.status if self.code is None else self.code
        retry = self.retry_after
        headers = () if retry is None else ((b"retry-after", b"%d" % retry),)
        body = error_envelope(code, "injected", self.message)
        return Response(self.status, body, headers)

"""The kind `error`: an error response."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Meta

from mock_server.api.envelope import error_envelope
from mock_server.api.faults.fault import Fault, FaultContext, wrong_field
from mock_server.api.response import Response
from mock_server.domain.faults.definition import WholeNumber
from mock_server.domain.limits import Published
from mock_server.domain.messages import describe_value

# Responses with these statuses never have a body (RFC 9110 6.4.1).
_STATUSES_WITHOUT_BODY = (204, 205, 304)


class Error(Fault, tag="error"):
    """The response is an error; `code` is the status by default."""

    chinese = "错误应答；除非另有指定，`code` 与状态码相同。"
    schema: ClassVar[Mapping[str, Any]] = {
        "properties": {"status": {"not": {"enum": list(_STATUSES_WITHOUT_BODY)}}},
        "if": {"properties": {"status": {"maximum": 299}}, "required": ["status"]},
        "then": {"properties": {"code": {"type": "integer"}}, "required": ["code"]},
    }

    status: Annotated[int, Meta(ge=200, le=599)] = 503
    """The HTTP status; not 204, 205 or 304; below 300 only with a `code`."""
    code: WholeNumber | None = None
    """The `code` in the envelope; by default the status."""
    message: Annotated[str, Meta(max_length=Published.title_chars)] = (
        "Injected by a fault"
    )
    """The `message` in the envelope."""
    retry_after: WholeNumber | None = None
    """The header `Retry-After`, in seconds."""

    def warnings(self) -> Iterator[str]:
        yield from super().warnings()
        code = self.code or 0
        if self.status == 503 != code and 400 <= code < 600:
            yield f"The HTTP status stays 503 (write status={code} for both)"
        if self.status < 400:
            yield f"To most clients {self.status} is no error: Expected 400 or more"

    def check(self) -> None:
        super().check()
        if self.status in _STATUSES_WITHOUT_BODY:
            got = describe_value(self.status)
            raise wrong_field("a status that has a body", got, "status")
        if self.status < 300 and self.code is None:
            got = f"{self.status}: write the code of an error too, such as code=500"
            raise wrong_field("a status of at least 300", got, "status")

    async def apply(self, context: FaultContext) -> Response:
        """Return the error with the fault's status and code, in every profile."""
        await context.perform_if_after()
        code = self.status if self.code is None else self.code
        seconds = self.retry_after
        headers = () if seconds is None else ((b"retry-after", b"%d" % seconds),)
        body = error_envelope(code, "injected", self.message)
        return Response(self.status, body, headers)

"""The kind `reply`: a chat message that a test scripts for chat completions."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from mock_server.api.faults.answering import AnsweredRequest, BaseAnswer
from mock_server.api.faults.fault import wrong_field
from mock_server.api.operations.operation import Distortion
from mock_server.api.response import Response
from mock_server.domain import replies
from mock_server.domain.faults import placeholders
from mock_server.domain.messages import describe_value
from mock_server.domain.validation.walk import Path

_COMPLETIONS = "completions"
_NULL = {"type": "null"}


class Reply(BaseAnswer, tag="reply"):
    """A chat completion returns this reply."""

    json_fields = ("parts",)
    chinese = "对话接口以此内容回复，可整体返回或流式返回。"
    required_fields: ClassVar[Mapping[str, Any]] = {"text": "Hello"}
    schema: ClassVar[Mapping[str, Any]] = {
        "oneOf": [
            {"required": [one], "properties": {one: {"type": kind}, other: _NULL}}
            for one, kind, other in (
                ("text", "string", "parts"),
                ("parts", "array", "text"),
            )
        ]
    }

    operation: Annotated[str, Meta(extra_json_schema={"enum": [_COMPLETIONS]})] = (
        _COMPLETIONS
    )
    text: replies.Text | None = None
    """The reply's text."""
    parts: replies.Parts | None = None
    """The reply's parts, in order. Give this or `text`."""
    stream: replies.StreamPace | None = None
    """Pauses in a streamed reply; none by default."""

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Yield problems of `text` and `parts`, of which exactly one must be given."""
        yield from replies.reply_problems(self.text, self.parts)

    def check(self) -> None:
        super().check()
        if self.operation != _COMPLETIONS:
            raise wrong_field(_COMPLETIONS, describe_value(self.operation), "operation")

    def warnings(self) -> Iterator[str]:
        """Yield warnings, also of texts that look like placeholders."""
        yield from super().warnings()
        yield from placeholders.reply_warnings([self.text, self.parts])

    def respond(
        self, request: AnsweredRequest, distortion: Distortion | None
    ) -> Response:
        """Return the response of the operation with this reply."""
        parts = b"" if self.parts is None else msgspec.json.encode(self.parts)
        reply = replies.StoredReply(text=self.text, parts=parts, stream=self.stream)
        call = replace(request.call, reply=reply)
        return request.operation.respond(call, request.content, distortion)

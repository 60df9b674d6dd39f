"""The kind `malformed_json`: a body that is not JSON."""

from msgspec.structs import replace

from mock_server.api.event_stream import EventStream
from mock_server.api.faults.fault import Fault, FaultContext
from mock_server.api.response import Response


class MalformedJson(Fault, tag="malformed_json"):
    """The response is a 200 whose body is not JSON."""

    chinese = "状态码 200，但正文不是合法的 JSON。"

    async def apply(self, context: FaultContext) -> Response:
        """Return the response with a wrong bracket at the end of its body.

        In a stream, each event with a JSON object or array ends so.
        """
        # The length of JSON stays the same, so that only a parser finds the mistake.
        response = await context.response_to_break()
        if not response.status:  # a reply that is cut before its first byte
            return response
        if isinstance(response, EventStream):
            return response.with_chunks(
                replace(each, content=_with_wrong_bracket(each.content))
                for each in response.chunks
            )
        body = response.body
        if response.content_type.lower().startswith(b"text/event-stream"):
            return replace(response, status=200, body=_with_wrong_brackets(body))
        bracket = {b"]": b"}", b"}": b"]"}.get(body[-1:], b")")
        if body.endswith((b"]", b"}", b'"')):
            body = body[:-1]  # but not the last letter of a text: it may be a key
        return replace(response, status=200, body=body + bracket)


def _with_wrong_bracket(content: bytes) -> bytes:
    """Return one server-sent event with a wrong bracket at the end of its JSON."""
    event = content.rstrip(b"\n")
    bracket = {b"]": b")", b"}": b"]"}.get(event[-1:])
    if bracket is None or event.endswith(b"[DONE]"):
        return content
    return event[:-1] + bracket + content[len(event) :]


def _with_wrong_brackets(events: bytes) -> bytes:
    """Return server-sent events with a wrong bracket at each end of their JSON."""
    events += b"\n"  # The last line may have no end.
    for end in (b"\n", b"\r"):
        events = events.replace(b"]" + end, b")" + end).replace(b"}" + end, b"]" + end)
        events = events.replace(b"[DONE)" + end, b"[DONE]" + end)
    return events[:-1]

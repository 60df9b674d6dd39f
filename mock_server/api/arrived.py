"""What has arrived of a body that nobody reads, for the journal: without waiting."""

from starlette.types import Message, Receive

from mock_server.api.request import RequestBody
from mock_server.domain.limits import Published


def take_arrived(body: RequestBody, most: int) -> tuple[bytes, bool] | None:
    """The beginning of a body, and whether that is all of it; None if none has come.

    It ends where more would have to be waited for, or soon after so many bytes.
    """
    content = bytes(body.begun[: min(most, Published.free_body_bytes)])
    if body.arrived:
        return (content, len(content) == len(body.begun)) if content else None
    body.is_unread = True
    # To receive would ask for a body that the client holds back (RFC 9110 10.1.1).
    if any(name == b"expect" for name, _ in body.scope["headers"]):
        return (content, False) if content else None
    while not body.arrived and len(content) < most:
        message = _received(body.receive)
        if message is None or message["type"] != "http.request":
            break
        body.arrived = not message.get("more_body", False)
        piece = message.get("body", b"")
        if not piece:
            break
        content += piece
    return (content, body.arrived) if content else None


def _received(receive: Receive) -> Message | None:
    """The next message if it is there."""
    waiting = receive().__await__()
    try:
        next(waiting)
    except StopIteration as done:
        message: Message = done.value
        return message
    waiting.close()
    return None

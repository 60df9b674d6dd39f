"""Ways to send a response: ASGI's `send`, and a shorter one for what is whole.

A `send` of the wire floor has a method `whole`, which takes status, headers and body at
once. What stands between the server and the application passes it on if it can.
"""

from collections.abc import Callable, Sequence

from starlette.types import Message, Send

from mock_server.api.headers import Header

Whole = Callable[[int, Sequence[Header], bytes], bool]
"""Sends a response that is whole, of which the headers have the length of the body.

False if it was not sent: then it has to be sent by messages.
"""


def whole_of(send: Send) -> Whole | None:
    """The way of a `send` for what is whole, if it has one."""
    whole: Whole | None = getattr(send, "whole", None)
    return whole


class AddingSend:
    """A `send` that adds headers to the response."""

    __slots__ = ("_headers", "_send")

    def __init__(self, send: Send, headers: Sequence[Header]) -> None:
        self._send = send
        self._headers = headers

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *self._headers]
        await self._send(message)

    def whole(self, status: int, headers: Sequence[Header], body: bytes) -> bool:
        """Send a response with the headers added, if the server has a way."""
        whole = whole_of(self._send)
        return whole is not None and whole(status, [*headers, *self._headers], body)

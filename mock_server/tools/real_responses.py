"""The responses of a real service, and what may be wrong with them."""

from typing import Annotated, Self

import httpx2
from msgspec import Meta, Struct, field

from mock_server.control.admin_client import json_fields, response_in_words
from mock_server.decoding.json_values import JsonObject

OUTAGES = (429, 502, 503, 504)
"""The statuses and codes after which the same request may succeed soon."""


class ServiceError(Exception):
    """A service that cannot be reached, or fails at each try."""


class UnexpectedResponse(ServiceError):
    """A response does not have the form that FastGPT's responses have."""


class ListPage(Struct):
    """The items of a page, and the total of its list."""

    items: list[JsonObject] = field(name="list")
    total: Annotated[int, Meta(ge=0)]


class ServerResponse(Struct, frozen=True):
    """A response; its body is None if it is no JSON object, or one without fields."""

    status: int
    body: JsonObject | None
    words: str
    """The response in words, with its address."""

    @classmethod
    def of(cls, response: httpx2.Response) -> Self:
        words = f"{response_in_words(response)} - at {response.request.url}"
        return cls(response.status_code, json_fields(response) or None, words)

    @property
    def code(self) -> int | None:
        """The code of the envelope; None if there is none, as FastGPT sends it."""
        code = self.body and self.body.get("code")
        return code if isinstance(code, int) else None

    @property
    def is_outage(self) -> bool:
        """Whether the same request may succeed soon; a 500 with an envelope is an answer."""
        if self.status in OUTAGES or self.code in OUTAGES:
            return True
        # A server that does not know a method says so with 501.
        return self.status >= 500 and self.status != 501 and self.code is None

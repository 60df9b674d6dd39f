"""Functions of a test, in the server's process, that say what answers, replies and hits say."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

HANDLER = "mock_server.handler"
"""The item of a scope with the function of a rule to add. Requests over a socket have none."""


class HandlerRequest(Struct, frozen=True, kw_only=True):
    """A request, as it is given to the function that answers it."""

    method: str
    path: str
    path_parameters: dict[str, str]
    """The values of `{id}` and the like in a route such as `GET /api/x/{id}`."""
    query: dict[str, str]
    """The parameters of the query; a repeated one has its last value."""
    headers: dict[str, str]
    """The headers by their names, which are in lower case."""
    body: Any
    """The JSON value, or the fields of a form; else the text; None without a body."""
    key: str | None
    """The API key as the fixture declares it, else as it was sent."""
    question: str
    """The text of the question, or of a search in a dataset; empty in other requests."""
    count: int
    """How often the rule has fired, with this request."""


Handler = Callable[[HandlerRequest], Any]
"""A function, or a coroutine function, that answers a request."""

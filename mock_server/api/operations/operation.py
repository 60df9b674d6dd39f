"""What an operation is: where it is served, and how a body becomes a response."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from mock_server.api.operations.contract import Contract
from mock_server.api.response import Response, error_response
from mock_server.domain.access import Caller
from mock_server.domain.choices import Choices
from mock_server.domain.errors import Refusal
from mock_server.domain.state import State

Distort = Callable[[Any, Any], Any]
"""Takes an operation's data and its request, and gives other data."""


class Operation(Struct, frozen=True):
    """One operation, a row of the table.

    `name` is what faults, journal, logs and documents call it: the last segment of its
    path. `contract` says what its body is to be, `read` makes the domain's request of
    the bytes of one, `perform` carries that out, `encode` writes the data as the whole
    body of a response. `data` is the type of that data in the OpenAPI document,
    `refusals` are those that `perform` may raise. `traits` tell which faults have a
    meaning for it: "write" if it changes something, "page" if its data is a `Page`.
    """

    name: str
    method: str
    path: str
    summary: str
    contract: Contract[Any]
    data: Any
    refusals: tuple[type[Refusal], ...]
    read: Callable[[bytes, Choices], Any]
    perform: Callable[[State, Caller, Any], Any]
    encode: Callable[[Any, State], bytes]
    traits: frozenset[str] = frozenset()
    legacy_path: str | None = None

    @property
    def section(self) -> str:
        """The section of the spec that shows it."""
        return self.contract.section

    def respond(
        self,
        state: State,
        caller: Caller,
        content: bytes,
        distort: Distort | None = None,
    ) -> Response:
        """Carry it out for a body that has come; `distort` may change its data.

        Nothing here awaits: what is read and what is written is one moment.
        """
        try:
            request = self.read(content, state.choices)
            data = self.perform(state, caller, request)
        except Refusal as refusal:
            return error_response(refusal, state.choices)
        if distort is not None:
            data = distort(data, request)
        return Response(200, self.encode(data, state))

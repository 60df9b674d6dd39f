"""Carries operations out: from a received body to an answer, without a pause."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mock_server.api.exchange import Exchange
from mock_server.api.response import Response, error_response
from mock_server.domain.errors import Refusal
from mock_server.domain.state import State

Distort = Callable[[Any, Any], Any]
"""Takes an operation's data and its request, and gives other data."""


def perform(
    exchange: Exchange, state: State, distort: Distort | None = None
) -> Response:
    """The answer to an exchange of which the body has come.

    Nothing here awaits: what is read and what is written is one moment.
    """
    operation, content = exchange.operation, exchange.content or b""
    try:
        request = operation.read(content, state.choices)
        data = operation.perform(state, exchange.caller, request)
    except Refusal as refusal:
        return error_response(refusal, state.choices)
    if distort is not None:
        data = distort(data, request)
    return Response(200, operation.write(data, state))

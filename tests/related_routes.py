"""The operations outside the spec."""

from __future__ import annotations

from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS

RELATED_ROUTES = [each for each in OPERATIONS.values() if each.related is not None]


def serving(operation: Operation, **choices: str) -> dict[str, str]:
    """The choices under which an operation is served, and others."""
    return {"version": operation.versions[-1], **choices}

"""The operations outside the spec."""

from __future__ import annotations

from mock_server.api.operations.table import OPERATIONS

NEIGHBOURS = [each for each in OPERATIONS.values() if each.neighbour is not None]

"""The operations outside the spec."""

from __future__ import annotations

from mock_server.api.operations.table import OPERATIONS

RELATED_ROUTES = [each for each in OPERATIONS.values() if each.related is not None]

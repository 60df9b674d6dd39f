"""A server and a page for each test of the demo front end."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.pages import Demo, Visit


@pytest.fixture
def visit(visit: Visit) -> Visit:
    """Serves a fixture, by default that of the demo, and opens the demo of it."""
    from tests.e2e.pages import Demo

    return partial(visit, kind=Demo)


@pytest.fixture
def app(visit: Visit) -> Demo:
    """The demo, over its own data."""
    found: Demo = visit()
    return found

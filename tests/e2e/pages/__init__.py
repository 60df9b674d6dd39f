"""Page objects: the console and the demo as people see and use them in a browser."""

from tests.e2e.pages.console import Console
from tests.e2e.pages.demo import Demo
from tests.e2e.pages.part import Part, expect
from tests.e2e.pages.screen import Screen, Visit

__all__ = ["Console", "Demo", "Part", "Screen", "Visit", "expect"]

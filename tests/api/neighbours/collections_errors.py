"""What is refused of routes about collections: rows of the table of errors."""

from tests.api.neighbours.world import ErrorCase

CASES: tuple[ErrorCase, ...] = ()

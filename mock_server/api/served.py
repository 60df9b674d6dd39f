"""What is served, as loaders of fixtures have to know it."""

from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module

from msgspec import Struct

from mock_server.api.faults.fault import Fault
from mock_server.api.operations.operation import DESCRIPTION, Operations
from mock_server.api.operations.table import OPERATIONS
from mock_server.validation.walk import Mistake

OWN = "/__"
"""What the server's own paths begin with, and none of the service."""


class ServedOperations(Struct, frozen=True):
    """The kinds of faults, and the paths of `operations` and of the server itself."""

    operations: Operations = OPERATIONS

    def read_faults(
        self,
        fields: Mapping[str, object],
        responses: Collection[str],
        report: Callable[[Mistake], None],
    ) -> Sequence[Fault]:
        """As `faults.reader.read_faults`."""
        # Imported when a fixture has faults: all kinds take 5 ms.
        reader = import_module("mock_server.api.faults.reader")
        found: Sequence[Fault] = reader.read_faults(
            fields, report, self.operations, responses
        )
        return found

    def owner_of(self, path: str) -> str:
        """What is served at a path, in words, whatever is chosen; "" if it is free."""
        if path in ("/", DESCRIPTION) or path.startswith(OWN):
            return "the server itself"
        operation = self.operations.meant_by(path)
        if operation is None:
            return ""
        kind = "neighbour" if operation.neighbour else "operation"
        return f"{kind} {operation.name}"

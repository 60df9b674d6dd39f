"""Fixtures with all that a server can do with them: faults of all kinds, too."""

from mock_server.api.operations.operation import Operations
from mock_server.api.operations.table import OPERATIONS
from mock_server.api.served import ServedOperations
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits
from mock_server.fixture import load
from mock_server.fixture.files import FixtureLike


def load_fixture(
    *fixtures: FixtureLike,
    max_bytes: int | None = None,
    limits: Limits = Limits(),
    operations: Operations = OPERATIONS,
) -> Generation:
    """Load files (YAML, or JSON by their suffix) or documents, and merge them.

    A shipped fixture goes by its name; without arguments it is the demo. What would
    take more than `max_bytes` of memory is refused before it is made. `operations` are
    those that faults may be for, and whose paths are taken. Raises
    FixtureError with every problem of every file.
    """
    served = ServedOperations(operations)
    return load.load_fixture(
        *fixtures, max_bytes=max_bytes, limits=limits, served=served
    )

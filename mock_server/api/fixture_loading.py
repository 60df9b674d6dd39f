"""Fixtures as a server loads them: with faults of all kinds, and its operations.

`python -m` this module is the process that loads a large one.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from mock_server.api.faults.fault import Fault
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import InvalidField
from mock_server.domain.limits import DEFAULT_LIMITS, Limits
from mock_server.domain.objects.fixture_data import Generation
from mock_server.fixture import load
from mock_server.fixture.served import ReportMistake, Served
from mock_server.fixture.source.files import FixtureLike


class ServedOperations(Served):
    """The kinds of faults and answers."""

    def read_faults(
        self,
        fields: Mapping[str, object],
        responses: Collection[str],
        report: ReportMistake,
        /,
    ) -> Sequence[Fault]:
        """As `faults.table.read_faults`."""
        # Imported when a fixture has faults: all kinds take 5 ms.
        from mock_server.api.faults.table import read_faults

        return read_faults(fields, report, responses)

    def unpacked_fault(self, packed: bytes, /) -> Fault:
        """As `faults.table.unpacked`."""
        from mock_server.api.faults.table import unpacked

        return unpacked(packed)


def load_fixture(
    *fixtures: FixtureLike, max_bytes: int | None = None, limits: Limits = Limits()
) -> Generation:
    """Load files (YAML, or JSON by their suffix) or documents, and merge them.

    A shipped fixture goes by its name; without arguments it is the demo. What would
    take more than `max_bytes` of memory is refused before it is made. Raises
    FixtureError with every problem of every file.
    """
    served = ServedOperations()
    return load.load_fixture(
        *fixtures, max_bytes=max_bytes, limits=limits, served=served
    )


def with_faults(
    generation: Generation, added: Sequence[Fault], place: str = "--fault"
) -> Generation:
    """A generation with further faults in force from the start. Raises ValueError."""
    if not added:
        return generation
    all_faults = (*generation.faults, *added)
    if len(all_faults) > DEFAULT_LIMITS.faults:
        expected = f"at most {DEFAULT_LIMITS.faults} faults of fixtures and options"
        raise ValueError(f"Expected {expected}, got {len(all_faults)} - at {place}")
    try:
        for each in added:
            # Before fixtures were read, it could not be known which are declared.
            if each.operation != "*":
                declared = {answer.operation for answer in generation.answers}
                OPERATIONS.check_name(each.operation, place, "* or ", declared)
    except InvalidField as refusal:
        raise ValueError(refusal.message) from None
    size = generation.size + sum(each.size for each in added)
    return replace(generation, faults=all_faults, size=size)


if __name__ == "__main__":
    from mock_server.fixture.process.worker import main

    main(ServedOperations())

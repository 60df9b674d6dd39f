"""Loads fixtures with faults and answers, for which the API layer has the rules.

`python -m` runs this module as the process that loads a large fixture.
"""

from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from mock_server.api.faults.fault import Fault
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import InvalidField
from mock_server.domain.limits import DEFAULT_LIMITS, Limits
from mock_server.domain.objects.fixture_data import FixtureData
from mock_server.fixture import load
from mock_server.fixture.fault_reader import FaultReader, ReportMistake
from mock_server.fixture.problems import FixtureError
from mock_server.fixture.source.files import FixtureLike


class ServedOperations(FaultReader):
    """Reads the faults and answers of a fixture, for the fixture layer."""

    def read_faults(
        self,
        fields: Mapping[str, object],
        responses: Collection[str],
        report: ReportMistake,
        /,
    ) -> Sequence[Fault]:
        """See `faults.table.read_faults`."""
        # Imported on demand, because importing all kinds of faults takes long.
        from mock_server.api.faults.table import read_faults

        return read_faults(fields, report, responses)

    def decode_fault(self, packed: bytes, /) -> Fault:
        """See `faults.table.unpacked`."""
        from mock_server.api.faults.table import decode_fault

        return decode_fault(packed)


def load_fixture(
    *fixtures: FixtureLike, max_bytes: int | None = None, limits: Limits = Limits()
) -> FixtureData:
    """Load and merge fixtures: files (YAML, or JSON by their suffix) or documents.

    The name of a shipped fixture loads that one; without arguments, the demo is loaded.
    A fixture that would take more than `max_bytes` of memory is refused before it is
    built. Raises FixtureError with every problem of every file.
    """
    fault_reader = ServedOperations()
    try:
        return load.load_fixture(
            *fixtures, max_bytes=max_bytes, limits=limits, fault_reader=fault_reader
        )
    except FixtureError as error:
        raise error.with_traceback(None) from None  # our frames do not help the user


def with_faults(
    fixture: FixtureData, added_faults: Sequence[Fault], place: str = "--fault"
) -> FixtureData:
    """Return the fixture's data with `added_faults`, present from the start.

    `place` names their source in messages. Raises ValueError for too many faults, or an
    unknown operation.
    """
    if not added_faults:
        return fixture
    all_faults = (*fixture.faults, *added_faults)
    if len(all_faults) > DEFAULT_LIMITS.faults:
        expected = f"at most {DEFAULT_LIMITS.faults} faults of fixtures and options"
        raise ValueError(f"Expected {expected}, got {len(all_faults)} - at {place}")
    try:
        for each in added_faults:
            # Check names here: static responses are known once fixtures were read.
            if each.operation != "*":
                declared = {answer.operation for answer in fixture.answers}
                OPERATIONS.check_name(each.operation, place, "* or ", declared)
    except InvalidField as refusal:
        raise ValueError(refusal.message) from None
    size = fixture.size + sum(each.size for each in added_faults)
    return replace(fixture, faults=all_faults, size=size)


if __name__ == "__main__":
    from mock_server.fixture.process.worker import main

    main(ServedOperations())

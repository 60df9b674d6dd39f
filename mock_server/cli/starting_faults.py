"""The faults of `serve --fault`, beside those of fixtures."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from mock_server.api.faults.fault import Fault
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.errors import InvalidField
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits


def with_faults(generation: Generation, added: Sequence[Fault]) -> Generation:
    """A generation with further faults in force from the start. Raises ValueError."""
    all_faults = (*generation.faults, *added)
    if len(all_faults) > Limits.faults:
        expected = f"at most {Limits.faults} faults of fixtures and options"
        raise ValueError(f"Expected {expected}, got {len(all_faults)}")
    for each in added:
        # Before fixtures were read, it could not be known which are declared.
        if each.operation != "*":
            _check_name(each.operation, generation.responses)
    size = generation.size + sum(each.size for each in added)
    return replace(generation, faults=all_faults, size=size) if added else generation


def _check_name(name: str, responses: Collection[str]) -> None:
    """Raises ValueError for what is neither an operation nor declared."""
    try:
        OPERATIONS.check_name(name, "--fault", "* or ", responses)
    except InvalidField as refusal:
        raise ValueError(refusal.message) from None

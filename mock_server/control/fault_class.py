"""Defines the public class `Fault`, which returns a fault of the kind it is given."""

from abc import ABC
from typing import Any

from mock_server.api.faults import fault, table
from mock_server.api.operations.answered_path import ANY_ROUTE
from mock_server.control.faults import fault_hint
from mock_server.domain.wrong_calls import explained, hinted


class Fault(ABC):  # noqa: B024
    """Base of all faults; `Fault("error", status=502)` returns a fault of a kind."""

    kinds = table.KINDS

    # Another class than `fault.Fault`, a struct whose constructor takes no kind.
    @explained
    @hinted(
        lambda *args, **named: fault_hint(*args, **named).replace("fault(", "Fault(")
    )
    def __new__(cls, kind: str, **fields: Any) -> Any:
        """Return a fault with fields as in the admin API. Raises InvalidField."""
        return fault.read_fault({"kind": kind, **fields}, responses=ANY_ROUTE)

    of = classmethod(__new__)  # type: ignore[arg-type]


Fault.register(fault.Fault)

"""`Fault` for users: called with a kind, it returns a fault of that kind."""

from abc import ABC
from typing import Any

from mock_server.api.faults import fault, table
from mock_server.api.operations.answered_path import ANY_ROUTE
from mock_server.control.faults import example_of
from mock_server.domain.wrong_calls import explained, hinted


class Fault(ABC):  # noqa: B024
    """Base of all faults; `Fault("error", status=502)` or `Fault.of` makes one."""

    kinds = table.KINDS

    # The class of kinds is a struct: msgspec makes its values, and takes fields alone.
    @explained
    @hinted(
        lambda *given, **named: example_of(*given, **named).replace("fault(", "Fault(")
    )
    def __new__(cls, kind: str, **fields: Any) -> Any:
        """Return a fault as the admin API takes it. Raises InvalidField."""
        return fault.read_fault({"kind": kind, **fields}, responses=ANY_ROUTE)

    of = classmethod(__new__)  # type: ignore[arg-type]


Fault.register(fault.Fault)

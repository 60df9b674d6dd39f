"""The clock and the choices of a sandbox, as a test sets them."""

from collections import UserDict
from typing import Any, NoReturn

from mock_server.control.admin_client import AdminClient, without_none

__tracebackhide__ = True  # see admin_client.py


class SandboxClock:
    """The clock that a sandbox shows to its clients."""

    def __init__(self, admin: AdminClient) -> None:
        self._admin = admin

    @property
    def now(self) -> str:
        """The time: `2026-01-01T00:00:00.000Z`."""
        return str(self._admin.call("GET", "/clock")["now"])

    def freeze(self, now: Any = None) -> None:
        """Freeze the clock at its present time, or at `now`: a text, or a datetime with a zone."""
        self._admin.call("PUT", "/clock", without_none(now=now, frozen=True))

    def run(self) -> None:
        """Let the clock run."""
        self._admin.call("PUT", "/clock", {"frozen": False})

    def advance(self, seconds: float) -> None:
        """Move the clock forward, whether it is frozen or running."""
        self._admin.call("POST", "/clock/advance", {"seconds": seconds})


class SandboxChoices(UserDict[str, Any]):
    """A copy of the choices in force; setting an item sets the choice on the server."""

    __ior__ = None  # type: ignore[assignment]  # it would change the copy alone

    def __init__(self, admin: AdminClient) -> None:
        self._admin = admin
        self.data = admin.call("GET", "/choices")["choices"]

    def __setitem__(self, name: str, value: Any) -> None:
        # The request has all choices: one that it lacks would take the profile's value.
        choices = self.data | {name: value}
        self.data = self._admin.call("PUT", "/choices", {"choices": choices})["choices"]

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError(f"Expected a value of {name}, got none (a reset brings back all values)")

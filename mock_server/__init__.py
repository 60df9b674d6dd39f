"""A stateful mock server of FastGPT, for testing its clients."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import mock_server.timing.system_time  # noqa: F401 - first, as it says

if TYPE_CHECKING:
    from mock_server.application import create_app
    from mock_server.control import Control
    from mock_server.embedded_server import MockServer
    from mock_server.rules.handlers import HandlerRequest

__version__ = "0.2.0"
__all__ = ["Control", "HandlerRequest", "MockServer", "create_app"]


class UnfiredFaultWarning(UserWarning):
    """A fault, or an answer with `times`, has never fired: its test may not test what it claims."""


_HOMES = {
    "Control": "control",
    "HandlerRequest": "rules.handlers",
    "MockServer": "embedded_server",
    "create_app": "application",
}


def __getattr__(name: str) -> Any:
    # Imported only when asked for: pytest imports this package in every run, for its plugin.
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

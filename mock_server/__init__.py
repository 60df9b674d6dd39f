"""A stateful mock server for FastGPT's chat pin and dataset collection list.

The public names load on first use, so that importing the package costs nothing.
"""

from importlib import import_module

TYPE_CHECKING = False  # as `typing` has it, which takes its time to import
if TYPE_CHECKING:
    from mock_server.api.faults.fault import Fault
    from mock_server.app import create_app
    from mock_server.domain.sandbox import Sandbox
    from mock_server.fixture.load import load_fixture
    from mock_server.server import MockServer

__version__ = "0.1.0"
__all__ = ["Fault", "MockServer", "Sandbox", "create_app", "load_fixture"]

_HOMES = {
    "Fault": "api.faults.table",
    "MockServer": "server",
    "Sandbox": "domain.sandbox",
    "create_app": "app",
    "load_fixture": "fixture.load",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

"""A stateful mock server for FastGPT's chat pin and dataset collection list.

The public names load on first use, so that importing the package costs nothing.
"""

from importlib import import_module

TYPE_CHECKING = False  # instead of importing `typing`, which takes 20 ms
if TYPE_CHECKING:
    from mock_server.api.faults.fault import Fault
    from mock_server.app import create_app
    from mock_server.client import AdminClient
    from mock_server.domain.sandbox import Sandbox
    from mock_server.fixture.load import load_fixture
    from mock_server.server import MockServer
    from mock_server.testing.fixture import MockServerFixture

__version__ = "0.1.0"
__all__ = [
    "AdminClient",
    "Fault",
    "MockServer",
    "MockServerFixture",
    "Sandbox",
    "create_app",
    "load_fixture",
]

_MODULES = {
    "AdminClient": "client",
    # Not from its own module: a kind is known once its class is, and the table imports
    # all of them.
    "Fault": "api.faults.table",
    "MockServer": "server",
    "MockServerFixture": "testing.fixture",
    "Sandbox": "domain.sandbox",
    "create_app": "app",
    "load_fixture": "fixture.load",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""A stateful mock server for FastGPT's chat pin and dataset collection list.

The public names load on first use, so that importing the package costs nothing.
"""

from importlib import import_module

TYPE_CHECKING = False  # importing `typing` is slow
if TYPE_CHECKING:
    from mock_server.api.faults.fault import Fault
    from mock_server.api.fixture_loading import load_fixture
    from mock_server.app import create_app
    from mock_server.control.client import AdminClient
    from mock_server.control.control_object import MockServerFixture
    from mock_server.control.embedding import MockServer
    from mock_server.domain.sandboxes.sandbox import Sandbox
    from mock_server.fixture.problems import FixtureError
    from mock_server.testing.servers import MockServerApp

__version__ = "0.1.0"
__all__ = [
    "AdminClient",
    "Fault",
    "FixtureError",
    "MockServer",
    "MockServerApp",
    "MockServerFixture",
    "Sandbox",
    "create_app",
    "load_fixture",
]

_MODULES = {
    "AdminClient": "control.client",
    "Fault": "control.fault_class",
    "FixtureError": "fixture.problems",
    "MockServer": "control.embedding",
    "MockServerApp": "testing.servers",
    "MockServerFixture": "control.control_object",
    "Sandbox": "domain.sandboxes.sandbox",
    "create_app": "app",
    "load_fixture": "api.fixture_loading",
}


def __getattr__(name: str) -> object:
    if name.startswith(__name__):
        hint = "name it as an argument of the test, without an import"
        raise ImportError(f"{name} is a fixture of pytest: {hint}")
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        if not name.startswith("_"):  # programs read such names to inspect modules
            names = ", ".join(__all__)
            message += f" (there are {names}; a test is given a running server"
            message += " as its argument mock_server, without a decorator)"
        raise AttributeError(message)
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)

"""A stateful mock server for FastGPT's chat pin and dataset collection list.

The public names load on first use, so that importing the package costs nothing.
"""

from typing import Any

__version__ = "0.1.0"
__all__ = ["MockServer", "Sandbox", "create_app", "load_fixture"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mock_server.app import create_app  # noqa: PLC0415
    from mock_server.domain.sandbox import Sandbox  # noqa: PLC0415
    from mock_server.fixture.load import load_fixture  # noqa: PLC0415
    from mock_server.server import MockServer  # noqa: PLC0415

    public = (MockServer, Sandbox, create_app, load_fixture)
    return {each.__name__: each for each in public}[name]

"""A stateful mock server of FastGPT, for testing its clients."""

from typing import Any

__version__ = "0.2.0"
__all__ = ["Control", "MockServer", "create_app"]

_HOMES = {"Control": "control", "MockServer": "embedding", "create_app": "application"}


def __getattr__(name: str) -> Any:
    # pytest imports this package in every run, for its plugin.
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)

"""Packages whose `__init__` loads far more than a server uses.

uvicorn's has its command line, with processes and a watcher of files: 18 ms of the 135
in which a bare application is imported. zttp's has QUIC, 8 ms. So the packages are made
without running that. It runs when somebody asks the package for a name that is not in
the table below, and then all is as usual.
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from sys import modules
from threading import RLock
from types import ModuleType
from typing import Any

_ZTTP = (
    "CLIENT NEED_DATA SERVER Connection Data EndOfMessage H1Connection HeaderBlock "
    "LocalProtocolError ProtocolError RemoteProtocolError Request Response"
)
_PLACES = {
    "uvicorn": {"Config": "uvicorn.config", "Server": "uvicorn.server"},
    "zttp": dict.fromkeys(_ZTTP.split(), "zttp._zttp"),
}
"""Where names are that a package has from its submodules, and that are used here."""
_LOCK = RLock()


class _Deferred(ModuleType):
    """A package whose own code has not run yet."""

    def __getattr__(self, name: str) -> Any:
        places: Mapping[str, str] = _PLACES[self.__name__]
        if name in places:
            found = getattr(import_module(places[name]), name, self)
            if found is not self:
                return found
        with _LOCK:  # another thread may be running it
            if type(self) is _Deferred:
                self.__class__ = ModuleType
                assert self.__spec__ is not None  # noqa: S101 - see `defer`
                assert self.__spec__.loader is not None  # noqa: S101
                self.__spec__.loader.exec_module(self)
        return getattr(self, name)


def defer() -> None:
    """Make the packages, unless they are there already or not installed."""
    for name in _PLACES:
        spec = None if name in modules else find_spec(name)
        if spec is not None and spec.loader is not None:
            module = modules[name] = module_from_spec(spec)
            module.__class__ = _Deferred

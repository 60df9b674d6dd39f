"""Packages whose `__init__` loads far more than a server uses.

uvicorn's has its command line, with processes and a watcher of files: 18 ms of the 135
in which a bare application is imported. zttp's has QUIC, 8 ms. So the packages are made
without running that. It runs when somebody asks the package for a name that is not in
the table below, and then all is as usual. It is for the command `serve`, in whose
process nobody else uses them.
"""

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

    _is_running = False

    def __getattr__(self, name: str) -> Any:
        place = _PLACES[self.__name__].get(name)
        found = getattr(import_module(place), name, None) if place else None
        if found is not None:
            return found
        # Another thread may be running it, or it may ask for a name of its own.
        with _LOCK:
            if type(self) is _Deferred and not self._is_running:
                self._run()
        return ModuleType.__getattribute__(self, name)

    def _run(self) -> None:
        """Run the code of the package, which is a module like any other then."""
        self._is_running = True
        if self.__spec__ is not None and self.__spec__.loader is not None:
            self.__spec__.loader.exec_module(self)
        self.__class__ = ModuleType  # type: ignore[assignment]


def defer() -> None:
    """Make the packages, unless they are there already or not installed."""
    for name in _PLACES:
        spec = None if name in modules else find_spec(name)
        if spec is not None:
            module = modules[name] = module_from_spec(spec)
            module.__class__ = _Deferred

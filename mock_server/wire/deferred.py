"""uvicorn without its `__init__`, which loads far more than a server uses.

That has the command line, with processes and a watcher of files: 18 ms of the 135 in
which a bare application is imported. So the package is made without running it. It runs
when somebody asks the package for a name that is not in the table below, and then all
is as usual. It is for the command `serve`, in whose process nobody else uses uvicorn.
"""

from importlib import import_module
from importlib.util import find_spec, module_from_spec
from sys import modules
from threading import RLock
from types import ModuleType
from typing import Any

# zttp's loads QUIC, 8 ms more; but its names are looked up several times a request.
_PLACES = {"Config": "uvicorn.config", "Server": "uvicorn.server"}
"""Where names are that the package has from its submodules, and that are used here."""
_LOCK = RLock()


class _Deferred(ModuleType):
    """A package whose own code has not run yet."""

    _is_running = False

    def __getattr__(self, name: str) -> Any:
        place = _PLACES.get(name)
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
    """Make the package, unless it is there already."""
    spec = None if "uvicorn" in modules else find_spec("uvicorn")
    if spec is not None:
        module = modules["uvicorn"] = module_from_spec(spec)
        module.__class__ = _Deferred

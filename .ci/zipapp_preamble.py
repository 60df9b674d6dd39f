"""Runs in the zipapp before the program: leaves it with its own packages only, and says
so if this Python cannot run it."""

import os
import platform
import sys
from importlib.machinery import PathFinder
from importlib.metadata import distribution
from importlib.util import find_spec

# Neither PYTHONPATH nor what is installed, such as in a virtual environment: only what
# was unpacked, and the standard library.
_library = os.path.dirname(os.__file__)
_parts = ("lib-dynload", "DLLs", "python{}{}.zip".format(*sys.version_info))
sys.path[:] = [
    str(globals()["site_packages"]),  # given by shiv
    *(each for each in sys.path if each == _library or each.endswith(_parts)),
]

# A part of a dependency that is compiled for one version of Python and one platform.
_package = find_spec("msgspec")
if _package and not PathFinder.find_spec("_core", _package.submodule_search_locations):
    _wheel = distribution("msgspec").read_text("WHEEL") or ""
    _tag = _wheel.partition("Tag: ")[2].partition("\n")[0]
    _here = f"{platform.python_version()} on {platform.platform()}"
    sys.exit(f"mock-server: Expected a Python that takes {_tag}, got {_here}")

"""Starts the zipapp: unpacks it and runs the program, or says that it cannot unpack."""

# shiv formats this text: no braces.
import os
import sys

from _bootstrap import bootstrap

try:
    bootstrap()
except (OSError, RuntimeError) as error:
    if "mock_server" in sys.modules:  # what the program raises is its own
        raise
    got = getattr(error, "strerror", None) or str(error)
    place = os.environ.get("SHIV_ROOT", "~/.shiv")
    sys.exit(
        "mock-server: Expected a folder to unpack this file to, got "
        + got
        + " - at "
        + place
        + " (the variable SHIV_ROOT names another folder)"
    )

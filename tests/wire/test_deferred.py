"""Packages of which only a part is loaded, until somebody asks for the rest."""

from __future__ import annotations

import subprocess
import sys

import pytest

DEFER = "from mock_server.wire.deferred import defer; defer()\n"
AFTER = DEFER + "import mock_server.server, sys, threading, uvicorn\n"
BEFORE = "import uvicorn, sys\n" + DEFER


@pytest.mark.ci
@pytest.mark.parametrize(
    "code",
    [
        AFTER + "assert 'uvicorn.main' not in sys.modules",
        AFTER + "assert uvicorn.Config is uvicorn.config.Config",
        AFTER + "uvicorn.Server; assert 'uvicorn.main' not in sys.modules",
        AFTER + "assert uvicorn.run.__module__ == 'uvicorn.main'",
        AFTER + "assert uvicorn.__version__ and uvicorn.run",
        AFTER + "from uvicorn import *; run, Config",
        AFTER + "assert not hasattr(uvicorn, 'nope') and uvicorn.run",
        AFTER + "import uvicorn.main; assert uvicorn.main and uvicorn.run",
        BEFORE + "assert 'uvicorn.main' in sys.modules and uvicorn.run",
        "import mock_server.server, sys\nassert 'uvicorn.main' in sys.modules",
        AFTER
        + "ask = lambda: found.append(uvicorn.run)\n"
        + "found, asking = [], [threading.Thread(target=ask) for _ in range(8)]\n"
        + "[each.start() for each in asking]; [each.join() for each in asking]\n"
        + "assert len(found) == 8",
    ],
)
def test_whoever_asks_for_the_rest_of_uvicorn_gets_it(code: str) -> None:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")

"""The server as the first process of a container, which no default action stops."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.process import COMMAND, serving
from tests.support import SECONDS, fetch

UNSHARE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]


def can_unshare() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*UNSHARE, "true"], capture_output=True).returncode == 0


@pytest.mark.ci
@pytest.mark.skipif(not can_unshare(), reason="unshare gives no PID namespace here")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_the_first_process_stops_when_asked(how: signal.Signals) -> None:
    with serving("--port=0", command=[*UNSHARE, *COMMAND]) as (url, parent):
        assert fetch("GET", url + "/__admin/health").status_code == 200
        children = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text()
        os.kill(int(children), how)
        assert parent.wait(timeout=SECONDS) == 0

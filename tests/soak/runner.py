"""The command `mock-server`, which at SIGUSR1 writes a line about its event loop.

The server itself tells nobody of this, and need not: it is for the soak only.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal

from mock_server.__main__ import main
from tests.soak.lateness import Lateness


def watch() -> None:
    """From now on, tell at the signal which tasks there are and how late the loop was.

    The signal is handled in the thread of the event loop.
    """
    lateness = Lateness()

    def tell(*_: object) -> None:
        tasks = asyncio.all_tasks()
        names = sorted(getattr(each.get_coro(), "__qualname__", "?") for each in tasks)
        told = {"tasks": names, "late": lateness.counts()}
        os.write(1, json.dumps(told).encode() + b"\n")

    signal.signal(signal.SIGUSR1, tell)


if __name__ == "__main__":
    watch()
    main()

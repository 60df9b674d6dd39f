"""The command `mock-server`, which at SIGUSR1 writes a line with its asyncio tasks.

The server itself tells nobody of them, and need not: this is for the soak only.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal

from mock_server.__main__ import main


def _tell(*_: object) -> None:
    """Called at the signal, in the thread of the event loop."""
    tasks = asyncio.all_tasks()
    names = sorted(getattr(each.get_coro(), "__qualname__", "?") for each in tasks)
    os.write(1, json.dumps(names).encode() + b"\n")


if __name__ == "__main__":
    signal.signal(signal.SIGUSR1, _tell)
    main()

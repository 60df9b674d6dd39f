"""Chromium, if it is there."""

from __future__ import annotations

import os
import shutil

import pytest

SHELL = "chromium-headless-shell"
"""Chromium without its own windows: it takes half the time for the same pages."""
CHROMIUM = next(
    filter(None, map(shutil.which, (SHELL, "chromium", "chromium-browser"))), None
)
IS_ROOT = getattr(os, "geteuid", lambda: 1)() == 0
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    *(["--no-sandbox"] if IS_ROOT else []),
]
VIRTUAL_TIME = "--virtual-time-budget=20000"
"""Ends a page that has nothing more to wait for."""
BROWSER_TEST = [
    pytest.mark.ci,
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
]
"""The marks of tests in a browser."""

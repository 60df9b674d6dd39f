"""Runs of pytest in the projects of `projects`, as their authors would start them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

# Before any run in this process, which forgets what it imports: httpx2 imports it late,
# and would then not know the exceptions of another copy; nor does the C part of yaml
# know the events of another copy.
import httpcore2  # noqa: F401
import pytest
import yaml  # noqa: F401

from tests.support import LIBRARY

collect_ignore = ["projects"]
PROJECTS = Path(__file__).parent / "projects"
QUICKLY = ("--disable-plugin-autoload", "-pmock_server", "-pno:cacheprovider")
"""No other plugin is looked for: it would take a fifth of a run in this process."""
SLOW = ("schemathesis", "hypothesispytest", "faker", "cacheprovider")
"""Plugins whose import takes longer than most of the runs."""
OTHERS = ("randomly", "asyncio")
"""Plugins that may be there or not, and change how tests are run."""
Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester) -> Run:
    """Copies a project and runs its tests, with the shared conftest.py and the library
    unless it is `alone`, without other plugins unless it is `beside` them.

    A run `apart` is a process of its own; others are in this one, which is five times
    as fast.
    """

    def run(
        name: str,
        *args: str,
        alone: bool = False,
        apart: bool = False,
        beside: bool = False,
    ) -> pytest.RunResult:
        shutil.copytree(PROJECTS / name, pytester.path, dirs_exist_ok=True)
        if not alone:
            shutil.copy(PROJECTS / "conftest.py", pytester.path)
            (pytester.path / "library.json").write_text(json.dumps(LIBRARY))
        if not apart:
            return pytester.runpytest_inprocess(*QUICKLY, *args)
        without = SLOW if beside else (*SLOW, *OTHERS)
        options = [f"-pno:{plugin}" for plugin in without]
        return pytester.runpytest_subprocess(*options, *args)

    return run


@pytest.fixture
def bare(pytester: pytest.Pytester) -> Run:
    """Runs the tests that are there in this process, without other plugins."""
    return partial(pytester.runpytest_inprocess, *QUICKLY)

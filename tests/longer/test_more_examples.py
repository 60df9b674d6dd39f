"""The properties of the README's tests, with twice as many examples."""

import os
import sys
from pathlib import Path

from commands import run_command

PROPERTIES = ["test_har.py::test_a_recorded_reply_comes_again_as_it_came"]
PROPERTIES += ["test_hostile.py", "test_model.py", "test_rules.py"]
PROPERTIES += ["test_roundtrip.py::test_a_dump_loads_as_the_same_account"]


def test_properties_hold_of_more_examples():
    files = [Path(__file__).parents[1] / it for it in PROPERTIES]
    command = (sys.executable, "-m", "pytest", "-q", "-n0", *files)
    run_command(*command, seconds=280, env=os.environ | {"EXAMPLES": "2"})

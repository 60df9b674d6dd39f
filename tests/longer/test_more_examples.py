"""Tests of the README's with more examples, and in another locale."""

import os
import sys
from pathlib import Path

import pytest
from commands import run_command

PROPERTIES = ["test_har.py::test_a_recorded_reply_comes_again_as_it_came"]
PROPERTIES += ["test_hostile.py", "test_model.py", "test_rules.py"]
PROPERTIES += ["test_roundtrip.py::test_a_dump_loads_as_the_same_account"]


def run_tests(*names: str, **variables: str) -> None:
    files = [Path(__file__).parents[1] / it for it in names]
    command = (sys.executable, "-m", "pytest", "-q", "-n0", *files)
    run_command(*command, seconds=280, env=os.environ | variables)


def test_properties_hold_of_more_examples():
    run_tests(*PROPERTIES, EXAMPLES="2")


@pytest.mark.skipif(not Path("/usr/share/i18n/charmaps/GBK.gz").exists(), reason="needs GBK")
def test_files_and_pipes_are_utf8_in_a_chinese_locale(tmp_path):
    run_command("localedef", "-i", "zh_CN", "-f", "GBK", tmp_path / "zh_CN.GBK")
    run_tests("test_locales.py", TESTED_LOCALE="zh_CN.GBK", LOCPATH=str(tmp_path))

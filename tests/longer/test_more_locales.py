"""The tests of locales, in one with a charset of its own."""

import os
from pathlib import Path

import pytest
from commands import run_command
from test_locales import (
    STRICT,
    folder,
    test_a_server_shows_its_console_and_the_names_of_its_files,
    test_commands_read_and_write_utf8,
    test_pytest_runs_and_reports,
)

__all__ = [
    "folder",
    "test_a_server_shows_its_console_and_the_names_of_its_files",
    "test_commands_read_and_write_utf8",
    "test_pytest_runs_and_reports",
]


@pytest.fixture(scope="module")
def variables(tmp_path_factory):
    """The environment of a machine with a locale that is made for it."""
    if not Path("/usr/share/i18n/charmaps/GBK.gz").exists():
        pytest.skip("needs localedef and GBK")
    locales = tmp_path_factory.mktemp("locales")
    run_command("localedef", "-i", "zh_CN", "-f", "GBK", locales / "zh_CN.GBK")
    return os.environ | STRICT | {"LC_ALL": "zh_CN.GBK", "LOCPATH": str(locales)}

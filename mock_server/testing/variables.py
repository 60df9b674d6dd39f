"""Variables that look like settings and are none, told when a run begins."""

import os

import pytest

from mock_server.environment import unknown_settings, variable


def check_names(config: pytest.Config) -> None:
    """Warn of unknown variables.

    With MOCK_SERVER_STRICT_SETTINGS, raises pytest.UsageError.
    """
    unknown = unknown_settings(os.environ)
    strict = os.environ.get(variable("strict-settings"), "")
    if unknown and strict.lower() in ("true", "1", "yes", "on"):
        raise pytest.UsageError("\n".join(unknown))
    for each in unknown:
        config.issue_config_time_warning(pytest.PytestWarning(each), stacklevel=2)

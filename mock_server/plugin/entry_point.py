"""What pytest loads: the plugin; with an older pytest, pytest fixtures that say so."""

import pytest

pytest_plugins = ["mock_server.pytest_plugin"]
if getattr(pytest, "version_tuple", (6,)) < (8, 1):
    pytest_plugins = ["mock_server.plugin.server_options"]

    @pytest.fixture(scope="session")
    def mock_server() -> None:
        """Only a test that uses it fails."""
        pytest.fail(
            f"mock_server needs pytest 8.1 or later, got {pytest.__version__}", pytrace=False
        )

    mock_server_app = mock_server_session = mock_server

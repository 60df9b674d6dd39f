"""What the pytest plugin is made of; `mock_server.pytest_plugin` is its face."""

"""Machines of `mock_server.strategies`: right clients pass, wrong ones are found."""

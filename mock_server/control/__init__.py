"""Steering a server: one object, whatever way the server is run.

`MockServerFixture` is what the pytest fixture `mock_server` gives, and what
`MockServer.control`, `mock_server_app.control` and an `AdminClient` lead to.
"""

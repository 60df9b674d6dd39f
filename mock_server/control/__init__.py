"""Provides the control object of a server, for every way to run the server.

`MockServerFixture` is the type of the pytest fixture `mock_server`, of
`MockServer.control` and of `mock_server_app.control`.
"""

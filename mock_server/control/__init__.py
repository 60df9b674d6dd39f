"""Control a server by one object, however the server is run.

`MockServerFixture` is the type of the pytest fixture `mock_server`, of
`MockServer.control` and of `mock_server_app.control`.
"""

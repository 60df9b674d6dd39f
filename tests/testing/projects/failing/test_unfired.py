"""Faults that a test adds and never meets."""


def test_never(mock_server):
    mock_server.fault("error", status=500, operation="listV2")
    mock_server.preset("flaky")


def test_fired(mock_server, pin):
    mock_server.fault("error", status=500)
    assert pin().status_code == 500

from assistant import ask


def test_a_client_is_told_when_to_come_again(mock_server):
    mock_server.fault("error", status=429, retry_after=1)
    first, second = ask(mock_server, "Hello"), ask(mock_server, "Hello")
    assert (first.status_code, first.headers["Retry-After"]) == (429, "1")
    assert second.status_code == 200

from assistant import ask


def test_a_key_is_refused_once(mock_server):
    mock_server.respond("completions", status=401, times=1)
    assert [ask(mock_server, "Hello").status_code for _ in "12"] == [401, 200]

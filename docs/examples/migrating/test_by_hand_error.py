from assistant import events


def test_an_error_ends_a_stream(mock_server):
    mock_server.reply(parts=["One moment ", {"error": "Model is busy"}])
    *_, last = events(mock_server, "Hello")
    assert last == ("error", {"message": "Model is busy"})

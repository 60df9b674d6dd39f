from assistant import ask


def test_a_question_is_sent_once(mock_server):
    ask(mock_server, "Hello")
    mock_server.assert_called("completions", times=1, body={"chatId": "c1"})
    (call,) = mock_server.calls("completions")
    assert call["request"]["body"]["messages"][0]["content"] == "Hello"

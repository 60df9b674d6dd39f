from assistant import said


def test_a_reply_fits_the_question(mock_server):
    mock_server.reply("It is raining.", match={"question": "weather"})
    mock_server.reply("I do not know.")
    assert said(mock_server, "The weather?") == "It is raining."
    assert said(mock_server, "The time?") == "I do not know."

from assistant import LOGIN, post


def test_a_wrong_password_is_refused(mock_server):
    refusal = {"code": 403, "statusText": "", "message": "Wrong password", "data": None}
    match = {"body": {"username": "ann"}}
    mock_server.respond("loginByPassword", status=403, json=refusal, match=match)
    answer = post(mock_server, LOGIN, username="ann", password="?", code="?")
    assert answer.json()["message"] == "Wrong password"

from assistant import http


def test_a_canned_answer(mock_server):
    mock_server.respond("GET /api/plan/{id}", json={"id": "{{path.id}}", "name": "Pro"})
    answer = http.get(mock_server.url + "/api/plan/7")
    assert answer.json() == {"id": "7", "name": "Pro"}

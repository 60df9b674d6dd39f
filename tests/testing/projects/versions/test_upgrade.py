import httpx2


def test_a_dataset_is_created(mock_server):
    """As clients wrote it before the service checked requests by schema."""
    url = mock_server.url + "/api/core/dataset/create"
    headers = {"Authorization": f"Bearer {mock_server.key}"}
    answer = httpx2.post(url, json={"name": "New"}, headers=headers, timeout=60)
    assert answer.status_code == 200


def test_a_pin(pin):
    assert pin().status_code == 200

from assistant import SEARCH, post


def test_nothing_is_found(mock_server):
    mock_server.put_dataset({"id": "empty", "collections": []})
    found = post(mock_server, SEARCH, datasetId="empty", text="invoice")
    assert found.json()["data"]["list"] == []

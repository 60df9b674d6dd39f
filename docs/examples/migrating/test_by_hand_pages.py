from assistant import LIST, post


def test_a_list_has_two_pages(mock_server):
    many = {"name": "Page {n}", "repeat": 40}
    mock_server.load({"datasets": [{"id": "d", "collections": [many]}]})
    fields = {"datasetId": "d", "parentId": None, "pageSize": 30}
    pages = [post(mock_server, LIST, offset=at, **fields) for at in (0, 30)]
    assert [len(each.json()["data"]["list"]) for each in pages] == [30, 10]

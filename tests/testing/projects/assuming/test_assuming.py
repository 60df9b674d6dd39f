import pytest

from tests.examples.panel import Panel


class Assuming(Panel):
    """Takes a list without parentId for that of the top level."""

    def page(self, dataset_id, parent_id, offset):
        body = {"datasetId": dataset_id, "offset": offset, "pageSize": 30}
        if parent_id is not None:
            body["parentId"] = parent_id
        return self._call("POST", "/api/core/dataset/collection/listV2", body)


@pytest.fixture
def mock_server_fixture():
    folder = {"name": "Folder", "children": [{"name": "Inner"}]}
    return {"datasets": [{"id": "d", "collections": [folder]}]}


@pytest.mark.mock_server(profile="deployed")
def test_the_top_level_is_listed(mock_server):
    with Assuming(mock_server.url, mock_server.key) as panel:
        assert [item["name"] for item in panel.folder("d")] == ["Folder"]

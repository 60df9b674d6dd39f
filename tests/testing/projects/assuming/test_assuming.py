import pytest

from tests.examples.panel import Panel


class Assuming(Panel):
    """Takes a list without parentId for that of the top level."""

    def _every(self, wanted):
        given = {name: value for name, value in wanted.items() if value is not None}
        return super()._every(given)


@pytest.fixture
def mock_server_fixture():
    folder = {"name": "Folder", "children": [{"name": "Inner"}]}
    return {"datasets": [{"id": "d", "collections": [folder]}]}


@pytest.mark.mock_server(profile="deployed")
def test_the_top_level_is_listed(mock_server):
    with Assuming(mock_server.url, mock_server.key) as panel:
        assert [item["name"] for item in panel.folder("d")] == ["Folder"]

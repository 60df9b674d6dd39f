import pytest


@pytest.fixture(params=[lambda path: path, lambda path: [path]])
def mock_server_fixture(request, tmp_path_factory, name):
    file = tmp_path_factory.getbasetemp() / "changing.yaml"
    file.write_text(f"datasets: [{{id: d, collections: [{{name: {name}}}]}}]")
    return request.param(file)


@pytest.mark.parametrize("name", ["a", "bc"])
def test_a_changed_file_is_loaded_again(mock_server, name):
    assert mock_server.collections("d")[0].name == name

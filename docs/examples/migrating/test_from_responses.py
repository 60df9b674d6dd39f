from panel import DATASET, make_folder, pin


def test_a_folder_gets_an_id(mock_server):
    drafts = make_folder(mock_server.url, mock_server.key, "Drafts")
    assert drafts == "ff0000016b86b273ff34fce1"  # the same in every run
    made = {each.id: each.name for each in mock_server.collections(DATASET)}
    assert made[drafts] == "Drafts"


def test_the_second_answer_is_an_error(mock_server):
    mock_server.fault("error", status=502, skip=1)
    pin(mock_server.url, mock_server.key)
    pin(mock_server.url, mock_server.key)
    mock_server.assert_called(
        "updateHistory", times=3, body={"top": True}, key=mock_server.key
    )
    mock_server.assert_called("updateHistory", times=1, status=502)

"""The panel against the mock server: all that a test can ask for, in one module."""

import pytest
from hypothesis import HealthCheck, given, settings

from mock_server.strategies import fault_lists, fixtures
from tests.examples.panel import Failed, Panel


@pytest.fixture(scope="module")
def mock_server_fixture():
    keys = [{"key": "fastgpt-owner"}, {"key": "fastgpt-guest", "permission": "none"}]
    apps = [{"id": "app", "chats": [{"chatId": "chat"}]}]
    datasets = [{"id": "set", "collections": [{"name": "x {n:02}", "repeat": 70}]}]
    return {"keys": keys, "apps": apps, "datasets": datasets}


@pytest.fixture
def panel(mock_server):
    with Panel(mock_server.url, mock_server.key) as panel:
        yield panel


def test_a_pin_arrives(mock_server, panel):
    mock_server.clock.freeze("2026-01-01T00:00:00Z")
    panel.pin("app", "chat")
    assert mock_server.chat("app", "chat").top
    mock_server.assert_called("updateHistory", times=1, body={"top": True})


def test_a_folder_is_read_to_its_end(mock_server, panel):
    names = [item["name"] for item in panel.folder("set")]
    assert sorted(names) == [f"x {n:02}" for n in range(1, 71)]
    assert len(mock_server.calls("listV2")) == 3
    mock_server.assert_no_violations()


def test_a_lost_answer_is_asked_for_again(mock_server, panel):
    mock_server.fault("reset", phase="after", times=2)
    panel.pin("app", "chat")
    assert mock_server.wait_for("updateHistory")["fault"]["kind"] == "reset"
    mock_server.assert_called("updateHistory", times=3)


@pytest.mark.mock_server(profile="deployed")
def test_a_guest_is_told_so(mock_server):
    key = mock_server.keys["fastgpt-guest"]
    with Panel(mock_server.url, key) as guest, pytest.raises(Failed):
        list(guest.folder("set"))


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(fixtures(), fault_lists())
def test_everything_is_found_amid_faults(mock_server, document, faults):
    mock_server.load(document, faults)
    with Panel(mock_server.url, mock_server.key, attempts=12) as panel:
        for dataset in document["datasets"]:
            wanted = {each.id for each in mock_server.collections(dataset["id"])}
            assert {item["_id"] for item in panel.folder(dataset["id"])} == wanted

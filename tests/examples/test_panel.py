"""The panel against the mock server: all that a test can ask for, in one module."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings

from mock_server import MockServerApp, MockServerFixture
from mock_server.strategies import fault_lists, fixtures
from tests.examples.panel import Failed, Panel

# Whatever a test is about, the panel sends nothing that breaks the spec.
pytestmark = pytest.mark.mock_server(strict=True)


@pytest.fixture(scope="session")
def mock_server_fixture() -> dict[str, Any]:
    keys = [{"key": "fastgpt-owner"}, {"key": "fastgpt-guest", "permission": "none"}]
    apps = [{"id": "app", "chats": [{"chatId": "chat"}, {"chatId": "old"}]}]
    datasets = [{"id": "set", "collections": [{"name": "x {n:02}", "repeat": 70}]}]
    return {"keys": keys, "apps": apps, "datasets": datasets}


@pytest.fixture
def panel(mock_server: MockServerFixture) -> Iterator[Panel]:
    with Panel(mock_server.url, mock_server.key) as panel:
        yield panel


def test_a_pin_arrives(mock_server: MockServerFixture, panel: Panel) -> None:
    mock_server.clock.freeze("2026-01-01T00:00:00Z")
    mock_server.clock.advance(timedelta(hours=1))
    panel.pin("app", "chat")
    chat = mock_server.chat("app", "chat")
    assert (chat.top, chat.update_time) == (True, "2026-01-01T01:00:00.000Z")
    sent, key = {"chatId": "chat", "top": True}, mock_server.key
    mock_server.assert_called("updateHistory", times=1, body=sent, key=key, status=200)


def test_only_one_chat_is_unpinned(
    mock_server: MockServerFixture, panel: Panel
) -> None:
    for chat_id in ("a", "b"):
        mock_server.put_chat("app", {"chatId": chat_id, "top": True})
    panel.pin("app", "a", top=False)
    pinned = [chat.chat_id for chat in mock_server.chats("app") if chat.top]
    assert pinned == ["b"]
    mock_server.assert_not_called("updateHistory", body={"chatId": "b"})


def test_a_folder_is_read_to_its_end(
    mock_server: MockServerFixture, panel: Panel
) -> None:
    names = [item["name"] for item in panel.folder("set")]
    assert sorted(names) == [f"x {n:02}" for n in range(1, 71)]
    offsets = 0, 30, 60
    mock_server.assert_in_order(
        [{"operation": "listV2", "body": {"offset": offset}} for offset in offsets]
    )
    mock_server.assert_called("listV2", times=len(offsets))


def test_all_folders_are_walked(mock_server: MockServerFixture, panel: Panel) -> None:
    inner = {"name": "Setup", "children": [{"name": "Linux"}]}
    guides = {"name": "Guides", "children": [inner]}
    mock_server.put_dataset({"id": "tree", "collections": [guides, {"name": "FAQ"}]})
    paths = ["FAQ", "Guides", "Guides/Setup", "Guides/Setup/Linux"]
    assert sorted(panel.tree("tree")) == paths


def test_a_tag_is_found_in_any_folder(
    mock_server: MockServerFixture, panel: Panel
) -> None:
    faq = {"_id": "faq", "name": "FAQ", "parentId": "more", "tags": ["help"]}
    mock_server.put_collection("set", {"_id": "more", "name": "M", "type": "folder"})
    mock_server.put_collection("set", faq)
    assert [item["_id"] for item in panel.search("set", "HELP")] == ["faq"]
    # With the folder that is shown it would not be: so the panel must not send it.
    why = mock_server.why("set", "faq", parentId=None, searchText="help")
    assert why["keptOutBy"] == ["folder"]
    assert "parentId" not in mock_server.last_call("listV2")["request"]["body"]


def test_a_lost_answer_is_asked_for_again(
    mock_server: MockServerFixture, panel: Panel
) -> None:
    with mock_server.fault("reset", phase="after", times=2) as lost:
        panel.pin("app", "chat")
        assert lost.fired == 2
    third = mock_server.wait_for("updateHistory", times=3, timeout=60)
    assert third["answer"]["status"] == 200


def test_the_panel_waits_as_long_as_it_is_told(mock_server: MockServerFixture) -> None:
    waits: list[float] = []
    mock_server.fault("error", status=503, retry_after=timedelta(seconds=7))
    mock_server.fault("error", status=502, times=2)
    with Panel(mock_server.url, mock_server.key, pause=1, sleep=waits.append) as panel:
        panel.pin("app", "chat")
    assert waits == [7, 2, 4]
    assert mock_server.faults.all_fired()


def test_a_rate_limit_is_waited_for(mock_server: MockServerFixture) -> None:
    mock_server.clock.freeze()
    mock_server.fault("rate_limit", limit=2, window=timedelta(minutes=1))
    sleep = mock_server.clock.advance
    with Panel(mock_server.url, mock_server.key, sleep=sleep) as panel:
        assert len(list(panel.folder("set"))) == 70
    mock_server.assert_called("listV2", status=429, times=1)


def test_an_outage_is_told_until_it_is_over(
    mock_server: MockServerFixture, panel: Panel
) -> None:
    mock_server.fault("error", status=503, message="down", times=100)
    with pytest.raises(Failed, match="down"):
        panel.pin("app", "chat")
    mock_server.faults.clear()
    panel.pin("app", "chat")
    mock_server.assert_called("updateHistory", status=503, times=4)


@pytest.mark.mock_server(profile="deployed")
def test_a_guest_is_told_so(mock_server: MockServerFixture) -> None:
    key = mock_server.keys["fastgpt-guest"]
    with Panel(mock_server.url, key) as guest, pytest.raises(Failed):
        list(guest.folder("set"))
    mock_server.assert_called("listV2", key=key)


def test_a_server_of_the_session_is_put_back(
    mock_server_session: MockServerFixture,
) -> None:
    mock_server_session.put_app({"id": "mine", "chats": [{"chatId": "chat"}]})
    mock_server_session.snapshot("before")
    with Panel(mock_server_session.url, mock_server_session.key) as panel:
        panel.pin("mine", "chat")
    mock_server_session.restore("before")
    assert not mock_server_session.chat("mine", "chat").top
    mock_server_session.reset()


@pytest.mark.mock_server(strict=False)
def test_pages_may_be_shorter_than_asked(mock_server: MockServerFixture) -> None:
    mock_server.choices["page_size_over_limit"] = "clamp"
    with Panel(mock_server.url, mock_server.key, page_size=50) as panel:
        assert len(list(panel.folder("set"))) == 70
    mock_server.assert_called("listV2", times=3, body={"pageSize": 50})


def test_two_accounts_stay_apart(
    mock_server: MockServerFixture,
    mock_server_factory: Callable[..., MockServerFixture],
    panel: Panel,
) -> None:
    apps = [{"id": "app", "chats": [{"chatId": "chat"}]}]
    other = mock_server_factory({"apps": apps})
    with Panel(other.url, other.key) as second, ThreadPoolExecutor() as executor:
        executor.submit(second.pin, "app", "chat")
        other.wait_for("updateHistory", timeout=60)
    panel.pin("app", "old")
    assert other.chat("app", "chat").top
    assert not mock_server.chat("app", "chat").top


def test_the_top_level_is_read_in_process(mock_server_app: MockServerApp) -> None:
    async def first_page() -> Any:
        transport = httpx2.ASGITransport(app=mock_server_app)
        headers = {"Authorization": f"Bearer {mock_server_app.key}"}
        body = {"datasetId": "set", "offset": 0, "parentId": None}
        url = f"{mock_server_app.url}/api/core/dataset/collection/listV2"
        async with httpx2.AsyncClient(transport=transport, headers=headers) as client:
            return (await client.post(url, json=body)).json()["data"]

    assert asyncio.run(first_page())["total"] == 70
    mock_server_app.control.assert_called("listV2", times=1)


@pytest.fixture
def patient(mock_server: MockServerFixture) -> Iterator[Panel]:
    with Panel(mock_server.url, mock_server.key, attempts=12) as panel:
        yield panel


@settings(max_examples=25, suppress_health_check=list(HealthCheck), deadline=None)
@given(fixtures(), fault_lists())
def test_everything_is_found_amid_faults(
    mock_server: MockServerFixture,
    patient: Panel,
    document: dict[str, Any],
    faults: list[dict[str, Any]],
) -> None:
    mock_server.load(document, faults)
    for dataset in document["datasets"]:
        wanted = {each.id for each in mock_server.collections(dataset["id"])}
        assert {item["_id"] for item in patient.folder(dataset["id"])} == wanted

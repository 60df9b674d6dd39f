"""Further servers of a test, and one for the whole session."""

from typing import Any

import httpx2

LIST = "/api/core/dataset/collection/listV2"


def total(server: Any, dataset: str = "dataset-1", **fields: Any) -> Any:
    body = {"offset": 0, "datasetId": dataset} | fields
    headers = {"Authorization": f"Bearer {server.key}"}
    url = server.url + LIST
    answer = httpx2.post(url, json=body, headers=headers, verify=False, timeout=60)
    return answer.json()["data"]["total"] if answer.is_success else answer.status_code


def test_servers_are_apart(mock_server, mock_server_factory):
    first = mock_server_factory({"datasets": [{"id": "a"}]}, profile="deployed")
    second = mock_server_factory("library.json", choices={"related_routes": "on"})
    assert len({mock_server.url, first.url, second.url}) == 3
    second.remove_dataset("dataset-1")
    assert [total(first, "a"), total(second), total(mock_server)] == [0, 404, 7]
    assert [len(each.journal) for each in (mock_server, first, second)] == [1, 1, 1]
    assert first.choices["page_size_max"] == 100


def test_they_begin_anew(mock_server_factory):
    again = mock_server_factory("library.json")
    assert (total(again), len(again.journal)) == (7, 1)


def test_the_session_goes_on(mock_server_session):
    mock_server_session.load("library.json")
    assert total(mock_server_session) == 7


def test_where_it_was(mock_server_session, mock_server):
    assert mock_server_session.url != mock_server.url
    assert len(mock_server_session.journal) == 1
    mock_server_session.reset()
    assert mock_server_session.journal == []

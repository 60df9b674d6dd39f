"""The strategies: what they make is valid, and shrinks to what a person would write."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from mock_server import Fault, create_app, load_fixture
from mock_server.api.operations.table import OPERATIONS
from mock_server.strategies import (
    fault_lists,
    fixtures,
    list_requests,
    pin_requests,
    requests,
)
from tests.related_routes import serving
from tests.support import LIST, PIN

DEMO = load_fixture()
RELATED_ROUTES = [name for name, row in OPERATIONS.items() if row.related is not None]
PLAIN = {"error_form": "plain"}
AUTH = {"Authorization": "Bearer k"}
QUICK = settings(
    derandomize=True, max_examples=2_000, phases=[Phase.generate, Phase.shrink]
)


@pytest.mark.ci
@given(fixtures())
def test_fixtures_load(document: dict[str, Any]) -> None:
    assert load_fixture(document).counts()["datasets"] >= 1


@pytest.mark.ci
@given(st.data())
def test_requests_are_on_contract_and_answered(data: st.DataObject) -> None:
    document = data.draw(fixtures(max_repeat=35))
    app = create_app(document)
    client = TestClient(app)
    body = data.draw(list_requests(document))
    assert client.post(LIST, json=body, headers=AUTH).status_code == 200
    if document["apps"][0]["chats"]:
        body = data.draw(pin_requests(document))
        assert client.put(PIN, json=body, headers=AUTH).status_code == 200
    entries = client.get("/__admin/journal").json()["entries"]
    assert [entry["violations"] for entry in entries] == [[]] * len(entries)


@given(fault_lists())
def test_faults_are_taken(faults: list[dict[str, Any]]) -> None:
    assert [Fault.of(**fault).kind for fault in faults] == (
        [fault["kind"] for fault in faults]
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.sampled
def test_requests_of_every_operation_are_on_its_contract(operation: str) -> None:
    row = OPERATIONS[operation]

    @settings(max_examples=settings().max_examples // 5)
    @given(requests(operation, DEMO))
    def holds(fields: dict[str, Any]) -> None:
        row.contract.decoder.decode(msgspec.json.encode(fields))

    holds()


@pytest.mark.ci
@pytest.mark.parametrize("operation", RELATED_ROUTES)
@pytest.mark.sampled
def test_requests_of_every_related_route_are_answered(operation: str) -> None:
    row = OPERATIONS[operation]

    @settings(max_examples=10)
    @given(requests(operation, DEMO))
    def holds(fields: dict[str, Any]) -> None:
        app = create_app(DEMO, profile="deployed", choices=serving(row, **PLAIN))
        token = app.sandbox.tokens.login_token("root")
        headers = AUTH | {"Content-Type": row.media_type, "token": token}
        in_query = row.method in ("GET", "DELETE")
        client = TestClient(app)
        answer = client.request(
            row.method,
            row.path,
            headers=headers,
            params=fields if in_query else None,
            json=None if in_query else fields,
        )
        assert answer.status_code < 500, (fields, answer.text)
        entry = client.get("/__admin/journal").json()["entries"][-1]
        assert entry["operation"] == operation

    holds()


def test_ids_are_those_of_the_fixture() -> None:
    @given(requests("markRead", DEMO))
    def holds(fields: dict[str, Any]) -> None:
        chats = [chat for app in DEMO.apps.values() for chat in app.chats]
        assert fields["appId"] in DEMO.apps
        assert fields["chatId"] in chats

    holds()


def test_an_unknown_operation_gets_a_hint() -> None:
    with pytest.raises(ValueError, match="did you mean 'delHistory'"):
        requests("delHistori", DEMO)


def test_without_chats_or_datasets_there_is_nothing_to_request() -> None:
    assert pin_requests({}).is_empty
    assert list_requests({}).is_empty


@pytest.mark.ci
def test_a_fixture_with_a_long_folder_shrinks_to_one_entry() -> None:
    def is_long(document: dict[str, Any]) -> bool:
        return load_fixture(document).counts()["collections"] > 30

    found = find(fixtures(), is_long, settings=QUICK)
    assert found["apps"] == [{"id": "app-1", "chats": []}]
    (dataset,) = found["datasets"]
    assert set().union(*dataset["collections"]) == {"name", "repeat"}
    assert load_fixture(found).counts()["collections"] == 31


@pytest.mark.ci
def test_a_fixture_with_a_folder_in_a_folder_shrinks_to_two() -> None:
    def nests(document: dict[str, Any]) -> bool:
        (collections, *_) = load_fixture(document).datasets.values()
        ids = {each.id for each in collections.tree.collections if each.parent_id}
        return any(each.parent_id in ids for each in collections.tree.collections)

    found = find(fixtures(), nests, settings=QUICK)
    assert load_fixture(found).counts()["collections"] == 3


def test_a_list_of_faults_shrinks_to_the_one_that_matters() -> None:
    found = find(
        fault_lists(),
        lambda faults: any(fault["kind"] == "truncate" for fault in faults),
        settings=QUICK,
    )
    assert found == [{"kind": "truncate"}]

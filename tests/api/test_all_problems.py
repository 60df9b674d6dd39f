"""A refused body is told all that is wrong with it, and which field was meant."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import msgspec
import pytest

from mock_server.api.operations.contract import Contract
from mock_server.api.operations.operation import Operation
from mock_server.api.operations.table import OPERATIONS
from mock_server.domain.choices.table import Choices
from mock_server.domain.errors import InvalidField
from mock_server.domain.limits import Published
from tests.conftest import MakeApi
from tests.support import APP, CHAT, DATASET, LIBRARY, Api

KEY = {"Authorization": "Bearer any"}
NAME = "Expected a string of 1 to 256 characters, got nothing"
TOP = "Expected true or false, got nothing - at $.top"
WITHOUT_TOP = "(served with the choice top_missing=ignore)"


def required(operation: Operation) -> list[str]:
    fields = msgspec.structs.fields(operation.contract.fields)
    return [each.encode_name for each in fields if each.required]


def refusal(contract: Contract[Any], body: dict[str, Any], **choices: Any) -> str:
    with pytest.raises(InvalidField) as raised:
        contract.read(json.dumps(body).encode(), Choices(**choices))
    return raised.value.message


def message(response: httpx2.Response) -> str:
    assert response.json()["data"] is None
    said: str = response.json()["message"]
    return said


@pytest.mark.parametrize("form", ["plain", "service"])
def test_a_pin_is_told_each_problem_and_which_field_was_meant(
    make_api: MakeApi, form: str
) -> None:
    api = make_api(LIBRARY, choices={"error_form": form})
    answer = api.pin(chatId=..., chatID=CHAT, top=...)
    assert message(answer) == (
        f'{NAME} - at $.chatId (unknown field "chatID": did you mean "chatId"?); '
        f"{TOP} {WITHOUT_TOP}"
    )


def test_a_list_is_told_each_problem_in_the_order_of_its_fields(api: Api) -> None:
    answer = api.list_v2(offset="x", pageSize=0, datasetId=..., dataset_id=1)
    assert message(answer) == (
        'Expected an integer from 0 to 9007199254740991, got the string "x" - at '
        "$.offset; Expected an integer from 1 to 30, got 0 - at $.pageSize; "
        f'{NAME} - at $.datasetId (unknown field "dataset_id": did you mean '
        '"datasetId"?)'
    )


def test_a_single_problem_reads_as_ever(api: Api) -> None:
    assert message(api.pin(top=...)) == f"{TOP} {WITHOUT_TOP}"
    assert message(api.pin(chatId=...)) == f"{NAME} - at $.chatId"


def test_the_field_that_was_meant_comes_before_the_choice_that_would_serve(
    api: Api,
) -> None:
    assert message(api.pin(top=..., Top=True)) == (
        f'{TOP} (unknown field "Top": did you mean "top"?) {WITHOUT_TOP}'
    )


def test_each_problem_names_its_own_choice(api: Api) -> None:
    parts = message(api.list_v2(offset=..., pageSize="150")).split("; ")
    assert [part.rpartition(" (")[2] for part in parts] == [
        "served with the choice offset_missing=accept)",
        "served with the choice numeric_strings=accept)",
        "served with the choice page_size_over_limit=clamp)",
    ]


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda it: it.name)
def test_every_operation_tells_each_field_that_another_name_stands_for(
    operation: Operation,
) -> None:
    names = required(operation)
    if names:
        body = {name.upper(): "x" for name in names}
        said = refusal(operation.contract, body)
        for name in names:
            hint = f'(unknown field "{name.upper()}": did you mean "{name}"?)'
            assert f"- at $.{name} {hint}" in said


def test_fields_in_a_query_are_told_alike(make_api: MakeApi) -> None:
    api = make_api(LIBRARY, choices={"related_routes": "on"})
    path = f"/api/core/chat/history/delHistory?appID={APP}&ChatId={CHAT}"
    answer = api.client.request("DELETE", path, headers=KEY)
    assert message(answer) == (
        f'{NAME} - at $.appId (unknown field "appID": did you mean "appId"?); '
        f'{NAME} - at $.chatId (unknown field "ChatId": did you mean "chatId"?)'
    )


def test_fields_in_a_form_are_told_alike(make_api: MakeApi) -> None:
    api = make_api(LIBRARY, choices={"related_routes": "on"})
    path = "/api/core/dataset/collection/create/localFile"
    file = {"file": ("a.txt", b"text")}
    data = {"datasetID": DATASET}
    answer = api.client.post(path, headers=KEY, files=file, data=data)
    hint = '(unknown field "datasetID": did you mean "datasetId"?)'
    assert message(answer) == f"{NAME} - at $.datasetId {hint}"


def test_all_mistakes_in_an_array_are_told(make_api: MakeApi) -> None:
    api = make_api(LIBRARY, choices={"related_routes": "on"})
    rows = [{"q": 5}, {"q": "fine"}, {"q": "b", "a": 7}]
    path = "/api/core/dataset/data/pushData"
    body = {"collectionId": "c", "data": rows}
    said = message(api.send("POST", path, body))
    assert [part.rpartition(" - at ")[2] for part in said.split("; ")] == [
        "$.data[0].q",
        "$.data[2].a",
    ]


def test_a_field_that_is_refused_as_unknown_says_what_was_meant() -> None:
    body = {"offset": 0, "datasetId": DATASET, "pagesize": 3}
    contract = OPERATIONS["listV2"].contract
    assert refusal(contract, body, unknown_fields="reject").endswith(
        'got the field "pagesize" - at $.pagesize (did you mean "pageSize"?) '
        "(served with the choice unknown_fields=ignore)"
    )


def test_a_field_that_is_ignored_says_in_the_journal_what_was_meant(api: Api) -> None:
    assert api.list_v2(pagesize=3).status_code == 200
    (violation,) = api.admin("GET", "/journal").json()["entries"][-1]["violations"]
    assert violation["effect"] == "ignored"
    assert violation["message"].endswith('(did you mean "pageSize"?)')


def test_the_journal_says_what_the_answer_says(api: Api) -> None:
    said = message(api.pin(chatId=..., chatID=CHAT, top=...))
    entry = api.admin("GET", "/journal").json()["entries"][-1]
    told = [it["message"] for it in entry["violations"] if it["effect"] == "refused"]
    assert "; ".join(told) == said


@pytest.mark.ci
def test_the_problems_of_a_message_have_a_bound_in_number_and_length() -> None:
    contract = OPERATIONS["listV2"].contract
    many = {f"unknown{number}": 1 for number in range(Published.json_values)}
    said = refusal(contract, many, unknown_fields="reject")
    assert said.count("- at $") == Published.told_problems
    assert said.endswith("; and more")
    long = {"x" * 100_000 + str(number): 1 for number in range(8)}
    assert (
        len(refusal(contract, long, unknown_fields="reject"))
        < Published.told_chars + 20
    )


def test_a_field_of_another_meaning_is_not_offered(api: Api) -> None:
    assert message(api.pin(top=..., title="x")) == f"{TOP} {WITHOUT_TOP}"
    assert message(api.list_v2(offset=..., pageNum=1)).count("unknown field") == 0

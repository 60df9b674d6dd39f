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
from tests.domain.ready import ready
from tests.support import DATASET, LIBRARY

KEY = {"Authorization": "Bearer any"}
NAME = "Expected a string of 1 to 256 characters, got nothing"


def required(operation: Operation) -> list[str]:
    fields = msgspec.structs.fields(operation.contract.fields)
    return [each.encode_name for each in fields if each.required]


def refusal(contract: Contract[Any], body: dict[str, Any], **choices: Any) -> str:
    with pytest.raises(InvalidField) as raised:
        ready(lambda: contract.read(json.dumps(body).encode(), Choices(**choices)))
    return raised.value.message


def message(response: httpx2.Response) -> str:
    assert response.json()["data"] is None
    said: str = response.json()["message"]
    return said


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


def test_fields_in_a_form_are_told_alike(make_api: MakeApi) -> None:
    api = make_api(LIBRARY, choices={"related_routes": "on"})
    path = "/api/core/dataset/collection/create/localFile"
    file = {"file": ("a.txt", b"text")}
    data = {"datasetID": DATASET}
    answer = api.client.post(path, headers=KEY, files=file, data=data)
    hint = '(unknown field "datasetID": did you mean "datasetId"?)'
    long = NAME.replace("1 to 256", "up to 1024")
    assert message(answer) == f"{long} - at $.datasetId {hint}"


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

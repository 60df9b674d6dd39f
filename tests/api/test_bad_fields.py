"""Every field of both operations, missing or wrong: 400, a clear message, no effect."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.bad_requests import BAD_LISTS, BAD_PINS, hint
from tests.support import DATASET, LIST, Api


def check(api: Api, operation: str, field: str, value: Any, expected: str) -> None:
    before = api.state()
    response = getattr(api, operation)(**{field: value})
    assert response.status_code == 400
    assert response.json() == {
        "code": 400,
        "statusText": "invalidField",
        "message": f"Expected {expected} - at $.{field}{hint(field, value)}",
        "data": None,
    }
    assert api.state() == before


@pytest.mark.sampled
@pytest.mark.parametrize(("field", "value", "expected", "got"), BAD_PINS)
def test_a_bad_pin_field_is_400(
    api: Api, field: str, value: Any, expected: str, got: str
) -> None:
    check(api, "pin", field, value, f"{expected}, got {got}")


@pytest.mark.sampled
@pytest.mark.parametrize(("field", "value", "expected", "got"), BAD_LISTS)
def test_a_bad_list_field_is_400(
    api: Api, field: str, value: Any, expected: str, got: str
) -> None:
    check(api, "list_v2", field, value, f"{expected}, got {got}")


@pytest.mark.parametrize("value", [2**53, -(2**53), 10**30])
@pytest.mark.parametrize("operation", ["pin", "list_v2"])
def test_an_integer_that_not_all_readers_keep_is_400(
    api: Api, operation: str, value: int
) -> None:
    before = api.state()
    response = getattr(api, operation)(x=[{"y": value}])
    assert response.status_code == 400
    assert response.json()["message"] == (
        f"Expected integers of at most 9007199254740991, got {value} - at $.x[0].y"
    )
    assert api.state() == before


def test_of_long_integers_the_first_over_the_limit_is_told(api: Api) -> None:
    told = api.list_v2(x=[2**53 - 1, -(2**53 - 1), {"y": 2**53}]).json()["message"]
    assert told.endswith("- at $.x[2].y")


def test_long_numbers_that_are_exact_are_served(api: Api) -> None:
    assert api.list_v2(x=2**53 - 1, y="9" * 30, z=1e30).status_code == 200
    assert api.list_v2(offset=2**53).status_code == 400


@pytest.mark.parametrize("end", ["e-40000", "E-40010", ".5e-40000"])
def test_a_fraction_of_however_many_digits_is_served(api: Api, end: str) -> None:
    digits = "7" * 40_000 + end
    body = f'{{"offset":0,"datasetId":"{DATASET}","x":[{digits},1e-{2**53}]}}'
    headers = {"Authorization": "Bearer any-key", "Content-Type": "application/json"}
    assert api.client.post(LIST, content=body, headers=headers).status_code == 200


def test_a_search_text_of_1025_characters_is_400(api: Api) -> None:
    assert api.list_v2(searchText="x" * 1024).status_code == 200
    response = api.list_v2(searchText="x" * 1025)
    assert response.status_code == 400
    assert "of 1025 characters - at $.searchText" in response.json()["message"]


def test_unknown_parent_is_404(api: Api) -> None:
    response = api.list_v2(parentId="else")
    assert response.status_code == 404
    assert response.json()["message"] == (
        'Expected null or the _id of a collection of dataset "dataset-1", '
        'got the string "else" - at $.parentId '
        "(served with the choice parent_unknown=empty)"
    )

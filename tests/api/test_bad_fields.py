"""Every field of both operations, missing or wrong: 400, a clear message, no effect."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import Api

LONG = "x" * 257
ID = "a string of 1 to 256 characters"
INTEGER = "an integer from 0 to 9007199254740991"
SIZE = "an integer from 1 to 30"

NOT_IDS: list[tuple[Any, str]] = [
    (..., "nothing"),
    (None, "null"),
    (5, "5"),
    (True, "true"),
    ([], "an array"),
    ({}, "an object"),
    ("", 'the string ""'),
    (LONG, f'the string "{"x" * 60}…" of 257 characters'),
]
NOT_BOOLEANS: list[tuple[Any, str]] = [
    (..., "nothing"),
    (None, "null"),
    (1, "1"),
    (0, "0"),
    (1.0, "1.0"),
    ("true", 'the string "true"'),
    ("", 'the string ""'),
    ([], "an array"),
    ({}, "an object"),
]
NOT_NUMBERS: list[tuple[Any, str]] = [
    (None, "null"),
    (True, "true"),
    (-1, "-1"),
    (0.5, "0.5"),
    (1e300, "1e+300"),
    ("10", 'the string "10"'),
    ("", 'the string ""'),
    ([], "an array"),
    ({}, "an object"),
]
BAD_PINS = [
    *(("appId", value, ID, got) for value, got in NOT_IDS),
    *(("chatId", value, ID, got) for value, got in NOT_IDS),
    *(("top", value, "true or false", got) for value, got in NOT_BOOLEANS),
]
BAD_LISTS = [
    *(("datasetId", value, ID, got) for value, got in NOT_IDS),
    ("offset", ..., INTEGER, "nothing"),
    *(("offset", value, INTEGER, got) for value, got in NOT_NUMBERS),
    *(("pageSize", value, SIZE, got) for value, got in NOT_NUMBERS),
    ("pageSize", 0, SIZE, "0"),
    ("pageSize", 31, SIZE, "31"),
    ("pageSize", 1.5, SIZE, "1.5"),
    *(
        ("parentId", value, "a string of up to 256 characters or null", got)
        for value, got in [(5, "5"), (False, "false"), ([], "an array")]
    ),
    ("parentId", LONG, "a string of up to 256 characters or null", NOT_IDS[-1][1]),
    *(
        ("searchText", value, "a string of up to 1024 characters", got)
        for value, got in [(None, "null"), (5, "5"), (["a"], "an array")]
    ),
]


def check(api: Api, operation: str, field: str, value: Any, expected: str) -> None:
    before = api.state()
    response = getattr(api, operation)(**{field: value})
    assert response.status_code == 400
    assert response.json() == {
        "code": 400,
        "statusText": "invalidField",
        "message": f"Expected {expected} - at $.{field}",
        "data": None,
    }
    assert api.state() == before


@pytest.mark.parametrize(("field", "value", "expected", "got"), BAD_PINS)
def test_a_bad_pin_field_is_400(
    api: Api, field: str, value: Any, expected: str, got: str
) -> None:
    check(api, "pin", field, value, f"{expected}, got {got}")


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


def test_long_numbers_that_are_exact_are_served(api: Api) -> None:
    assert api.list_v2(x=2**53 - 1, y="9" * 30, z=1e30).status_code == 200
    assert api.list_v2(offset=2**53).status_code == 400


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
        'got the string "else" - at $.parentId'
    )

"""What is said to the sender of a field that is ignored, though it is likely meant."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support import LIST, Api

HISTORIES = "/api/core/chat/history/getHistories"
HINT = "x-mock-hint"


def hints(api: Api, path: str, body: dict[str, Any]) -> list[str]:
    answer = api.send("POST", path, body)
    assert answer.status_code == 200
    return [answer.headers[HINT]] if HINT in answer.headers else []


@pytest.mark.parametrize(
    ("name", "meant"),
    [("current", "pageNum"), ("page", "pageNum"), ("limit", "pageSize")],
)
def test_an_ignored_field_of_another_name_is_hinted_at(
    api: Api, name: str, meant: str
) -> None:
    said = hints(api, HISTORIES, {"appId": "app-1", name: 1})
    assert said == [f'unknown field "{name}" is ignored (did you mean "{meant}"?)']


def test_what_is_like_no_field_or_stands_beside_the_right_one_is_not(api: Api) -> None:
    body = {"appId": "app-1", "strange": 1, "pageSize": 5, "page_size": 5}
    assert hints(api, HISTORIES, body) == []


def test_the_documented_list_hints_too_and_only_once(api: Api) -> None:
    body = {"offset": 0, "datasetId": "dataset-1"}
    said = 'unknown field "parentID" is ignored (did you mean "parentId"?)'
    assert hints(api, LIST, body | {"parentID": None}) == [said]
    assert hints(api, LIST, body) == []


def test_a_refusal_for_want_of_a_field_names_the_others_that_are_meant(
    api: Api,
) -> None:
    body = {"offset": 0, "dataset_id": "dataset-1", "page_size": 5, "odd": 1}
    said = api.send("POST", LIST, body).json()["message"]
    missing = '(unknown field "dataset_id": did you mean "datasetId"?)'
    other = 'unknown field "page_size" is ignored (did you mean "pageSize"?)'
    assert said.endswith(f"- at $.datasetId {missing}; {other}")


def test_a_hint_of_any_name_is_visible_ascii(api: Api) -> None:
    body = {"offset": 0, "datasetId": "dataset-1", "parent\x7f\nÎd": None}
    (said,) = hints(api, LIST, body)
    assert said.isascii()
    assert said.isprintable()


def test_a_refused_request_leaves_no_hint_to_the_next(api: Api) -> None:
    unknown = {"offset": 0, "datasetId": "none", "parentID": None}
    assert api.send("POST", LIST, unknown).status_code == 404
    assert hints(api, LIST, {"offset": 0, "datasetId": "dataset-1"}) == []


def test_a_word_of_other_interfaces_is_named_for_a_missing_field(api: Api) -> None:
    body = {"datasetId": "dataset-1", "name": "Note", "content": "Closed."}
    answer = api.send("POST", "/api/core/dataset/collection/create/text", body)
    said = '(unknown field "content": did you mean "text"?)'
    assert answer.json()["message"].endswith(said)
    answer = api.send("POST", "/api/core/dataset/create", {"title": "Notes"})
    said = '- at $.name (unknown field "title": did you mean "name"?)'
    assert said in answer.json()["message"]

"""A name that nothing has: the refusal says what there is, but never to clients."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import Published
from mock_server.domain.messages import known_names_hint
from tests.conftest import MakeApi
from tests.support import LIBRARY, Api


def message(api: Api, method: str, path: str) -> str:
    answer = api.admin(method, path)
    assert answer.status_code == 404
    said: str = answer.json()["message"]
    return said


def test_of_many_the_first_are_listed_and_counted(make_api: MakeApi) -> None:
    folders = [{"_id": f"id-{number}", "name": "x"} for number in range(6_000)]
    api = make_api({"datasets": [{"id": "d", "collections": folders}]})
    said = message(api, "GET", "/datasets/d/collections/id-5999x")
    assert said.count('"id-') == 1 + Published.listed_names
    assert said.endswith('"id-9" and 5990 more)')


def test_names_of_any_length_are_shown_with_an_end() -> None:
    names = [f"{'n' * 256}{number}" for number in range(100)]
    assert len(known_names_hint("n" * 200, names, 100)) < 1_000


def test_a_key_in_the_place_of_a_name_tells_whose_it_is(make_api: MakeApi) -> None:
    api = make_api({})
    key = api.admin("POST", "/sandboxes", {"name": "team-a"}).json()["key"]
    said = message(api, "GET", f"/sandboxes/{key}/journal")
    assert said.endswith('- at path (that is a key of "team-a")')
    api.admin("DELETE", "/sandboxes/team-a")
    said = message(api, "GET", f"/sandboxes/{key}/journal")
    assert said.endswith('- at path (there is "default")')


@pytest.mark.parametrize("error_form", ["plain", "service"])
def test_clients_are_not_told_what_they_may_not_read(
    make_api: MakeApi, error_form: str
) -> None:
    keys = [{"key": "nobody-at-all", "permission": "none"}]
    api = make_api(LIBRARY | {"keys": keys}, choices={"error_form": error_form})
    api.admin("POST", "/sandboxes", {"name": "team-a"})
    answers: list[Any] = [
        api.pin("nobody-at-all", appId="app1"),
        api.pin("nobody-at-all", chatId="chat1"),
        api.list_v2("nobody-at-all", datasetId="dataset1"),
        api.list_v2("fastgpt-sbx-000000000000"),
    ]
    for answer in answers:
        said = answer.json()["message"]
        assert "there " not in said.lower()
        assert "did you mean" not in said

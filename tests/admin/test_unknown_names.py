"""A name that nothing has: the refusal says what there is, but never to clients."""

from __future__ import annotations

from mock_server.domain.limits import Published
from mock_server.domain.messages import known_names_hint
from tests.conftest import MakeApi
from tests.support import Api


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

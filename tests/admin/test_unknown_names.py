"""A name that nothing has: the refusal says what there is, but never to clients."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.limits import Published
from mock_server.domain.messages import which_there_are
from tests.conftest import MakeApi
from tests.support import LIBRARY, Api


def message(api: Api, method: str, path: str) -> str:
    answer = api.admin(method, path)
    assert answer.status_code == 404
    said: str = answer.json()["message"]
    return said


@pytest.fixture
def filled(api: Api) -> Api:
    for name in ("before-demo", "after"):
        api.admin("PUT", f"/snapshots/{name}")
    api.admin("POST", "/sandboxes", {"name": "team-a"})
    api.admin("POST", "/faults", {"kind": "hang"})
    return api


@pytest.mark.parametrize(
    ("method", "path", "hint"),
    [
        (
            "POST",
            "/snapshots/before/restore",
            'did you mean "before-demo"? There are "before-demo", "after"',
        ),
        ("GET", "/snapshots/zzz", 'there are "before-demo", "after"'),
        ("DELETE", "/snapshots/zzz", 'there are "before-demo", "after"'),
        (
            "GET",
            "/sandboxes/teem-a",
            'did you mean "team-a"? There are "default", "team-a"',
        ),
        ("POST", "/sandboxes/x/reset", 'there are "default", "team-a"'),
        ("DELETE", "/sandboxes/x", 'there are "default", "team-a"'),
        ("GET", "/faults/zz", 'there is "f1"'),
        ("DELETE", "/faults/f9", 'there is "f1"'),
        (
            "GET",
            "/apps/app1/chats",
            'did you mean "app-1"? There are "app-1", "app-2"',
        ),
        ("GET", "/apps/zz", 'there are "app-1", "app-2"'),
        ("DELETE", "/datasets/zz", 'there are "dataset-1", "dataset-2"'),
        ("PUT", "/apps/zz/chats/x", 'there are "app-1", "app-2"'),
        (
            "GET",
            "/apps/app-1/chats/chat1",
            'did you mean "chat-1"? There are "chat-1", "chat-2"',
        ),
        (
            "GET",
            "/datasets/dataset1/collections",
            'did you mean "dataset-1"? There are "dataset-1", "dataset-2"',
        ),
        ("DELETE", "/datasets/dataset-2/collections/zz", 'there is "else"'),
    ],
)
def test_an_unknown_name_is_told_what_there_is(
    filled: Api, method: str, path: str, hint: str
) -> None:
    assert message(filled, method, path).endswith(f" - at path ({hint})")


@pytest.mark.parametrize(
    ("path", "how"),
    [
        ("/snapshots/x", ": `mock-server snapshot take NAME` takes one"),
        ("/faults/f1", ""),
    ],
)
def test_where_there_are_none_that_is_said(api: Api, path: str, how: str) -> None:
    assert message(api, "GET", path).endswith(f"(there are none{how})")


def test_of_many_the_first_are_listed_and_counted(make_api: MakeApi) -> None:
    folders = [{"_id": f"id-{number}", "name": "x"} for number in range(6_000)]
    api = make_api({"datasets": [{"id": "d", "collections": folders}]})
    said = message(api, "GET", "/datasets/d/collections/id-5999x")
    assert said.count('"id-') == 1 + Published.listed_names
    assert said.endswith('"id-9" and 5990 more)')


def test_names_of_any_length_are_shown_with_an_end() -> None:
    names = [f"{'n' * 256}{number}" for number in range(100)]
    assert len(which_there_are("n" * 200, names, 100)) < 1_000


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


@pytest.mark.parametrize(
    ("method", "path", "body", "at"),
    [
        ("PUT", "/snapshots/a%20b", None, "path"),
        ("POST", "/sandboxes", {"name": "a b"}, "$.name"),
    ],
)
def test_a_name_that_cannot_be_is_told_what_it_may_hold(
    api: Api, method: str, path: str, body: Any, at: str
) -> None:
    answer = api.admin(method, path, body)
    assert answer.status_code == 400
    assert answer.json()["message"] == (
        "Expected a name of 1 to 64 letters, digits, '.', '_' or '-', "
        f'got the string "a b" - at {at}'
    )

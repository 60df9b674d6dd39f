"""Every value of every choice, and what it changes. One test each, named after it."""

from __future__ import annotations

from typing import Any

import pytest

from mock_server.domain.choices.table import table
from tests.conftest import MakeApi
from tests.stories.telling import stories
from tests.support import DATASET, LIBRARY, LIST, PIN, Api

DEL_HISTORY = "/api/core/chat/history/delHistory"


@pytest.mark.parametrize("name", table())
def test_every_value_has_a_test(name: str) -> None:
    values = table()[name].values if name != "page_size_default" else ()
    told = {str(each).split(": ")[1].split(" (")[0] for each in stories()}
    for value in values:
        assert f"test_{name}_{value}" in globals() or f"{name}={value}" in told


def sized(make_api: MakeApi, **choices: Any) -> Api:
    """An API over 120 collections."""
    collections = [{"name": "x", "repeat": 120}]
    document = {"datasets": [{"id": DATASET, "collections": collections}]}
    return make_api(document, choices=choices)


@pytest.mark.sampled
@pytest.mark.parametrize("size", range(1, 31))
def test_page_size_default(make_api: MakeApi, size: int) -> None:
    assert len(sized(make_api, page_size_default=size).ids()) == size


def test_page_size_over_limit_clamp(make_api: MakeApi) -> None:
    api = sized(make_api, page_size_over_limit="clamp")
    assert len(api.ids(pageSize=31)) == len(api.ids(pageSize=2**53 - 1)) == 30
    assert len(api.ids(pageSize=1e16)) == 30
    api = sized(make_api, page_size_over_limit="clamp", page_size_max=100)
    assert len(api.ids(pageSize=101)) == len(api.ids(pageSize=2**53 - 1)) == 100
    assert api.ids(offset=100, pageSize=100) == api.ids(offset=100, pageSize=20)


def test_page_size_max_30(make_api: MakeApi) -> None:
    refused = sized(make_api, page_size_max=30).list_v2(pageSize=31)
    assert refused.status_code == 400
    assert "from 1 to 30" in refused.json()["message"]


def test_page_size_max_100(make_api: MakeApi) -> None:
    api = sized(make_api, page_size_max=100)
    assert [len(api.ids(pageSize=size)) for size in (30, 31, 100)] == [30, 31, 100]
    assert api.list_v2(pageSize=101).json()["statusText"] == "invalidField"
    assert [each["name"] for each in api.journal()[1]["violations"]] == [
        "page_size_over_limit"
    ]


def without_a_type(make_api: MakeApi, choice: str, **headers: str) -> int:
    """The status of a list whose only headers are a key and these."""
    api = make_api(choices={"content_type_missing": choice})
    body = b'{"offset": 0, "datasetId": "dataset-1"}'
    given = {"Authorization": "Bearer k"} | headers
    return int(api.client.post(LIST, content=body, headers=given).status_code)


def test_content_type_missing_reject(make_api: MakeApi) -> None:
    assert without_a_type(make_api, "reject") == 415


def test_content_type_missing_accept(make_api: MakeApi) -> None:
    assert without_a_type(make_api, "accept") == 200
    typed = {"Content-Type": "text/plain"}
    assert without_a_type(make_api, "accept", **typed) == 415


USERS = LIBRARY | {"users": [{"username": "root", "password": "1234"}]}


@pytest.mark.parametrize("path", [PIN, DEL_HISTORY])
@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_no_login_that_counts_is_a_violation_of_what_is_refused_for_more(
    make_api: MakeApi, path: str, method: str
) -> None:
    api = make_api(USERS, profile="deployed")
    cookie = f"fastgpt_token={api.sandbox.tokens.login_token('root')}"
    for token, is_told in (cookie, False), ("fastgpt_token=none", True):
        headers = {"Cookie": token}
        api.client.request(method, path, json={"appId": 5}, headers=headers)
        entry = api.journal()[-1]
        assert entry["answer"]["body"]["code"] != 200
        names = [each["name"] for each in entry["violations"]]
        assert ("missing_authorization" in names) == is_told

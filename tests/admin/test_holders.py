"""Applications and datasets, read, put and removed as wholes."""

from __future__ import annotations

import gc
from typing import Any
from weakref import ref

import pytest

from mock_server.domain.limits import DEFAULT_LIMITS
from tests.conftest import MakeApi
from tests.support import APP, DATASET, LIST, Api

APP_PATH, DATASET_PATH = f"/apps/{APP}", f"/datasets/{DATASET}"


def test_an_app_and_a_dataset_are_shown_as_the_state_shows_them(api: Api) -> None:
    state = api.admin("GET", "/state").json()
    assert api.admin("GET", APP_PATH).json() in state["apps"]
    assert api.admin("GET", DATASET_PATH).json() in state["datasets"]


@pytest.mark.ci
def test_what_was_read_can_be_put_back_and_changes_nothing(make_api: MakeApi) -> None:
    api = make_api(None)
    before = api.admin("GET", "/state").json()
    for kind in ("apps", "datasets"):
        for each in before[kind]:
            put = api.admin("PUT", f"/{kind}/{each['id']}", each)
            assert (put.status_code, put.json()) == (200, each)
    assert api.admin("GET", "/state").json() == before
    assert api.admin("PUT", "/state", before).status_code == 200
    assert api.admin("GET", "/state").json() == before


@pytest.mark.parametrize(
    ("kind", "holder", "content"),
    [("apps", APP, "chats"), ("datasets", DATASET, "collections")],
)
def test_fields_are_read_and_put_without_what_is_in_it(
    api: Api, kind: str, holder: str, content: str
) -> None:
    api.pin(top=True)
    api.admin("PUT", f"/datasets/{DATASET}/collections/new", {"name": "New"})
    before = api.admin("GET", "/state").json()
    whole = api.admin("GET", f"/{kind}/{holder}").json()
    path = f"/{kind}/{holder}?content=false"
    fields = api.admin("GET", path).json()
    assert fields | {content: whole[content]} == whole
    changed = fields | {"name": "Other", "intro": "About"}
    assert api.admin("PUT", path, changed).json() == changed
    assert api.admin("GET", f"/{kind}/{holder}").json() == whole | changed
    assert api.admin("PUT", f"{path}&counts=true", fields).json()[content] > 1
    assert api.admin("GET", "/state").json() == before
    assert api.admin("PUT", f"/{kind}/new?content=false", {}).status_code == 201
    assert api.admin("GET", f"/{kind}/new").json()[content] == []


@pytest.mark.parametrize(
    ("replies", "said"), [([{"text": "a", "times": 1}, "b"], "b"), (["c", "d"], "c")]
)
def test_only_other_replies_begin_their_turns_anew(
    make_api: MakeApi, replies: list[Any], said: str
) -> None:
    api = make_api({"apps": [{"id": "a", "replies": [{"text": "a", "times": 1}, "b"]}]})
    messages = [{"role": "user", "content": "x"}]
    body = {"appId": "a", "messages": messages}
    assert '"a"' in api.send("POST", "/api/v1/chat/completions", body).text
    assert api.admin("PUT", "/apps/a?content=false", {"replies": replies}).is_success
    assert f'"{said}"' in api.send("POST", "/api/v1/chat/completions", body).text


def test_a_dataset_is_renamed_however_much_is_in_it(make_api: MakeApi) -> None:
    many = {"collections": [{"repeat": 10_000, "name": "Item {n}"}]}
    api = make_api({"datasets": [{"id": "d", **many}]})
    path = "/datasets/d?content=false"
    assert api.admin("PUT", path, {"name": "Other"}).json()["name"] == "Other"
    listed = api.send("POST", LIST, {"datasetId": "d", "offset": 0})
    assert listed.json()["data"]["total"] == 10_000


@pytest.mark.parametrize("face", ["asgi"])
def test_fields_that_are_put_alone_are_charged(make_api: MakeApi) -> None:
    api = make_api(memory=4 * 1024 * 1024)
    fields = {"replies": ["x" * 10_000], "type": "x" * 5_000}
    paths = (f"/apps/{number}?content=false" for number in range(150))
    first, *others = (api.admin("PUT", path, fields).status_code for path in paths)
    assert (first, 409 in others) == (201, True)


@pytest.mark.parametrize("face", ["asgi"])
def test_a_removed_dataset_is_freed_though_it_was_listed(api: Api) -> None:
    api.admin("PUT", "/datasets/new", {"collections": [{"name": "a"}]})
    dataset = api.sandbox.store.dataset("new")
    assert dataset is not None
    tree = ref(dataset.tree)
    del dataset
    for _ in range(2):
        listed = api.send("POST", LIST, {"datasetId": "new", "offset": 0})
        assert listed.json()["data"]["total"] == 1
    assert api.admin("DELETE", "/datasets/new").is_success
    gc.collect()
    assert tree() is None


@pytest.mark.ci
@pytest.mark.sampled
def test_what_is_put_is_charged_and_given_back(make_api: MakeApi) -> None:
    api = make_api(memory=4 * 1024 * 1024)
    used = api.admin("GET", "/health").json()["memory"]["states"]
    for _ in range(10):
        many = {"collections": [{"repeat": 1_500, "name": "Item {n}"}]}
        assert api.admin("PUT", "/datasets/many", many).is_success
    assert api.admin("GET", "/health").json()["memory"]["states"] > used + 500_000
    too_many = {"collections": [{"repeat": 100_000, "name": "Item {n}"}]}
    answer = api.admin("PUT", "/datasets/many", too_many)
    assert (answer.status_code, answer.json()["statusText"]) == (409, "limitReached")
    assert len(api.admin("GET", "/datasets/many").json()["collections"]) == 1_500
    api.admin("DELETE", "/datasets/many")
    assert api.admin("GET", "/health").json()["memory"]["states"] == used


@pytest.mark.ci
@pytest.mark.sampled
def test_a_large_one_is_loaded_by_a_process_and_sent_in_pieces(
    make_api: MakeApi,
) -> None:
    number = DEFAULT_LIMITS.inline_load_collections + 1
    api = make_api()
    many = {"collections": [{"repeat": number, "name": "Item {n:05}"}]}
    made = api.admin("PUT", "/datasets/many", many)
    assert (made.status_code, len(made.json()["collections"])) == (201, number)
    assert "content-length" not in made.headers
    assert api.list_v2(datasetId="many").json()["data"]["total"] == number
    bad = {"collections": [{"repeat": number, "name": "Item {n:05}"}, {"name": 5}]}
    told = api.admin("PUT", "/datasets/many", bad).json()["message"]
    assert "$.collections[1].name: " in told
    gone = api.admin("DELETE", "/datasets/many")
    assert len(gone.json()["collections"]) == number

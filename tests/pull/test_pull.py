"""What is pulled serves what was there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields

from mock_server.api.fixture_loading import load_fixture
from mock_server.service.pull.fixture import anonymous
from mock_server.service.pull.lists import ListedChat, ListedCollection, ListedRow
from mock_server.service.pull.walk import Selection
from tests.pull.walks import (
    APP,
    COLLECTIONS,
    DATASET,
    KEY,
    SMALL,
    items_of,
    mostly_full,
    pull_of,
    served,
    tree_of,
)

PROFILES = pytest.mark.parametrize("profile", ["documented", "deployed"])


@PROFILES
@pytest.mark.parametrize("suffix", mostly_full(".json", ".yaml"))
def test_pulled_and_served_it_is_pulled_the_same(
    tmp_path: Path, profile: str, suffix: str
) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix}"
    with served(SMALL, profile) as server:
        made = pull_of(server.url, first)
    with served(str(first), profile) as server:
        assert pull_of(server.url, second) == made
    counts = load_fixture(first).counts()
    assert counts == load_fixture(SMALL).counts()


@PROFILES
@pytest.mark.parametrize("order", mostly_full("fixture", "name"))
def test_the_order_of_the_service_is_kept(
    tmp_path: Path, profile: str, order: str
) -> None:
    with served(SMALL, profile) as server:
        server.control.choices["list_order"] = order
        made = pull_of(server.url, tmp_path / "a.json", COLLECTIONS)
    shown = [each["name"] for each in SMALL["datasets"][0]["collections"]]
    kept = [each["name"] for each in items_of(made) if each["parentId"] is None]
    assert kept == (sorted(shown) if order == "name" else shown)


def test_no_page_is_larger_than_documented(tmp_path: Path) -> None:
    with served(SMALL, "deployed") as server:
        pull_of(server.url, tmp_path / "a.yaml")
        server.control.assert_no_violations()


def test_what_is_below_others_than_folders_is_found(tmp_path: Path) -> None:
    items = [
        {"_id": "book", "name": "Book", "type": "virtual"},
        {"_id": "page", "name": "Page", "parentId": "book"},
        {"_id": "line", "name": "Line", "parentId": "page"},
    ]
    fixture = {"datasets": [{"id": DATASET, "collections": items}]}
    with served(fixture) as server:
        made = pull_of(server.url, tmp_path / "a.json", COLLECTIONS)
    assert len(items_of(made)) == 3


def test_related_routes_that_are_not_there_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(SMALL) as server:
        server.control.choices["related_routes"] = "off"
        made = pull_of(server.url, tmp_path / "a.json")
    document = json.loads(made)
    assert document["apps"][0]["chats"] == []
    assert not any("data" in each for each in items_of(made))
    assert capsys.readouterr().err.count("they are left out") == 2


def test_chats_alone_can_be_pulled(tmp_path: Path) -> None:
    with served(SMALL) as server:
        made = pull_of(server.url, tmp_path / "a.json", Selection(apps=(APP, APP)))
    apps = json.loads(made)["apps"]
    assert [(each["id"], len(each["chats"])) for each in apps] == [(APP, 35)]


def texts_of(value: Any) -> set[str]:
    """All names, tags, texts and ids of a document."""
    if isinstance(value, Mapping):
        kept = ("type", "trainingType", "updateTime", "createTime")
        found = (texts_of(each) for name, each in value.items() if name not in kept)
        return set().union(*found)
    if isinstance(value, list):
        return set().union(*(texts_of(each) for each in value))
    return {value} if isinstance(value, str) and value else set()


def shape_of(items: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What must stay: who is in whom, equal tags, times, counts."""
    places = {each["_id"]: n for n, each in enumerate(items)}
    tags: dict[str, int] = {}
    return [
        (
            places.get(each["parentId"]),
            [tags.setdefault(tag, len(tags)) for tag in each["tags"]],
            each["updateTime"],
            each["dataAmount"],
            len(each.get("data", [])),
        )
        for each in items
    ]


@pytest.mark.ci
@PROFILES
def test_an_anonymous_file_has_none_of_the_texts(tmp_path: Path, profile: str) -> None:
    with served(SMALL, profile) as server:
        plain = pull_of(server.url, tmp_path / "plain.json")
        made = pull_of(server.url, tmp_path / "anonymous.json", secret=KEY)
        again = pull_of(server.url, tmp_path / "again.json", secret=KEY)
        other = pull_of(server.url, tmp_path / "other.json", secret="other")
    secrets = texts_of(json.loads(plain))
    assert len(secrets) > 150
    assert {text for text in secrets if text in made.decode()} == set()
    assert shape_of(items_of(made)) == shape_of(items_of(plain))
    assert made == again
    assert texts_of(json.loads(made)) & texts_of(json.loads(other)) == set()


@pytest.mark.parametrize("item", [ListedChat, ListedCollection, ListedRow])
def test_all_that_may_name_somebody_is_replaced(item: type) -> None:
    shown = {each.encode_name: "plain" for each in fields(item)}
    kept = {name for name, each in anonymous(shown, KEY).items() if each == "plain"}
    times_and_types = {"updateTime", "createTime", "type", "trainingType"}
    numbers = {"chunkIndex", "dataAmount", "trainingAmount", "fileSize"}
    assert kept <= times_and_types | numbers | {"top", "forbid", "hasError"}


def test_an_anonymous_file_serves(tmp_path: Path) -> None:
    with served(SMALL) as server:
        made = pull_of(server.url, tmp_path / "first.json", secret=KEY)
    document = json.loads(made)
    dataset, app = document["datasets"][0]["id"], document["apps"][0]["id"]
    wanted = Selection((dataset,), (app,), rows=True)
    with served(document) as server:
        again = pull_of(server.url, tmp_path / "second.json", wanted)
    # Of one time, those with other ids stand in another order.
    names = {each["name"] for each in items_of(made)}
    assert {each["name"] for each in items_of(again)} == names
    assert len(items_of(again)) == len(tree_of(SMALL))

"""What made-up fixtures hold, and that they never change by themselves."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from mock_server.fixture.dump import written
from mock_server.fixture.load import load_fixture
from mock_server.generating.document import document
from mock_server.generating.plan import LOCALES, Plan

SMALL = Plan(seed=7, datasets=2, collections=60, depth=3, chats=12, rows=2)
PINNED = {
    "en": "d2f27e3bcbfca288019643c2ccf90fdc5d649cb27a15df8cabf7acebdef4c6ed",
    "zh": "9ae5b2777c312dbe8ce52fc82f102cd4346fadac53c52eafbf60c8087adf1b46",
}
"""SHA-256 of SMALL as JSON, with the words of FAKER. Another one is a change that users
see: say so in the changelog."""
FAKER = "40.54.0"
PLANS = [
    Plan(),
    SMALL,
    replace(SMALL, locale="zh"),
    Plan(datasets=0),
    Plan(datasets=3, collections=0, chats=0),
    Plan(collections=1, depth=9, rows=3),
    Plan(collections=200, depth=100, locale="zh"),
    Plan(seed=2**53 - 1, collections=400, depth=1, chats=40),
]


@cache
def made(plan: Plan, *, as_json: bool = True) -> bytes:
    return b"".join(written(document(plan), as_json=as_json))


def collections(plan: Plan) -> list[dict[str, Any]]:
    datasets = json.loads(made(plan))["datasets"]
    return [each for dataset in datasets for each in dataset["collections"]]


@pytest.mark.ci
@pytest.mark.parametrize("suffix", ["json", "yaml"])
@pytest.mark.parametrize("plan", PLANS)
def test_every_fixture_loads_with_exact_counts(
    plan: Plan, suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"made.{suffix}"
    path.write_bytes(made(plan, as_json=suffix == "json"))
    assert load_fixture(path).counts() == {
        "datasets": plan.datasets,
        "collections": plan.all_collections,
        "chats": plan.chats,
    }


@pytest.mark.ci
@pytest.mark.skipif(version("faker") != FAKER, reason=f"words are not of Faker {FAKER}")
@pytest.mark.parametrize("locale", LOCALES)
def test_a_seed_makes_these_bytes(locale: str) -> None:
    found = made(replace(SMALL, locale=locale))
    assert hashlib.sha256(found).hexdigest() == PINNED[locale]


@pytest.mark.ci
def test_another_process_makes_the_same_bytes() -> None:
    command = [sys.executable, "-m", "mock_server", "generate", "--seed", "7"]
    # This one has another hash seed, or one that is drawn.
    env = os.environ | {"PYTHONHASHSEED": "4711", "TZ": "Asia/Shanghai"}
    done = subprocess.run(command, env=env, capture_output=True, check=True)
    assert done.stdout == made(Plan(seed=7), as_json=False)


def test_another_seed_makes_other_ids_and_names() -> None:
    one, two = collections(Plan(seed=0)), collections(Plan(seed=1))
    assert not {each["_id"] for each in one} & {each["_id"] for each in two}
    assert len({each["name"] for each in one} & {each["name"] for each in two}) < 10


def test_two_seeds_are_served_together(tmp_path: Path) -> None:
    paths = [tmp_path / "0.json", tmp_path / "1.json"]
    for seed, path in enumerate(paths):
        path.write_bytes(made(Plan(seed=seed)))
    assert load_fixture(*paths).counts()["collections"] == 200


def test_rows_and_chats_do_not_change_collections() -> None:
    plain = collections(Plan(collections=40))
    more = collections(Plan(collections=40, rows=3, chats=99))
    for each in (*plain, *more):
        for name in ("data", "dataAmount", "trainingAmount"):
            each.pop(name, None)
    assert plain == more


def test_rows_are_in_all_but_folders() -> None:
    for each in collections(SMALL):
        is_folder = each["type"] == "folder"
        assert len(each.get("data", ())) == (0 if is_folder else 2)
        assert each.get("dataAmount", 0) == (0 if is_folder else 2)


def test_collections_are_of_every_kind() -> None:
    found = collections(Plan(collections=2_000))
    assert {each["type"] for each in found} == {"folder", "file", "link", "virtual"}
    assert 20 < sum(each.get("forbid", False) for each in found) < 200
    assert 500 < sum("tags" in each for each in found) < 1_500
    assert all(each["updateTime"] < "2026" for each in found)
    assert len({each["updateTime"] for each in found}) > 1_900
    for each in found:
        assert each.get("trainingAmount", 0) <= each.get("dataAmount", 0)


def test_chats_are_of_every_kind() -> None:
    (app,) = json.loads(made(Plan(chats=30)))["apps"]
    chats = app["chats"]
    for name in ("top", "customTitle", "records"):
        assert 0 < sum(name in each for each in chats) < 30
    assert all(each["title"] for each in chats)


def test_chinese_names_are_chinese() -> None:
    plan = Plan(collections=500, rows=1, locale="zh")
    for each in collections(plan):
        texts = [each["name"], *each.get("tags", ())]
        texts += [row["q"] for row in each.get("data", ())]
        assert all(any("一" <= char <= "鿿" for char in text) for text in texts)

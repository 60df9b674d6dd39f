"""`GET why` beside a plain listing: reasons, counts, places; remedies are tried out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_server.app import Application, create_app
from tests.admin.world import HOST, JSON, ask
from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY, LIST, Api

Fields = dict[str, Any]
KEYS = {"owner-key-1": "owner", "reader-key-2": "read", "nobody-key-3": "none"}
MAY_READ = ("read", "write", "manage", "owner")
STRANGER = "stranger-key-4"
CHOICES: dict[str, tuple[str, ...]] = {
    "search_scope": ("folder", "dataset"),
    "parent_omitted": ("any", "root"),
    "parent_empty_string": ("unknown", "root"),
    "parent_unknown": ("not_found", "empty"),
    "search_fields": ("name_and_tags", "name"),
    "list_filters": ("ignore", "honour"),
    "list_order": ("update_time_desc", "name", "fixture"),
    "offset_missing": ("reject", "accept"),
    "unknown_fields": ("ignore", "reject"),
    "unknown_key": ("accept", "reject"),
}
FILTERS = ("selectFolder", "filterTags")
STAGES = ["dataset", "permission", "folder", "search", *FILTERS, "page"]


@dataclass(frozen=True)
class Case:
    """A request to a dataset, with choices and a key; None is an owner's."""

    items: list[Fields]
    keys: dict[str, str]
    permissions: dict[str, str]
    choices: dict[str, str]
    fields: Fields
    key: str | None
    is_changed: bool = False
    """Whether the last collection has been put after the others were loaded."""

    # In plain loops what a server answers, as the interface description says it.

    def may_read(self) -> bool:
        if self.key is None:
            return True
        if self.keys:
            level = self.permissions.get(self.key, self.keys.get(self.key, "none"))
            return self.key in self.keys and level in MAY_READ
        return self.choices["unknown_key"] == "accept"

    def is_bad(self) -> bool:
        """Whether the fields are refused."""
        chosen, fields = self.choices, self.fields
        by_number = "pageNum" in fields and chosen["offset_missing"] == "accept"
        if "offset" not in fields and not by_number:
            return True
        unknown = {name for name in FILTERS if name in fields}
        unknown -= set(FILTERS) if chosen["list_filters"] == "honour" else set()
        unknown |= {"pageNum"} & set(fields) if not by_number else set()
        return bool(unknown) and chosen["unknown_fields"] == "reject"

    def keepers(self, item: Fields) -> list[str]:
        """Each stage that by itself keeps a collection out, but the page."""
        fields, chosen = self.fields, self.choices
        found = [] if self.may_read() else ["permission"]
        text = fields.get("searchText", "")
        is_everywhere = text and chosen["search_scope"] == "dataset"
        if not is_everywhere and not self.is_in_folder(item):
            found.append("folder")
        texts = [item["name"]]
        texts += item["tags"] if chosen["search_fields"] == "name_and_tags" else []
        if not any(text.lower() in each.lower() for each in texts):
            found.append("search")
        if chosen["list_filters"] == "honour":
            if fields.get("selectFolder") and item["type"] != "folder":
                found.append("selectFolder")
            tags = fields.get("filterTags", [])
            if tags and not [tag for tag in tags if tag in item["tags"]]:
                found.append("filterTags")
        return found

    def is_in_folder(self, item: Fields) -> bool:
        parent = self.fields.get("parentId", ...)
        if parent is ...:
            is_root = self.choices["parent_omitted"] == "root"
            return not is_root or item["parentId"] is None
        if parent == "" and self.choices["parent_empty_string"] == "root":
            parent = None
        return bool(item["parentId"] == parent)

    def matching(self) -> list[str]:
        found = [each for each in self.items if not self.keepers(each)]
        order = self.choices["list_order"]
        if order != "fixture":
            found.sort(key=lambda each: str(each["_id"]))
            by_name = order == "name"
            found.sort(key=lambda each: str(each["name" if by_name else "updateTime"]))
            if not by_name:
                found.sort(key=lambda each: str(each["updateTime"]), reverse=True)
        return [each["_id"] for each in found]

    def size(self) -> int:
        return int(self.fields.get("pageSize", 10))

    def page(self) -> list[str]:
        fields = self.fields
        number = int(fields.get("pageNum", 1))
        offset = int(fields.get("offset", (number - 1) * self.size()))
        return self.matching()[offset : offset + self.size()]

    def shows(self) -> bool:
        return not self.is_bad() and self.may_read() and bool(self.page())

    def left(self) -> list[int]:
        """How many each stage leaves."""
        kept = [set(self.keepers(each)) for each in self.items]
        sums = [
            sum(not each & set(STAGES[:count]) for each in kept)
            for count in range(1, len(STAGES))
        ]
        return [*sums, len(self.page()) if self.may_read() else 0]

    # Single changes

    def sending(self, **fields: Any) -> Case:
        given = {**self.fields, **fields}
        kept = {name: value for name, value in given.items() if value is not ...}
        return replace(self, fields=kept)

    def choosing(self, **choices: str) -> Case:
        return replace(self, choices={**self.choices, **choices})

    def nearest(self) -> list[str]:
        """The stages at which one change makes an empty page show something."""
        for stages, cases in self.single_changes():
            if any(each.shows() for each in cases):
                return stages.split()
        return []

    def single_changes(self) -> Iterator[tuple[str, list[Case]]]:
        known = [replace(self, key=key) for key in self.keys]
        yield "permission", [*known, self.choosing(unknown_key="accept")]
        offsets = [self.sending(offset=at) for at in range(len(self.items))]
        numbers = [self.sending(pageNum=at) for at in range(1, len(self.items) + 1)]
        yield "page", offsets if "offset" in self.fields else numbers
        parents = [self.sending(parentId=value) for value in (..., None)]
        wider = [
            self.choosing(search_scope="dataset"),
            self.choosing(parent_omitted="any"),
            self.choosing(parent_empty_string="root"),
        ]
        yield "folder", [*parents, *wider]
        filters = [name for name in FILTERS if self.fields.get(name)]
        for name in filters:
            yield name, [self.sending(**{name: ...})]
        if filters:
            both = self.sending(**dict.fromkeys(filters, ...))
            yield " ".join(filters), [both, self.choosing(list_filters="ignore")]
        more = self.choosing(search_fields="name_and_tags")
        yield "search", [self.sending(searchText=...), more]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Few names, tags and times, so that filters keep out some and let some pass."""
    items: list[Fields] = []
    texts = st.sampled_from(["a", "b", "ab", "Ba", "c"])
    for number in range(draw(st.integers(0, 7))):
        above = [None, *(each["_id"] for each in items if each["type"] == "folder")]
        items.append(
            {
                "_id": f"{draw(st.integers(0, 9))}-{number}",
                "name": draw(texts),
                "type": draw(st.sampled_from(["folder", "virtual"])),
                "parentId": draw(st.sampled_from(above)),
                "tags": draw(st.lists(texts, max_size=2)),
                "updateTime": f"2024-01-0{draw(st.integers(1, 3))}T00:00:00Z",
            }
        )
    keys = KEYS if draw(st.booleans()) else {}
    levels = st.sampled_from(["none", "read", "manage"])
    permissions = {key: draw(levels) for key in keys if draw(st.booleans())}
    choices = {name: draw(st.sampled_from(them)) for name, them in CHOICES.items()}
    ids = [each["_id"] for each in items]
    optional: dict[str, st.SearchStrategy[Any]] = {
        "parentId": st.sampled_from([None, "", "none", *ids]),
        "searchText": st.sampled_from(["", "a", "ab", "z"]),
        "selectFolder": st.booleans(),
        "filterTags": st.lists(texts, max_size=2),
        "pageNum": st.integers(1, 3),
        "pageSize": st.integers(1, 4),
        "offset": st.integers(0, 9),
    }
    fields: Fields = {
        name: draw(them) for name, them in optional.items() if draw(st.booleans())
    }
    if "pageNum" not in fields:
        fields.setdefault("offset", 0)
    who = [*keys, STRANGER] + ([None] if choices["unknown_key"] == "accept" else [])
    key = draw(st.sampled_from([*who, *(["owner-key-1"] if keys else [])]))
    if key is None and keys and permissions.get("owner-key-1") == "none":
        key = STRANGER  # nobody could send what is asked as an owner
    is_changed = bool(items) and draw(st.booleans())
    return Case(items, keys, permissions, choices, fields, key, is_changed)


def application(case: Case) -> Application:
    loaded = case.items[:-1] if case.is_changed else case.items
    dataset: Fields = {"id": "d", "collections": loaded}
    other = {"id": "e", "collections": [{"_id": "other", "name": "other"}]}
    document: Fields = {"datasets": [dataset, other]}
    if case.keys:
        dataset["permissions"] = case.permissions
        document["keys"] = [
            {"key": key, "permission": level} for key, level in case.keys.items()
        ]
    app = create_app(document, choices=case.choices)
    if case.is_changed:
        item = case.items[-1]
        path = f"/__admin/datasets/d/collections/{item['_id']}"
        assert call(app, "PUT", path, item)[0] == 201
    return app


def call(
    app: Application, method: str, path: str, body: object = None, key: str = ""
) -> tuple[int, Any]:
    headers = {"host": HOST, "content-type": JSON, "authorization": f"Bearer {key}"}
    content = b"" if body is None else json.dumps(body).encode()
    answer = ask(app, method, path, headers, content)
    return answer.status, json.loads(answer.body)


def why(app: Application, case: Case, item: str | None) -> tuple[int, Any]:
    asked = {"dataset": "d", "request": json.dumps(case.fields)}
    asked |= {"item": item} if item is not None else {}
    asked |= {"key": case.key} if case.key is not None else {}
    return call(app, "GET", f"/__admin/why?{urlencode(asked)}")


def redacted(key: str) -> str:
    return key[:4] + sha256(key.encode()).hexdigest()[:8]


def shown_with(app: Application, case: Case, remedy: Fields) -> list[str]:
    """What a client gets that follows a remedy."""
    fields = {"datasetId": "d"} | case.fields | remedy["request"]
    for name in remedy["omit"]:
        del fields[name]
    known = {redacted(key): key for key in (*KEYS, "fastgpt-owner")}
    key = known[remedy["key"]] if remedy["key"] else case.key or "owner-key-1"
    choices = case.choices | remedy["choices"]
    assert call(app, "PUT", "/__admin/choices", {"choices": choices})[0] == 200
    status, answer = call(app, "POST", LIST, fields, key)
    assert call(app, "PUT", "/__admin/choices", {"choices": case.choices})[0] == 200
    assert status == 200, answer
    return [each["_id"] for each in answer["data"]["list"]]


def can_be_read(case: Case) -> bool:
    return not case.keys or any(replace(case, key=key).may_read() for key in case.keys)


@given(cases())
@pytest.mark.ci
def test_every_collection_has_its_reason_and_remedies_that_work(case: Case) -> None:
    app = application(case)
    for item in case.items:
        status, found = why(app, case, item["_id"])
        assert status == (400 if case.is_bad() else 200), found
        if case.is_bad():
            return
        wanted, page = case.keepers(item), case.page()
        is_shown = not wanted and item["_id"] in page
        expected = [] if is_shown else wanted or ["page"]
        assert (found["shown"], found["keptOutBy"]) == (is_shown, expected)
        assert [each["left"] for each in found["stages"]] == case.left()
        keeping = [each["name"] for each in found["stages"] if each["removesItem"]]
        assert keeping == expected
        matching = case.matching()
        if wanted:
            assert found["place"] is None
        else:
            at = matching.index(item["_id"])
            offset = at // case.size() * case.size()
            assert found["place"] == {"index": at, "offset": offset}
        assert found["total"] == (len(matching) if case.may_read() else 0)
        has_remedy = not is_shown and can_be_read(case)
        assert bool(found["remedies"]) is has_remedy
        for remedy in found["remedies"]:
            assert item["_id"] in shown_with(app, case, remedy), remedy


@given(cases())
def test_every_empty_page_has_its_reason_and_remedies_that_work(case: Case) -> None:
    app = application(case)
    status, found = why(app, case, None)
    assert status == (400 if case.is_bad() else 200), found
    if case.is_bad():
        return
    assert found["shown"] is case.shows()
    has_remedy = bool(case.items) and not case.shows() and can_be_read(case)
    assert bool(found["remedies"]) is has_remedy
    nearest = case.nearest()
    if has_remedy and nearest:
        assert found["keptOutBy"] == nearest
    for remedy in found["remedies"]:
        assert shown_with(app, case, remedy), remedy
    for remedy in found["remedies"][:1]:
        ended = FILTERS if "list_filters" in remedy["choices"] else remedy["omit"]
        wanted = {each for each in FILTERS if each in ended and case.fields.get(each)}
        assert wanted <= {*found["keptOutBy"]}


@pytest.mark.ci
@given(cases())
def test_what_another_dataset_has_is_found_there(case: Case) -> None:
    app = application(case)
    status, found = why(app, case, "other")
    if status == 400:
        assert case.is_bad()
        return
    assert (found["keptOutBy"], found["elsewhere"]) == (["dataset"], ["e"])
    for remedy in found["remedies"]:
        assert shown_with(app, case, remedy) == ["other"]


def explained(api: Api, sandbox: str = "", **query: Any) -> Any:
    """The explanation of a page, or of an item."""
    request = json.dumps(query.pop("request", {}))
    asked = {"dataset": DATASET, "request": request} | query
    answer = api.client.get(f"/__admin{sandbox}/why", params=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_sandbox_takes_declared_and_issued_keys(make_api: MakeApi) -> None:
    api = make_api({**LIBRARY, "keys": [{"key": "fastgpt-reader"}]})
    made = api.admin("POST", "/sandboxes", {"name": "team"}).json()
    issued = made["keys"]["fastgpt-reader"]
    for key in ("fastgpt-reader", issued, made["key"]):
        assert explained(api, "/sandboxes/team", key=key)["shown"] is True
    found = explained(api, "/sandboxes/team", key=STRANGER)
    assert found["keptOutBy"] == ["permission"]
    assert found["message"].startswith("the request is refused: Expected a key")


HANDBOOK = [
    {"_id": "install", "name": "Install", "tags": ["setup"]},
    {"_id": "guides", "name": "Guides", "type": "folder"},
]


@pytest.mark.parametrize(
    ("item", "fields", "omitted"),
    [
        ("", {"filterTags": ["nope"]}, ["filterTags"]),
        ("", {"filterTags": ["nope"], "selectFolder": False}, ["filterTags"]),
        ("", {"filterTags": ["nope"], "selectFolder": True}, ["filterTags"]),
        ("", {"filterTags": ["setup"], "selectFolder": True}, ["selectFolder"]),
        ("guides", {"filterTags": ["nope"], "selectFolder": True}, ["filterTags"]),
        ("install", {"filterTags": ["nope"], "selectFolder": True}, FILTERS),
        ("", {"searchText": "z", "filterTags": ["nope"]}, ["search", "filterTags"]),
        (
            "",
            {"searchText": "z", "filterTags": ["nope"], "selectFolder": True},
            ["search", *FILTERS],
        ),
    ],
)
def test_the_filters_that_hide_are_named_and_left_out(
    make_api: MakeApi, item: str, fields: Fields, omitted: Sequence[str]
) -> None:
    fixture = {"datasets": [{"id": DATASET, "collections": HANDBOOK}]}
    api = make_api(fixture, choices={"list_filters": "honour", "list_order": "fixture"})
    found = explained(api, request=fields, **({"item": item} if item else {}))
    assert found["keptOutBy"] == [*omitted]
    names = {"searchText" if each == "search" else each for each in omitted}
    assert {*found["remedies"][0]["omit"]} == names
    ignoring = [each["choices"] for each in found["remedies"]]
    assert {"list_filters": "ignore"} in ignoring

"""Requests and answers of profile `fastgpt-4.17`."""

from typing import Any

import pytest
from account import Client, error_of

from mock_server.tools.pull import anonymized, pull

YEAR = "a" * 24
COLORS = "b" * 24
OTHER = "c" * 24
UNKNOWN = "0" * 24
RECORDS = [{"obj": "Human", "text": f"{n}"} for n in range(12)]
CHATS: list[dict[str, Any]] = [{"chatId": f"c{n:02}"} for n in range(12)]
CHATS[0]["records"] = RECORDS
INNER = {"_id": "in", "name": "Plan B", "children": [{"_id": "deep", "name": "Plan C"}]}
TAGS = ["plain", {"tag": "year", "value": 2026}, {"tag": "colors", "value": ["red", "blue"]}]
COLLECTIONS = [{"_id": "top", "name": "Plan", "children": [INNER]}]
COLLECTIONS += [{"_id": "tagged", "name": "Tagged", "tags": TAGS}]
COLLECTIONS += [{"_id": "rows", "name": "Rows", "data": [{"q": f"{n}"} for n in range(12)]}]
COLLECTIONS += [{"_id": "text", "name": "Text", "tags": [{"tag": "year", "value": "2026"}]}]
DECLARED = [{"_id": YEAR, "tag": "year"}, {"_id": COLORS, "tag": "colors"}]
ACCOUNT: dict[str, Any] = {
    "clock": "2026-01-01T00:00:00Z",
    "apps": [{"id": "a", "chats": CHATS}],
    "datasets": [
        {"id": "d", "tags": DECLARED, "collections": COLLECTIONS},
        {"id": "e", "collections": [{"_id": OTHER, "name": "Plan D", "type": "folder"}]},
    ],
}
LIST = "/dataset/collection/listV2"
pytestmark = pytest.mark.served(fixture=ACCOUNT, profile="fastgpt-4.17")


# Searches


BELOW = {"top": {"in", "deep"}, "in": {"deep"}, UNKNOWN: set(), OTHER: set()}
BELOW |= {nowhere: {"top", "in", "deep"} for nowhere in (None, "")}


@pytest.mark.parametrize(("parent", "found"), BELOW.items())
def test_a_search_finds_what_is_below_its_folder(client, parent, found):
    assert set(client.ids(parentId=parent, searchText="plan")) == found


# Tags


def test_a_tag_has_its_value(client):
    items = client.items(searchText="tagged")
    detail = client.collection("tagged")
    assert items[0]["tags"] == detail["tags"] == TAGS
    client.control.choices["tag_form"] = "names"
    assert client.collection("tagged")["tags"] == ["plain", "year", "colors"]


FILTERS = [([], {"top", "rows", "tagged", "text"}), ([(YEAR, [2026])], {"tagged"})]
FILTERS += [([(YEAR, ["2026"])], {"text"}), ([(YEAR, [2026.0, "2026"])], {"tagged", "text"})]
FILTERS += [([(YEAR, [2026]), (YEAR, ["2026"])], {"tagged", "text"})]
FILTERS += [([(COLORS, ["green", "blue"])], {"tagged"})]
FILTERS += [([(YEAR, [2026]), (COLORS, ["red"])], {"tagged"})]
FILTERS += [([(YEAR, ["2026"]), (COLORS, ["red"])], set()), ([(UNKNOWN, ["red"])], set())]


@pytest.mark.parametrize(("filters", "found"), FILTERS)
def test_tag_filters_find_values(client, filters, found):
    sent = [{"tagId": id, "values": values} for id, values in filters]
    assert set(client.ids(tagFilters=sent)) == found


@pytest.mark.parametrize(
    "wrong",
    [None, {}, ["x"], [{}], [{"tagId": "x", "values": ["y"]}]]
    + [[{"tagId": YEAR, "values": it}] for it in ([], [""], [True], [None], [[]], "x", None)],
)
def test_a_wrong_tag_filter_is_refused(client, wrong):
    assert client.code("POST", LIST, {"datasetId": "d", "tagFilters": wrong}) == 400


def test_repeated_collections_have_numbered_tags(client):
    entry = {"repeat": 2, "name": "N{n}", "tags": [{"tag": "t{n}", "value": 1}]}
    client.control.put_dataset({"id": "r", "collections": [entry]})
    items = client.items(datasetId="r")
    assert sorted(it["tags"][0]["tag"] for it in items) == ["t1", "t2"]


def test_a_pull_keeps_the_values_of_tags(server):
    document, problems = pull(server.url, "any", dataset=("d",), pause=0)
    tags = {it["_id"]: it.get("tags") for it in document["datasets"][0]["collections"]}
    assert problems == [] and tags["tagged"] == TAGS
    hidden = str(anonymized(document))
    assert "2026" in hidden and not any(word in hidden for word in ("'blue'", "'colors'", "'2026'"))


# Pages

PATHS = [("/chat/history/getHistories", {"appId": "a"})]
PATHS += [("/chat/record/getPaginationRecords", {"appId": "a", "chatId": "c00"})]
PATHS += [("/dataset/data/v2/list", {"collectionId": "rows"})]


PLACES = [({}, 0, 10), ({"offset": 3}, 3, 9), ({"offset": "3"}, 3, 9), ({"pageNum": 2}, 10, 2)]
PLACES += [({"offset": 0, "pageNum": 2}, 0, 10), ({"offset": "", "pageNum": 2}, 10, 2)]
PLACES += [({"offset": 0, "pageNum": 2, "pageSize": 5}, 0, 5), ({"offset": 12}, 12, 0)]
PAGES = [("honour", "", *it) for it in PLACES]
# If the body names no page, it is in the query.
PAGES += [("honour", "offset=3", {}, 3, 9), ("honour", "pageSize=2", {"offset": 3}, 3, 9)]
PAGES += [("ignore", "offset=3", {}, 0, 10), ("ignore", "pageSize=2&offset=1", {}, 1, 2)]
PAGES += [("ignore", "pageSize=2&pageNum=2", {"offset": 3}, 2, 2)]
PAGES += [("ignore", "pageSize=2&offset=1", {"pageSize": 3}, 0, 3)]


@pytest.mark.parametrize(("path", "body"), PATHS)
@pytest.mark.parametrize(("choice", "query", "page", "first", "count"), PAGES)
def test_a_page_is_that_of_the_body_or_the_query(
    client, path, body, choice, query, page, first, count
):
    client.control.choices["lone_offset"] = choice
    everything = client.data("POST", path, body | {"pageSize": 30})["list"]
    shown = client.data("POST", f"{path}?{query}", body | page)["list"]
    expected = everything[first : first + count]
    if path.endswith("getPaginationRecords"):
        # The oldest record of a page is the first, and pages begin with the newest.
        expected = everything[::-1][first : first + count][::-1]
    assert shown == expected and len(shown) == count


@pytest.mark.parametrize("size", [0, "", "0"])
def test_a_page_of_no_size_is_refused(client, size):
    body = {"appId": "a", "pageSize": size}
    assert client.code("POST", "/chat/history/getHistories", body) == 507004


# Rows that wait for training

PUSH = "/dataset/data/pushData"
ROWS = "/dataset/data/v2/list"


def push(client: Client, count: int = 1, to: str = "text") -> Any:
    rows = [{"q": f"Zebra {n}", "a": "Stripes"} for n in range(count)]
    return client.data("POST", PUSH, {"collectionId": to, "data": rows})


def amounts(client: Client, id: str = "text") -> tuple[int, int]:
    """How many rows a collection has, and how many are being trained."""
    item = client.item(id)
    return item["dataAmount"], item["activeTrainingAmount"]


def listed_rows(client: Client, id: str = "text") -> list[str]:
    return [it["_id"] for it in client.data("POST", ROWS, {"collectionId": id})["list"]]


def test_a_pushed_row_is_listed_while_it_waits(client):
    pushed = push(client, 2)
    assert pushed["insertLen"] == len(pushed["dataIds"]) == 2
    assert sorted(listed_rows(client)) == pushed["dataIds"] and amounts(client) == (2, 2)
    client.control.clock.advance(60)
    assert sorted(listed_rows(client)) == pushed["dataIds"] and amounts(client) == (2, 0)


def test_a_row_that_waits_is_not_found(client):
    push(client)
    search = {"datasetId": "d", "text": "Zebra"}
    assert client.data("POST", "/dataset/searchTest", search)["list"] == []
    assert client.collection("text")["indexAmount"] == 0
    client.control.clock.advance(60)
    assert len(client.data("POST", "/dataset/searchTest", search)["list"]) == 1
    assert client.collection("text")["indexAmount"] == 2


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_a_row_that_waits_is_locked(client, method):
    (id,) = push(client)["dataIds"]
    body = {"dataId": id, "q": "Horse"}
    delete = {"path": f"/dataset/data/delete?id={id}"}
    call: Any = delete if method == "DELETE" else {"path": "/dataset/data/update", "body": body}
    assert error_of(client.core(method, **call)) == (500, 501016, "dataNotIndexed")
    client.control.clock.advance(60)
    assert client.code(method, **call) == 200


def test_each_second_unlocks_some_rows(client):
    ids = push(client, 30)["dataIds"]
    client.control.clock.advance(2)
    codes = [client.code("PUT", "/dataset/data/update", {"dataId": it, "q": "Q"}) for it in ids]
    assert codes == [200] * 20 + [501016] * 10


def test_questions_of_a_model_come_when_they_are_found(client):
    client.control.put_collection("d", {"_id": "qa", "name": "Q", "trainingType": "qa"})
    assert push(client, to="qa") == {"insertLen": 1, "dataIds": []}
    assert listed_rows(client, "qa") == []
    client.control.clock.advance(60)
    assert len(listed_rows(client, "qa")) == 1


def test_rows_of_a_text_are_there_once_it_is_parsed(client):
    text = {"datasetId": "d", "name": "T", "text": "Zebra. " * 300}
    id = client.data("POST", "/dataset/collection/create/text", text)["collectionId"]
    assert amounts(client, id) == (0, 1)
    client.control.clock.advance(2)
    rows = len(listed_rows(client, id))
    assert rows > 1 and amounts(client, id) == (rows, rows)
    client.control.clock.advance(60)
    assert amounts(client, id) == (rows, 0)


def test_without_steps_a_row_is_not_locked(client):
    client.control.choices["training"] = "instant"
    (id,) = push(client)["dataIds"]
    assert client.code("PUT", "/dataset/data/update", {"dataId": id, "q": "Q"}) == 200

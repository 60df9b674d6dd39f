"""`import har`: what recorded responses show becomes a fixture, and nothing else does."""

from base64 import b64encode
from io import BytesIO

import pytest
from account import HISTORIES, LIST, PIN, LocalClient
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json

from mock_server.fixture.dump import yaml_of
from mock_server.fixture.load import load_fixture
from mock_server.tools.har import fixture_of

CORE = "/api/core"
ROWS = f"{CORE}/dataset/data/v2/list"
RECORDS = f"{CORE}/chat/record/getPaginationRecords"
DATASET = "6593e137231a2be9c5603ba7"
APP = "65d8a1f0c3b2a94e7f106a01"
CHAT_ID = "refund-4711"
KEY = {"Authorization": "Bearer any"}
ORDER = {"list_order": "fixture"}
SECRET = "s3cr3t-marker"
TIME = "2024-01-01T00:00:00.000Z"


def entry(method, path, sent, answer, status=200):
    """An exchange; `har` writes its bodies as texts."""
    request = {"method": method, "url": f"https://me@a.test/base{path}", "postData": {"text": sent}}
    return {"request": request, "response": {"status": status, "content": {"text": answer}}}


def listed(*items, path=LIST, status=200, code=200, **sent):
    """An exchange of a list, of collections by default."""
    answer = {"code": code, "data": {"list": [*items], "total": len(items)}}
    return entry("POST", path, {"datasetId": "d"} | sent, answer, status)


def har(*entries, base64=False):
    bodies = [it["request"]["postData"] for it in entries if it]
    bodies += [it["response"]["content"] for it in entries if it]
    for body in bodies:
        body["text"] = json.encode(body["text"]).decode()
        if base64:
            body |= {"text": b64encode(body["text"].encode()).decode(), "encoding": "base64"}
    return json.encode({"log": {"version": "1.2", "entries": entries}})


def imported(*entries, **more):
    return fixture_of(BytesIO(har(*entries, **more)))


PAGES = [
    *((LIST, {"datasetId": DATASET, "offset": at, "pageSize": 4}) for at in (16, 12, 8, 4, 0)),
    (LIST, {"datasetId": DATASET, "parentId": "65b1c0de9d1448617cba7001", "offset": 0}),
    *((f"{CORE}/{it}/list", {"parentId": None}) for it in ("dataset", "app")),
    *((HISTORIES, {"appId": APP, "pageNum": it, "pageSize": 5}) for it in (1, 2)),
    (ROWS, {"collectionId": "6593e137231a2be9c5603ba9", "pageSize": 30}),
    *((RECORDS, {"appId": APP, "chatId": CHAT_ID, "offset": at, "pageSize": 2}) for at in (0, 2)),
]


def read(client):
    """Exchanges of all that an account shows."""
    answers = [client.post(it, json=sent, headers=KEY).json() for it, sent in PAGES]
    return [entry("POST", *page, it) for page, it in zip(PAGES, answers, strict=True)]


@pytest.mark.parametrize("base64", [False, True])
def test_a_server_with_the_fixture_serves_what_was_recorded(base64):
    with LocalClient(None, choices=ORDER) as client:
        document, notes = imported(*read(client), base64=base64)
        shown = read(client)
    assert notes == []
    with LocalClient(document, choices=ORDER) as client:
        assert read(client) == shown


def test_the_command_writes_a_fixture(run, tmp_path):
    path = tmp_path / "a.har"
    output = tmp_path / "f.yaml"
    others = [entry("GET", "/logo.png", None, None) for _ in range(2)]
    path.write_bytes(b"\xef\xbb\xbf" + har(listed({"_id": "x", "name": "no"}), *others))
    skipped = "skipped 2 responses of other addresses\n"
    wrote = "wrote 1 dataset, 1 collection, 0 chats to"
    done = (0, "", f"{skipped}{wrote} {output}\n")
    assert run("import", "har", path, "--output", output) == done
    assert load_fixture(output).store.datasets["d"].collections["x"].name == "no"
    assert run("import", "har", path) == (0, output.read_text(), f"{skipped}{wrote} stdout\n")
    assert {*tmp_path.iterdir()} == {path, output}


NO_OBJECTS = [('{"log": {"entries": []}}', 1, "shows no app, chat, dataset or collection")]
NO_OBJECTS += [('{"log": {}}', 2, "Expected a HAR file"), ("<html>", 2, "Expected a HAR file")]


@pytest.mark.parametrize(("content", "code", "said"), NO_OBJECTS)
def test_a_file_without_objects_makes_no_fixture(run, tmp_path, content, code, said):
    path = tmp_path / "a.har"
    output = tmp_path / "f.yaml"
    path.write_text(content)
    ended, _, err = run("import", "har", path, "--output", output)
    assert ended == code and said in err and err.count("\n") == 1 and not output.exists()
    ended, _, err = run("import", "har", output)
    assert ended == 2 and "cannot read" in err


def test_what_is_skipped_is_counted():
    page = listed()
    page["response"]["content"] |= {"text": "<html>", "encoding": "base64"}
    document, notes = imported(
        *(listed({"_id": "x", "name": "X"}, {"_id": "y"}, 5), page, {}),
        *(listed(status=500), listed(code=403), listed(datasetId=None), listed(path=ROWS)),
        listed({"_id": "r", "q": "Q"}, path=ROWS, collectionId="gone"),
        entry("GET", "/api/support/user/account/tokenLogin", None, {}),
    )
    assert [it["_id"] for it in document["datasets"][0]["collections"]] == ["x"]
    assert sorted(notes) == [
        "skipped 1 exchange without a request and a response",
        "skipped 1 response of other addresses",
        "skipped 1 row whose collection was not seen",
        "skipped 2 collections with a missing or a wrong field",
        "skipped 2 responses that failed",
        "skipped 3 responses whose request or data is not as expected",
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_pages_are_joined_in_any_order(order):
    pages = [listed({"_id": f"{n}", "name": "N"}, offset=n, pageSize=1) for n in range(3)]
    document, _ = imported(*pages[::order])
    assert [it["_id"] for it in document["datasets"][0]["collections"]] == ["0", "1", "2"]


def test_later_responses_win_whatever_their_order_in_the_file():
    chat = {"chatId": "c", "title": "Old", "updateTime": TIME, "top": False}
    pin = entry("PUT", PIN, {"appId": "a", "chatId": "c", "top": True}, {"code": 200})
    pin |= {"startedDateTime": "2026-01-01T00:00:01.000+01:00"}
    first = listed(chat, path=HISTORIES, appId="a") | {"startedDateTime": "2025-12-31T23:00:00Z"}
    document, _ = imported(pin, first)
    assert document["apps"] == [{"id": "a", "chats": [chat | {"top": True}]}]


def test_collections_without_a_folder_go_to_the_top():
    parents = {"a": "gone", "b": None, "c": "b", "e": "c"}
    items = [{"_id": id, "name": id, "parentId": it} for id, it in parents.items()]
    document, notes = imported(listed(*items))
    assert notes == ["moved 1 collection whose folder was not seen to the top level"]
    found = load_fixture(document).store.datasets["d"].collections.values()
    assert {it.id: it.parent_id for it in found} == {"a": None, "b": None, "c": "b", "e": "c"}


def exchanges():
    """Exchanges of all that is kept, with secrets in addresses, and a login."""
    link = f"https://me:{SECRET}@b.test/doc?token={SECRET}#{SECRET}"
    value = [{"text": {"content": "Hi"}}, {"tools": [{"params": SECRET}]}]
    dataset = {"_id": "d", "name": "D", "avatar": f"/avatar?{SECRET}"}
    shown = {"code": 200, "data": dataset}
    return [
        entry("POST", "/api/support/user/account/loginByPassword", {"password": SECRET}, shown),
        entry("GET", f"{CORE}/dataset/detail?id={SECRET}", None, shown),
        listed({"_id": "x", "name": link, "rawLink": link, "updateTime": TIME}),
        listed({"chatId": "c", "title": "T"}, path=HISTORIES, appId="a"),
        listed({"dataId": "r", "obj": "AI", "value": value}, path=RECORDS, appId="a", chatId="c"),
        listed({"_id": "q", "q": "Q"}, path=ROWS, collectionId="x"),
        entry("PUT", PIN, {"appId": "a", "chatId": "c"}, {"code": 200}),
        listed({"_id": SECRET, "name": SECRET}, code=403),
        listed({"_id": SECRET, "name": SECRET}, status=403),
    ]


def objects_in(value):
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value] * isinstance(value, dict) + [it for each in inside for it in objects_in(each)]


NAMES = "headers cookies queryString authorization token apiKey password variables records chats"
NAMES += " data collections children repeat steps permissions indexes list content response"
VALUES = (SECRET, [SECRET], {SECRET: SECRET}, {"q": SECRET}, [{"q": SECRET}], [{"name": SECRET}])


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES.split()), st.sampled_from(VALUES), st.none() | st.integers(0, 99))
def test_no_secret_gets_into_a_fixture(name, value, place):
    entries = exchanges()
    objects = objects_in(entries)
    for each in objects if place is None else [objects[place % len(objects)]]:
        each.setdefault(name, value)
    document, _ = imported(*entries)
    assert SECRET not in yaml_of(document)
    load_fixture(document)

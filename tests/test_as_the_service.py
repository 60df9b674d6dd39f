"""Requests and answers of profile `fastgpt-4.16`, as the running service has them."""

import json
from typing import Any

import pytest
from account import COMPLETIONS, LIST, PIN, content_of

from mock_server.service.chats import CHAT_CONFIG

ACCOUNT: dict[str, Any] = {
    "keys": [{"key": it, "permission": it} for it in ("owner", "manage", "write", "read")],
    "users": [{"username": "root", "password": "1234"}],
    "apps": [{"id": "a"}, {"id": "f", "type": "folder", "avatar": "/a.svg"}],
    "datasets": [
        {
            "id": "d",
            "permissions": {"read": "read"},
            "tags": [{"_id": "tag-1", "tag": "setup"}],
            "collections": [
                {"_id": "chinese", "name": "今天"},
                {"_id": "latin", "name": "café", "tags": ["setup"], "data": [{"q": "Q", "a": "A"}]},
                {"_id": "folder", "name": "More", "children": [{"name": "In", "tags": ["other"]}]},
            ],
        }
    ],
}
pytestmark = pytest.mark.served(fixture=ACCOUNT, profile="fastgpt-4.16")


# Bodies

JSON = "application/json"
NEW = "/api/core/dataset/collection/create"


CHARSETS = [(JSON, "utf-8-sig", "chinese"), (f"{JSON}; charset=gbk", "gbk", "chinese")]
CHARSETS += [(f'{JSON}; charset="UTF-16"', "utf-16", "chinese")]
CHARSETS += [(f"{JSON}; charset=iso-8859-1", "latin-1", "latin")]
CHARSETS += [("application/ld+json", "utf-8", "latin")]


@pytest.mark.parametrize(("media", "encoding", "found"), CHARSETS)
def test_a_body_is_read_in_its_charset(client, media, encoding, found):
    text = {"chinese": "今", "latin": "é"}[found]
    body = json.dumps({"datasetId": "d", "searchText": text}, ensure_ascii=False)
    response = client.post(LIST, content=body.encode(encoding), headers={"Content-Type": media})
    assert [it["_id"] for it in response.json()["data"]["list"]] == [found]


ODD_HEADER = f'{JSON}; charset*0=a; charset*="b"'


def test_a_header_whose_parameters_cannot_be_joined_is_refused(client):
    refused = client.fetch(
        LIST, '{"searchText": "今"}'.encode(), headers={"Content-Type": ODD_HEADER}
    )
    assert refused.status_code == 500 and "parameters as in RFC 2231" in refused.json()["message"]
    assert client.control.journal[-1]["response"]["status"] == 500
    media = {"Content-Type": "multipart/form-data; boundary=b"}
    part = (
        b'--b\r\nContent-Disposition: form-data; name="file"; filename*0=a; filename*="b"\r\n\r\n'
    )
    path = "/api/core/dataset/collection/create/localFile"
    refused = client.fetch(path, part + b"x\r\n--b--", headers=media)
    assert "parameters as in RFC 2231" in refused.json()["message"]
    assert len(client.control.journal) == 2


def test_bytes_that_are_not_utf8_are_replaced(client):
    body = json.dumps({"name": "今", "type": "folder", "datasetId": "d"}, ensure_ascii=False)
    made = client.post(NEW, content=body.encode("gbk"), headers={"Content-Type": JSON})
    assert client.collection(made.json()["data"])["name"] == "\ufffd\ufffd"


@pytest.mark.parametrize(("request_form", "status"), [("strict", 400), ("service", 200)])
def test_half_an_emoji_is_replaced(client, request_form, status):
    client.control.choices["request_form"] = request_form
    name = rb'"name": "\ud83d \\ud83d \ud83d\ude00\ude00"'
    made = client.fetch(NEW, b'{"datasetId": "d", "type": "folder", %b}' % name)
    assert client.collection(made.json()["data"])["name"] == "\ufffd \\ud83d 😀\ufffd"
    listed = rb'{"datasetId": "d", "offset": 0, "pageSize": 1, "searchText": "\udead"}'
    assert client.fetch(LIST, listed).status_code == status
    assert client.fetch(NEW, rb'{"name": "\ud83z"}').status_code == 400


def test_a_form_is_read(client):
    form = {"datasetId": "d", "pageSize": "1", "searchText": "caf"}
    listed = client.post(LIST, data=form).json()["data"]
    assert (listed["list"][0]["_id"], listed["total"]) == ("latin", 1)


@pytest.mark.parametrize("media", ["", "text/plain", "multipart/form-data; boundary=x"])
@pytest.mark.parametrize("content", [b"", b'{"datasetId": "d"}'])
def test_a_body_of_another_type_is_no_json(client, media, content):
    headers = {"Content-Type": media} if media else {}
    response = client.post(LIST, content=content, headers=headers)
    assert (response.status_code, response.json()["code"]) == (400, 400)
    got = media.partition(";")[0] or "none"
    expected = f"Expected a JSON object with Content-Type: application/json, got {got}"
    assert response.json()["message"].startswith(expected)


@pytest.mark.parametrize("method", ["DELETE", "POST"])
def test_collections_are_deleted_by_an_id_in_the_query_or_ids_in_the_body(client, method):
    path = "/dataset/collection/delete"
    assert client.code(method, f"{path}?id=latin") == 400
    for query, body in (("", {"id": "latin"}), ("?collectionIds=latin", {}), ("?id=", {})):
        refused = client.core(method, path + query, body)
        assert (refused.status_code, refused.json()["code"]) == (500, 507004)
    assert client.code(method, f"{path}?id=nope", {"collectionIds": ["latin"]}) == 500
    assert client.code(method, f"{path}?id=latin", {"id": 5}) == 200


# Paths


@pytest.mark.parametrize("path", [f"{LIST}/", LIST.replace("/dataset", "//dataset"), f"{LIST}//"])
def test_a_slash_too_many_leads_to_the_path_without(client, path):
    response = client.post(f"{path}?a=b", json={"datasetId": "d"})
    assert (response.status_code, response.headers["location"]) == (308, f"{LIST}?a=b")
    assert client.post(path, json={"datasetId": "d"}, follow_redirects=True).json()["code"] == 200


def test_an_answer_for_exactly_that_path_comes_first(client):
    client.control.respond(f"POST {LIST}/", json={"own": 1})
    assert client.post(f"{LIST}/").json() == {"own": 1}
    assert client.post(f"{LIST}//").status_code == 308


# Lists


def test_filter_tags_are_ids_of_tags(client):
    assert client.ids(filterTags=["tag-1"]) == ["latin"]
    assert client.ids(filterTags=["setup"]) == []


@pytest.mark.parametrize("value", ["true", 1, None])
def test_simple_is_a_boolean(client, value):
    response = client.post(LIST, json={"datasetId": "d", "simple": value})
    assert response.status_code == 400
    assert response.json()["zodError"][0]["path"] == ["simple"]


# Rights

NUMBERS = [("read", 4, 4), ("write", 6, 6), ("manage", 7, 15), ("owner", *[4294967295] * 2)]


@pytest.mark.parametrize(("key", "dataset", "app"), NUMBERS)
def test_a_permission_has_roles_and_rights(client, key, dataset, app):
    (of_dataset,) = client.data("POST", "/dataset/list", {}, key=key)
    folder, _ = client.data("POST", "/app/list", {}, key=key)
    shown = (of_dataset["permission"], folder["permission"])
    assert [it["permission"] for it in shown] == [dataset, app]
    assert [it["isOwner"] for it in shown] == [key == "owner"] * 2
    assert [it["hasManagePer"] for it in shown] == [dataset >= 7] * 2
    assert all("value" not in it and it["roleList"]["read"]["value"] == 4 for it in shown)


def test_what_lists_show_of_apps_and_datasets(client):
    (dataset,) = client.data("POST", "/dataset/list", {})
    app, folder = client.data("POST", "/app/list", {})
    assert [it["private"] for it in (dataset, app)] == [True, True]
    assert [it["avatar"] for it in (app, folder)] == ["/icon/logo.svg", "/a.svg"]
    assert dataset["sourceMember"]["name"] == "Owner"


@pytest.mark.parametrize("key", ["manage", "write", "read"])
def test_only_an_owner_creates_at_the_top_level(client, key):
    app = {"name": "New", "type": "simple"}
    assert client.code("POST", "/app/create", app, key=key) == 500003
    in_folder = app | {"parentId": "f"}
    right = 502001 if key == "read" else 200
    assert client.code("POST", "/app/create", in_folder, key=key) == right


# Chats


def test_a_link_beside_an_app_is_refused(client):
    pin = {"appId": "a", "chatId": "c", "top": True, "outLinkAuthData": {"shareId": "s"}}
    assert client.code("PUT", PIN.removeprefix("/api/core"), pin) == 400
    assert client.code("PUT", PIN.removeprefix("/api/core"), pin | {"outLinkAuthData": {}}) == 200
    assert client.complete("Hi", appId="a", outLinkAuthData={"shareId": "s"}).status_code == 400
    assert client.complete("Hi", appId="a", outLinkAuthData={}).status_code == 200
    client.control.choices["request_form"] = "strict"
    assert client.put(PIN, json=pin).status_code == 200


NODE = {"name": "Chat", "inputs": [{"key": "model", "value": "qwen"}, {"key": "model"}, {}]}
CONFIG = {"welcomeText": "Hi.", "variables": [{"key": "city", "type": "input"}, 5]}
SETTINGS: dict[str, Any] = {"modules": [NODE, NODE, {"inputs": 5}], "edges": [{"source": "a"}]}
SETTINGS |= {"chatConfig": CONFIG | {"scheduledTriggerConfig": {"cronString": "0 9 * * *"}}}


def test_an_app_has_the_settings_that_are_sent_or_declared(client):
    client.control.put_app(SETTINGS | {"id": "set", "chatModels": ["gpt"]})
    client.control.put_app(SETTINGS | {"id": "own", "variables": ["mood"]})
    apps = [("set", "gpt", "city"), ("own", "qwen", "mood")]
    for id, model, kept in apps:
        opened = client.data("GET", f"/chat/init?appId={id}&chatId=k")["app"]
        assert (opened["chatConfig"], opened["chatModels"]) == (CHAT_CONFIG | CONFIG, [model])
        shown = client.data("GET", f"/app/detail?appId={id}", headers={"token": client.login()})
        assert {it: shown[it] for it in SETTINGS} == SETTINGS
        completion = client.complete(
            appId=id, detail=True, variables={"city": 1, "mood": 2, "x": 3}
        ).json()
        assert [*completion["newVariables"]] == [kept]


VARIABLES = [({"chatConfig": CONFIG}, CONFIG["variables"][:1]), ({"chatConfig": {}}, []), ({}, [])]
VARIABLES += [({"chatConfig": {"variables": [{"id": "x", "key": "k"}]}}, [{"key": "k"}])]


@pytest.mark.parametrize(("settings", "variables"), VARIABLES)
def test_a_new_app_has_a_list_of_variables_without_ids(client, settings, variables):
    made = client.data("POST", "/app/create", settings | {"name": "New", "type": "simple"})
    shown = client.data("GET", f"/app/detail?appId={made}", headers={"token": client.login()})
    assert shown["chatConfig"] == settings.get("chatConfig", {}) | {"variables": variables}
    opened = client.data("GET", f"/chat/init?appId={made}&chatId=k")["app"]
    assert opened["chatConfig"]["variables"] == variables


OFFSET = {"datasetId": "d", "offset": "1"}
PLACES: list[tuple[str, dict[str, Any]]] = [
    ("PUT /dataset/collection/update", {"id": "nope"}),
    ("POST /dataset/data/insertData", {"collectionId": "nope", "q": "Q"}),
    ("POST /dataset/data/v2/list", {"collectionId": "nope"}),
    ("PUT /dataset/data/update", {"dataId": "nope", "q": "Q"}),
    ("DELETE /dataset/data/delete?id=nope", {"id": "nope"}),
    *(("POST /dataset/collection/listV2", {"pageNum": it} | OFFSET) for it in ([1], None, True)),
]


@pytest.mark.parametrize(("route", "body"), PLACES)
def test_the_first_field_is_named_as_the_wrong_one(client, route, body):
    refused = client.core(*route.split(), body).json()
    assert refused["zodError"][0]["path"] == [*body][:1]


PAGES = [({"offset": "0", "pageNum": "2"}, 0), ({"offset": 1, "pageNum": -1}, 1)]
PAGES += [({"offset": 0, "pageNum": 2}, 2), ({"offset": "", "pageNum": "2"}, 2)]


@pytest.mark.parametrize(("page", "offset"), PAGES)
def test_an_offset_wins_over_a_number_of_a_page(client, page, offset):
    client.control.clock.freeze("2026-01-01T00:00:00Z")
    made = [client.complete(appId="a").json()["id"] for _ in range(4)]
    listed = client.data("POST", "/chat/getHistories", {"appId": "a", "pageSize": 2} | page)
    assert [it["chatId"] for it in listed["list"]] == made[offset : offset + 2]


# Bodies in other forms than JSON in UTF-8

SECRET_PIN = json.dumps({"appId": "a", "chatId": "c1", "top": True, "password": "geheim€"})
IN_CHINESE = json.dumps(json.loads(SECRET_PIN), ensure_ascii=False).encode("gbk", "replace")
JSON_IN = "application/json; charset="
FORMS = [
    (b"\xef\xbb\xbf" + SECRET_PIN.encode(), "application/json"),
    (SECRET_PIN.encode("utf-16"), JSON_IN + "utf-16"),
    (IN_CHINESE, JSON_IN + "gbk"),
    (SECRET_PIN.replace("geheim", "\udcff").encode(errors="surrogateescape"), "application/json"),
    (b"appId=a&chatId=c1&top=true&password=geheim", "application/x-www-form-urlencoded"),
]


@pytest.mark.parametrize("content, media", FORMS)
def test_faults_criteria_and_the_journal_read_a_body_as_the_operation_does(client, content, media):
    client.add("error", match={"body": {"chatId": "c1"}})
    headers = {"Content-Type": media}
    assert client.fetch(PIN, content, headers=headers).status_code == 503
    client.control.assert_called("updateHistory", body={"appId": "a"})
    shown = str(client.control.journal)
    assert "geheim" not in shown and "\\xff" not in shown
    again = client.fetch(PIN, content, headers=headers)
    assert again.status_code == (400 if "urlencoded" in media else 200)


def test_a_question_with_a_bom_is_found(client):
    client.control.reply("Found.", match={"question": "where"})
    sent = {"appId": "a", "messages": [{"role": "user", "content": "Where?"}]}
    content = b"\xef\xbb\xbf" + json.dumps(sent).encode()
    assert content_of(client.fetch(COMPLETIONS, content)) == "Found."


@pytest.mark.parametrize("charset", ["idna", "rot13", "klingon"])
def test_an_unknown_charset_is_refused(client, charset):
    headers = {"Content-Type": JSON_IN + charset}
    response = client.fetch(PIN, b'{"a": "\xff"}', headers=headers)
    assert (response.status_code, response.text) == (400, "Invalid body")


def test_a_body_in_an_unknown_charset_shows_no_secrets(client):
    body = b'{"password": "geheim", "chatId": "\xff"}'
    headers = {"Content-Type": f"{JSON_IN}klingon"}
    assert client.fetch(PIN, body, headers=headers).text == "Invalid body"
    assert client.control.journal[-1]["request"]["body"] == {}


# Keys


def test_a_key_of_any_scheme_is_the_key(client):
    client.add("error", match={"key": "read"})
    headers = {"Authorization": "Token read"}
    assert client.post(LIST, json={"datasetId": "d"}, headers=headers).status_code == 503
    assert client.control.journal[-1]["key"] is not None


# Numbers, names and fields as JavaScript and FastGPT read them

SIZES = [
    ("0x2", 2),
    ("2e0", 2),
    (" 2 ", 2),
    ("2.9", 2),
    (-2, 2),
    ("0", 4),
    ("x", 500),
    ("", 507004),
]
SIZES += [("Infinity", 500), ("+3", 3), (1.5, 1), (None, 400), (True, 400), (0, 507004)]


@pytest.mark.parametrize(("size", "count"), SIZES)
def test_the_size_of_a_page_is_a_number_as_javascript_reads_it(client, size, count):
    for _ in range(4):
        client.complete(appId="a")
    listed = client.core("POST", "/chat/getHistories", {"appId": "a", "pageSize": size}).json()
    assert (len(listed["data"]["list"]) if listed["code"] == 200 else listed["code"]) == count


FAILING: list[tuple[str, dict[str, Any], int]] = [
    ("POST /chat/getHistories", {"appId": "a", "pageSize": -1, "pageNum": 3}, 500),
    ("POST /chat/getHistories?pageSize=1&pageSize=2", {"appId": "a"}, 500),
    ("POST /dataset/collection/listV2", {"datasetId": "d", "pageSize": "2x"}, 500),
    ("POST /dataset/collection/listV2", {"datasetId": "d", "pageSize": "0x2"}, 200),
    ("DELETE /dataset/collection/delete", {"collectionIds": [""]}, 500),
    ("POST /dataset/data/insertData", {"collectionId": "x", "q": "Q", "chunkIndex": "3"}, 400),
]


@pytest.mark.parametrize(("route", "body", "code"), FAILING)
def test_a_number_or_an_id_fails_as_in_fastgpt(client, route, body, code):
    client.control.put_dataset({"id": "d", "type": "dataset"})
    assert client.code(*route.split(), body) == code


def test_a_hidden_app_is_found_by_its_type_alone(client):
    client.control.put_app({"id": "h", "type": "hidden"})
    listed = [client.data("POST", "/app/list", it) for it in ({}, {"type": "hidden"})]
    assert ["h" in [app["_id"] for app in apps] for apps in listed] == [False, True]


def test_a_hidden_question_stays_hidden_and_a_file_needs_an_address(client):
    hidden = {"role": "user", "content": "Hi", "hideInUI": True}
    client.complete(appId="a", chatId="k", messages=[hidden])
    assert [it["hideInUI"] for it in client.records(appId="a")] == [True, False]
    file = {"type": "file_url", "name": "a.txt", "url": "/api/a.txt"}
    failed = client.complete([file], appId="a")
    assert (failed.status_code, failed.json()["errorType"]) == (500, "UserError")


@pytest.mark.parametrize(("length", "kept"), [(46, 50), (47, 50), (60, 50)])
def test_the_name_of_a_text_is_cut_with_its_ending(client, length, kept):
    client.control.put_dataset({"id": "d", "type": "dataset"})
    body = {"datasetId": "d", "name": "n" * length, "text": "T"}
    made = client.data("POST", "/dataset/collection/create/text", body)["collectionId"]
    shown = client.collection(made)
    assert (len(shown["name"]), shown["name"][-4:]) == (kept, ".txt")
    assert shown["fileId"].startswith(f"dataset/d/{'n' * min(length, 46)}_")


def test_an_index_of_another_row_is_dropped(client):
    row = client.data("POST", "/dataset/data/insertData", {"collectionId": "latin", "q": "Q"})
    indexes = [{"dataId": "nope", "text": "two"}, {"text": "three"}]
    client.data("PUT", "/dataset/data/update", {"dataId": row, "q": "Q", "indexes": indexes})
    shown = client.data("GET", f"/dataset/data/detail?id={row}")["indexes"]
    assert [it["text"] for it in shown] == ["three", "Q"]


def test_a_file_that_is_never_trained_is_older_than_those_that_are(client):
    client.control.put_dataset({"id": "d", "type": "dataset"})
    for name in ("first", "second"):
        body = {"datasetId": "d", "name": name, "text": "T"}
        client.data("POST", "/dataset/collection/create/text", body)
    client.data(
        "POST", "/dataset/collection/create", {"datasetId": "d", "name": "V", "type": "virtual"}
    )
    client.control.clock.advance(9)
    page = client.data("POST", "/dataset/collection/listV2", {"datasetId": "d"})["list"]
    assert page[-1]["name"] == "V"

"""Requests and answers of profile `fastgpt-4.14`, beside those of `fastgpt-4.16`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest
from account import LIST, PIN, LocalClient, events
from msgspec.structs import asdict, replace
from test_routes import send

from mock_server import errors
from mock_server.choices import profile_choices
from mock_server.releases.fastgpt import FASTGPT_4_14, PROFILES, SEARCH_SETTINGS
from mock_server.service.demo_ids import DEMO_APP, DEMO_CHAT, DEMO_DATASET, DEMO_REPLY
from mock_server.service.logins import login_by_password
from mock_server.service.operations import OPERATIONS

BY_NAME = {it.name: it for it in OPERATIONS}
DELETE = BY_NAME["record.delete"].path
ITEM_DELETE = "/api/core/chat/item/delete"
UNKNOWN = "0" * 24
GONE = ...
"""The value of a field that is left out."""
BUSY = {"_id": "busy", "name": "Busy", "trainingAmount": 2, "trainingType": "qa"}
Pair = tuple[LocalClient, LocalClient]


@pytest.fixture(scope="module")
def clients() -> Iterator[Pair]:
    with (
        LocalClient("demo", profile="fastgpt-4.14") as old,
        LocalClient("demo", profile="fastgpt-4.16") as new,
    ):
        for client in (old, new):
            client.control.clock.freeze("2026-03-03T00:00:00Z")
            client.control.put_collection(DEMO_DATASET, BUSY | {"data": [{"q": "Q"}]})
            client.headers["token"] = send(client, login_by_password).json()["data"]["token"]
            client.control.snapshot("busy")
        yield old, new


@pytest.fixture
def pair(clients: Pair) -> Pair:
    """Clients of both releases, with a key and a login; for both it is the same time."""
    for client in clients:
        client.control.restore("busy")
        client.cookies.clear()
    return clients


def ask(client: LocalClient, name: str, fields: Mapping[str, Any] = {}) -> httpx2.Response:
    """The response to an operation's example with other fields; 4.14 has one at another place."""
    it = BY_NAME[name]
    example = {key: value for key, value in {**it.example, **fields}.items() if value is not GONE}
    it = replace(it, example=example)
    if name == "record.delete" and client.control.choices["error_http_status"] == "always_500":
        it = replace(it, path=ITEM_DELETE, declared_place="body")
    return send(client, it)


def outcome_of(response: httpx2.Response) -> Any:
    """The code of a refusal, or the data of a success; of one without an envelope the body."""
    if not response.text.startswith("{"):
        return response.text
    body = response.json()
    return body.get("data", body) if response.status_code == 200 else body["code"]


# Fields and refusals

Sent = dict[str, tuple[Any, Any]]
NO_ID: Sent = {"id": (GONE, 507004)}
PAGE: Sent = {"offset": (None, '"total"'), "pageNum": ([1], '"total"')}
PAGE |= {"pageSize": ([2], '"total"')}
LISTED: Sent = {"datasetId": (5, 500), "filterTags": (5, '"total":9'), "parentId": (5, '"total":0')}
LISTED |= {"searchText": (5, 500), "selectFolder": ([], '"total":2')}
LISTED |= {"simple": ("x", '"2099-01-01T00:00:00.000Z","dataAmount":0')}
MADE = '"code":200'
NEW: Sent = {"datasetId": (GONE, 501002), "parentId": (5, 500), "tags": ([5], '"tags":["5"]')}
NEW |= {it: ("no", MADE) for it in ("autoIndexes", "dataEnhanceCollectionName", "imageIndex")}
NEW |= {it: (1, MADE) for it in ("customPdfParse", "indexPrefixTitle")}
NEW |= {it: (None, MADE) for it in ("chunkSettingMode", "chunkTriggerType", "qaPrompt")}
NEW |= {it: ("7", MADE) for it in ("chunkTriggerMinSize", "chunkSize", "indexSize")}
NEW |= {it: ("x", MADE) for it in ("paragraphChunkDeep", "paragraphChunkMinSize", "metadata")}
NEW |= {it: ("x", MADE) for it in ("chunkSplitMode", "paragraphChunkAIMode")}
NEW |= {"chunkSplitter": (5, MADE), "trainingType": ("", MADE)}
RESOURCE: Sent = {"parentId": (5, 500), "name": (5, '"name":"5"'), "intro": (1, '"intro":"1"')}
ASKED: Sent = {"appId": (5, 500), "chatId": (5, '"chatId":"5"'), "outLinkAuthData": (5, MADE)}
ASKED |= {it: (5, "choices") for it in ("outLinkAuthData", "customUid", "metadata", "variables")}
ASKED |= {"stream": ("x", "data: {"), "detail": (1, "responseData"), "shareId": ("x", 501)}
ASKED |= {"teamId": ("x", 500), "responseChatItemId": (5, '"dataId":"5"')}
ASKED |= {it: ("x", "choices") for it in ("retainDatasetCite", "showSkillReferences")}
RECORDS: Sent = {"appId": (0, '"total":0'), "chatId": (5, '"total":0'), "type": ("x", 500)}
RECORDS |= {it: ("x", '"total":4') for it in ("includeDeleted", "outLinkAuthData")}
RECORDS |= {"loadCustomFeedbacks": ("x", '"customFeedbacks":[]')}
UNUSED = ("autoIndexes", "billId", "imageIndex", "indexSize", "prompt", "trainingMode")
ROW: dict[str, Any] = {"q": 5, "a": None, "chunkIndex": "2", "metadata": 5, "indexes": None}
TAKEN: dict[str, Sent] = {
    "listV2": LISTED | PAGE,
    "collection.list": LISTED | {it: ("x", '"pageNum":1') for it in ("pageNum", "pageSize")},
    "collection.detail": NO_ID,
    "collection.update": {"id": (5, 500), "forbid": (1, '"forbid":true'), "name": (None, MADE)}
    | {"parentId": (5, 500), "tags": (None, MADE)}
    | {it: (None, MADE) for it in ("datasetId", "externalFileId")},
    "collection.delete": {"collectionIds": (5, 507004)},
    "collection.create": {it: ([], 500) for it in NEW if it not in ("metadata", "tags")}
    | {"forbid": ("x", 500), "name": (5, '"name":"5"'), "datasetId": (GONE, 501002)}
    | {"parentId": (5, 500), "tags": ([5], '"tags":["5"]')},
    "create.text": NEW | {"name": (GONE, '"undefined.txt"'), "text": (["x"], MADE)},
    "create.link": NEW | {"link": (5, '"name":"5"')},
    "apiCollection": NEW | {"name": (5, '"name":"5"')},
    "dataset.create": RESOURCE
    | {"type": (GONE, '"name":"New"'), "apiDatasetServer": (5, MADE), "vlmModel": (5, MADE)}
    | {"avatar": (GONE, '"avatar":"/icon/logo.svg"')},
    "dataset.list": {"parentId": (5, 500), "searchKey": (0, "Handbook"), "type": ("nope", [])},
    "dataset.detail": NO_ID,
    "dataset.update": NO_ID
    | {it: (4, MADE) for it in ("agentModel", "avatar", "vlmModel")}
    | {"name": (4, '"name":"4"'), "intro": (4, '"intro":"4"'), "parentId": (5, 500)},
    "dataset.delete": NO_ID,
    "app.list": {"parentId": (5, 500), "searchKey": (0, "Customer"), "type": ("nope", [])},
    "app.create": RESOURCE
    | {"avatar": (5, '"avatar":"5"'), "type": (GONE, '"type":"advanced"')}
    | {it: (5, MADE) for it in ("chatConfig", "edges", "modules")},
    "pushData": {"collectionId": (5, 500), "data": ([ROW, 5], '"insertLen":1')}
    | {it: ([], MADE) for it in (*UNUSED, "trainingType")},
    "insertData": {"q": ("", 507004), "collectionId": (GONE, 507004)}
    | {"indexes": (None, MADE), "metadata": (5, MADE), "chunkIndex": ("x", MADE)},
    "data.list": PAGE | {"collectionId": (5, 500)},
    "data.update": {"q": (GONE, MADE), "a": (None, MADE), "indexes": ([{"text": 5}], '"text":"5"')},
    "searchTest": {"datasetId": (0, 507004), "text": ("", 507004), "queryImageUrls": (5, "Monday")}
    | {it: ("x", "Monday") for it in ("limit", "similarity", "searchMode", "usingReRank")}
    | {it: ([], "Monday") for it in SEARCH_SETTINGS},
    "updateHistory": {"shareId": ("x", 501), "teamId": ("x", 500)}
    | {it: ("x", MADE) for it in ("outLinkAuthData", "skillId", "sourceType")},
    "completions": ASKED,
    "v2.completions": ASKED,
    "v2.createQuestionGuide": {"appId": (GONE, 504000), "chatId": ("", "What else")}
    | {it: (5, "What else") for it in ("outLinkAuthData", "skillId", "sourceType")},
    "getPaginationRecords": RECORDS | PAGE,
    "getRecords_v2": RECORDS | {"pageSize": ("x", '"total":4')},
    "record.delete": {it: ("", 500) for it in ("chatId", "contentId")} | {"contentIds": (5, MADE)},
}
"""Operation -> row -> a value that 4.14 reads otherwise, and the code of its refusal or what is
then said or kept.
"""
CASES: list[tuple[str, dict[str, Any], Any]] = [
    (name, {row: value}, outcome)
    for name, rows in TAKEN.items()
    for row, (value, outcome) in rows.items()
]
NO_ITEMS = {"list": [], "total": 0}
NO_MORE = {"hasMorePrev": False, "hasMoreNext": False}
NO_APP = errors.AppOfChatMissing
REFUSED: dict[tuple[str, type[errors.Refusal]], tuple[dict[str, Any], Any]] = {
    ("completions", errors.AppNotFound): ({"appId": UNKNOWN}, 500),
    ("v2.completions", errors.AppNotFound): ({"appId": UNKNOWN}, 500),
    ("getHistories", errors.AppNotFound): ({"appId": UNKNOWN}, NO_ITEMS),
    ("getHistories", NO_APP): ({"appId": GONE}, NO_ITEMS),
    ("getPaginationRecords", errors.InvalidField): ({"appId": GONE}, NO_ITEMS),
    ("getRecords_v2", errors.InvalidField): ({"appId": GONE}, NO_ITEMS | NO_MORE),
    ("getResData", errors.InvalidField): ({"dataId": GONE}, []),
    ("record.delete", errors.InvalidField): ({"appId": GONE}, 504000),
    ("v2.createQuestionGuide", errors.InvalidField): ({"appId": GONE}, 504000),
    ("app.detail", errors.InvalidField): ({"appId": GONE}, 502000),
    ("app.list", errors.InvalidField): ({"type": ["nope"]}, []),
    ("dataset.list", errors.InvalidField): ({"type": 5}, []),
    ("delHistory", NO_APP): ({"appId": GONE}, 400),
    ("preLogin", errors.FailedField): ({"username": GONE}, 400),
    ("searchTest", errors.InvalidField): ({"text": GONE}, 507004),
}
CASES += [(name, *case) for (name, _), case in REFUSED.items()]
# What is not looked at fails later.
CASES += [("dataset.detail", {"id": "x"}, 500)]
CASES += [("collection.create", {"type": "x"}, 500), ("app.list", {"parentId": "x"}, 500)]
CASES += [("listV2", {"searchText": "x" * 101}, NO_ITEMS), ("pushData", {"data": [None]}, 500)]
CASES += [("dataset.create", {it: None}, 500) for it in ("vectorModel", "type", "name")]
CASES += [("updateUserFeedback", {"appId": "nope"}, 500), ("data.update", {"q": 5}, 500)]
CASES += [("collection.update", {"tags": "x"}, 500), ("dataset.create", {"name": ["x"]}, 500)]
CASES += [("data.list", {"searchText": None}, 500), ("searchTest", {"text": GONE}, 507004)]
CASES += [(name, {"id": GONE}, 500) for name in ("data.detail", "data.delete")]
LATER_TYPES = ("file", "link", "externalFile", "apiFile", "images")
CASES += [("collection.create", {"type": it}, f'"type":"{it}"') for it in LATER_TYPES]


@pytest.mark.parametrize(("name", "fields", "outcome"), CASES)
def test_a_request_is_answered_otherwise_than_by_4_16(pair, name, fields, outcome):
    old, new = pair
    response = ask(old, name, fields)
    assert response.status_code == (500 if isinstance(outcome, int) else 200)
    if isinstance(outcome, str):
        assert outcome in response.text + old.get("/__admin/state").text
    else:
        assert outcome_of(response) == outcome
    # A deletion shows only later which records are gone.
    assert name == "record.delete" or outcome_of(ask(new, name, fields)) != outcome_of(response)


@pytest.mark.parametrize("case", [("dataset.create", "intro"), ("listV2", "searchText")])
def test_a_mended_field_is_a_violation(pair, case):
    for client in pair:
        ask(client, case[0], {case[1]: 5})
        violations = client.control.last_call(case[0])["violations"]
        assert [it["name"] for it in violations].count("invalid_field") == 1


@pytest.mark.parametrize("body", [[], "x", 5])
def test_a_body_that_is_no_object_has_no_fields(pair, body):
    sent = json.dumps(body).encode()
    responses = [it.fetch("/api/core/dataset/list", sent) for it in pair]
    assert [it.status_code for it in responses] == [200, 400]
    violations = [it.control.last_call("dataset.list")["violations"][-1] for it in pair]
    assert [it["name"] for it in violations] == ["invalid_field"] * 2


def test_each_row_for_requests_has_a_case():
    rows = {name: {*rows} for name, rows in FASTGPT_4_14.casts.items() if rows}
    # A form is read by the same rows.
    assert rows.pop("localFile") == rows["create.link"] - {"link"}
    assert rows == {name: {*sent} for name, sent in TAKEN.items()}
    refusals = FASTGPT_4_14.refusals
    assert {*FASTGPT_4_14.collection_types} == {"folder", "virtual", *LATER_TYPES}
    assert REFUSED.keys() == {(name, it) for name, kinds in refusals.items() for it in kinds}


# Data

SKILLS = ("hasSkillCreatePer", "hasSkillCreateRole", "perList.skillCreate", "roleList.skillCreate")
RIGHTS = {f"{team}permission.{it}" for team in ("", "team.") for it in SKILLS}
TRAINED = {"activeTrainingAmount", "finalErrorAmount", "hasError"}
TRAINED |= {"slowestTrainingStatus", "slowestTrainingMode"}
LACKING: dict[str, set[str]] = {
    "app.detail": {"resourceRefs"},
    "getHistories": {"list.hasBeenRead", "list.chatGenerateStatus"},
    "chat.init": {"title", "hasBeenRead", "chatGenerateStatus"},
    "chat.stop": {"completed", "chatGenerateStatus"},
    "listV2": {f"list.{it}" for it in TRAINED},
    "collection.detail": {"trainingAmount", *TRAINED},
    "tokenLogin": RIGHTS,
    "loginByPassword": {f"user.{it}" for it in RIGHTS},
}
FILES = {it: {"list.value.file.key"} for it in ("getPaginationRecords", "getRecords_v2")}
ID = "65422be6aa44b7da77729eca"
ADDED: dict[str, dict[str, Any]] = {
    "app.detail": {"teamTags": [], "__v": 0, "scheduledTriggerConfig": {}}
    | {"chatConfig.variables": [], "chatConfig._id": ID},
    "data.list": {"list.teamId": "65422be6aa44b7da77729ec8"},
    "chat.init": {"app.chatConfig.chatInputGuide.textList": [], "app.chatConfig._id": ID},
    "collection.detail": {"__v": 0, "dataset.__v": 0},
    "data.detail": {"indexes._id": ID},
}
COUNTED = {it: {"list.historyPreviewLength": 4} for it in ("getPaginationRecords", "getRecords_v2")}
WRITTEN = {"updateUserFeedback": {}, "data.update": None, "data.delete": "success"}
SHOWN: dict[str, list[dict[str, Any]]] = {"chat.init": [{}, {"chatId": "new"}]}
SHOWN |= {"collection.detail": [{}, {"id": "busy"}], "data.list": [{"collectionId": "busy"}]}
"""The requests that show all differences, if the example of an operation does not."""
OTHERS = ("markRead", "completions", "v2.completions")


def different(data: Any, other: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, value) for each value that the other data lack or have otherwise."""
    if isinstance(data, dict) and isinstance(other, dict):
        for name, value in data.items():
            if name in other:
                yield from different(value, other[name], f"{path}{name}.")
            else:
                yield f"{path}{name}", value
    elif isinstance(data, list) and isinstance(other, list) and len(data) == len(other):
        for items in zip(data, other, strict=True):
            yield from different(*items, path)
    elif data != other:
        yield path, data


@pytest.mark.parametrize("name", [it for it in BY_NAME if it not in OTHERS])
def test_a_right_request_is_answered_alike_but_for_some_fields(pair, name):
    old, new = pair
    lacking: dict[str, Any] = {}
    added: dict[str, Any] = {}
    for fields in SHOWN.get(name, [{}]):
        shown, other = [outcome_of(ask(it, name, fields)) for it in pair]
        lacking |= dict(different(other, shown))
        added |= dict(different(shown, other))
    if name in WRITTEN:
        assert shown == WRITTEN[name] != other
    else:
        assert (lacking.keys(), added) == (
            LACKING.get(name, set()),
            (ADDED | COUNTED).get(name, {}),
        )
    # An app belongs to the user of the login, where a key makes none; a row loses its indexes.
    if name not in ("app.create", "data.update"):
        assert old.get("/__admin/state").json() == new.get("/__admin/state").json()


def test_each_row_for_data_has_a_case():
    absent = FASTGPT_4_14.omitted_fields.items()
    assert {
        name: {it.partition("?")[0] for it in paths} for name, paths in absent
    } == LACKING | FILES
    assert (FASTGPT_4_14.added_fields, FASTGPT_4_14.fixed_data) == (ADDED, WRITTEN)


def test_a_file_that_cannot_be_read_has_an_error(pair):
    files = {"file": ("a.exe", b"x"), "data": (None, json.dumps({"datasetId": DEMO_DATASET}))}
    made = [it.post(BY_NAME["localFile"].path, files=files) for it in pair]
    assert [it.status_code for it in made] == [200, 500]
    id = made[0].json()["data"]["collectionId"]
    assert pair[0].item(id, datasetId=DEMO_DATASET)["hasError"] is True
    assert pair[0].collection(id)["hasError"] is True
    assert FASTGPT_4_14.takes_any_source == ("localFile", "create.link")


def test_the_title_of_a_known_chat_is_shown(pair):
    assert outcome_of(ask(pair[0], "chat.init"))["title"] == "Refund for order 4711"


def test_of_rows_with_one_index_the_oldest_is_first(pair):
    older, newer = [[it["_id"] for it in outcome_of(ask(it, "data.list"))["list"]] for it in pair]
    assert older == newer[::-1] == sorted(older)


# Completions


def test_a_completion_has_no_title_and_no_id_of_a_new_chat(pair):
    bodies = [it.complete("One?", appId=DEMO_APP).json() for it in pair]
    assert [("title" in it, it["id"] == "") for it in bodies] == [(False, True), (True, False)]
    assert [it.complete("x", appId=DEMO_APP, chatId="k").json()["id"] for it in pair] == ["k", "k"]


def test_done_comes_before_the_results_of_v1_and_no_title(pair):
    seen = [events(it.complete("x", appId=DEMO_APP, stream=True, detail=True)) for it in pair]
    ends = [[name if data != "[DONE]" else data for name, data in it[-2:]] for it in seen]
    assert ends == [["[DONE]", "flowResponses"], ["flowResponses", "[DONE]"]]
    assert ["chatTitle" in str(it) for it in seen] == [False, True]


def test_a_question_has_an_id_of_its_own(pair):
    messages = [{"role": "user", "content": "One?", "dataId": "asked"}]
    fields = {"chatId": "k", "responseChatItemId": "said", "messages": messages}
    assert [ask(it, "completions", fields).status_code for it in pair] == [200, 200]
    ids = [[record["dataId"] for record in it.records(appId=DEMO_APP)] for it in pair]
    assert ids == [["asked", "said"], ["said", "said"]]
    assert [ask(it, "v2.completions", fields).status_code for it in pair] == [200, 500]


@pytest.mark.parametrize(("data_id", "kept"), [(5, "5"), ({"x": [1]}, '{"x":[1]}')])
def test_an_id_of_a_question_is_kept_as_a_text(pair, data_id, kept):
    messages = [{"role": "user", "content": "One?", "dataId": data_id}]
    assert ask(pair[0], "completions", {"chatId": "k", "messages": messages}).status_code == 200
    assert pair[0].records(appId=DEMO_APP)[0]["dataId"] == kept
    chat = pair[0].admin("GET", f"/apps/{DEMO_APP}/chats/k")
    pair[0].admin("PUT", f"/apps/{DEMO_APP}/chats/k", chat)


def test_a_message_that_is_no_object_is_no_failure_of_the_server(pair):
    messages = [{"role": "user", "content": "hi"}, 5]
    answers = [ask(it, "completions", {"chatId": "k", "messages": messages}) for it in pair]
    assert ["AttributeError" in it.text for it in answers] == [False, False]


IMAGE = [{"type": "image_url", "image_url": {"url": "http://localhost/a.png"}}]


@pytest.mark.parametrize(("question", "title"), [("Two?", "Two?"), (IMAGE, "新对话")])
def test_a_title_follows_the_latest_question(pair, question, title):
    for asked in ("One?", question):
        assert [it.complete(asked, appId=DEMO_APP, chatId="k").status_code for it in pair] == [
            200
        ] * 2
    assert [it.control.chat(DEMO_APP, "k").title for it in pair] == [title, "One?"]


def test_a_file_of_a_question_has_no_key_and_a_picture_alone_is_answered(pair):
    for client in pair:
        client.control.put_app({"id": "plain", "type": "simple"})
    replies = [it.complete(IMAGE, appId="plain", chatId="k").json() for it in pair]
    assert ["error" in it for it in replies] == [False, True]
    files = [it.records(appId="plain")[0]["value"][0]["file"] for it in pair]
    assert ["key" in it for it in files] == [False, True]


def test_a_title_is_not_trimmed_and_follows_a_custom_one_too(pair):
    for question in ("One?", " Two? "):
        for client in pair:
            client.complete(question, appId=DEMO_APP, chatId="k")
            client.fetch(
                PIN, {"appId": DEMO_APP, "chatId": "k", "customTitle": "Mine"}, method="PUT"
            )
    assert [it.control.chat(DEMO_APP, "k").title for it in pair] == [" Two? ", "One?"]


@pytest.mark.parametrize(
    ("parts", "values"),
    [
        ([{"reasoning": "Hm."}, "Yes."], [["reasoning"], ["text"]]),
        ([{"reasoning": "Hm."}, {"tool": {"name": "t"}}], [["reasoning"], ["id", "tools"]]),
    ],
)
def test_reasoning_is_a_value_of_its_own(pair, parts, values):
    bodies = [it.complete_with(*parts, appId=DEMO_APP, detail=True).json() for it in pair]
    content = bodies[0]["choices"][0]["message"]["content"]
    assert [[name for name in it if name != "type"] for it in content] == values
    assert content[0]["type"] == "reasoning"
    shown = [it.records(appId=DEMO_APP)[1]["value"] for it in pair]
    assert [len(it) for it in shown] == [2, 1]


def test_a_choice_alone_has_no_content(pair):
    choice = {"interactive": {"type": "userSelect", "params": {}}}
    bodies = [it.complete_with(choice, appId=DEMO_APP, detail=True).json() for it in pair]
    messages = [it["choices"][0]["message"] for it in bodies]
    assert ["content" in it for it in messages] == [False, True]


ASKED_BEFORE = {"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}
HISTORIES = [([], 2), ([*ASKED_BEFORE], 4), ([{"role": "system", "content": "S"}], 3)]


@pytest.mark.parametrize(("before", "length"), HISTORIES)
def test_a_reply_counts_the_messages_that_its_model_has_read(pair, before, length):
    for question in ("C", " "):
        messages = [*before, {"role": "user", "content": question}]
        assert ask(pair[0], "completions", {"chatId": question + "k", "messages": messages})
    lists = [
        outcome_of(ask(pair[0], "getPaginationRecords", {"chatId": it})) for it in ("Ck", " k")
    ]
    shown = [it["list"][1].get("historyPreviewLength") for it in lists]
    assert shown == [length, None]


def test_of_two_replies_with_one_id_one_is_written_and_one_deleted(pair):
    old, _ = pair
    old.control.put_app({"id": "plain", "type": "simple"})
    for question in ("One?", "Two?"):
        old.complete(question, appId="plain", chatId="k", responseChatItemId="same")
    replies = [it for it in old.records(appId="plain") if it["obj"] == "AI"]
    assert [it["value"][0]["text"]["content"] for it in replies] == ["One?", "Two?"]
    fields = {"appId": "plain", "chatId": "k", "contentId": "same", "contentIds": ["same"]}
    assert ask(old, "record.delete", fields).status_code == 200
    assert [it["dataId"] for it in old.records(appId="plain")].count("same") == 1


def test_a_file_has_a_type_and_its_key_keeps_blanks(pair):
    made = [outcome_of(ask(it, "create.text", {"name": "my file"}))["collectionId"] for it in pair]
    shown = [it.collection(id) for it, id in zip(pair, made, strict=True)]
    assert ["/my file_" in it["fileId"] for it in shown] == [True, False]
    types = [it["file"].get("extension") for it in shown]
    assert types == ["txt", None]


UPLOADS = [
    ("a.md", "application/octet-stream"),
    ("a.csv", "text/csv"),
    ("a.PDF", "application/pdf"),
]


@pytest.mark.parametrize(("name", "content_type"), UPLOADS)
def test_a_file_has_the_type_of_its_ending_on_every_machine(pair, name, content_type):
    data = (None, json.dumps({"datasetId": DEMO_DATASET}))
    made = pair[0].post(BY_NAME["localFile"].path, files={"file": (name, b"x"), "data": data})
    shown = pair[0].collection(made.json()["data"]["collectionId"])
    assert shown["file"]["contentType"] == content_type


@pytest.mark.parametrize("text", ["\ufefftext", " text\n", "a\r\nb", "a\n\n\n\nb"])
def test_a_short_text_is_counted_and_kept_as_it_was_sent(pair, text):
    ids = [outcome_of(ask(it, "create.text", {"text": text}))["collectionId"] for it in pair]
    lengths = [it.collection(id)["rawTextLength"] for it, id in zip(pair, ids, strict=True)]
    assert lengths[0] == len(text) > lengths[1]
    pair[0].control.clock.advance(9)
    rows = outcome_of(ask(pair[0], "data.list", {"collectionId": ids[0]}))["list"]
    assert [it["q"] for it in rows] == [text]


def test_a_collection_without_a_source_keeps_its_settings(pair):
    sent = {"chunkSize": 777, "trainingType": "qa", "metadata": {"a": 1}}
    ids = [outcome_of(ask(it, "collection.create", sent)) for it in pair]
    old, new = [it.collection(id) for it, id in zip(pair, ids, strict=True)]
    assert {name: old[name] for name in sent} == sent
    assert not sent.keys() & new.keys()
    assert pair[0].item(ids[0], datasetId=DEMO_DATASET)["trainingType"] == "qa"
    bare = outcome_of(ask(pair[0], "collection.create", {"metadata": {}}))
    assert "metadata" not in pair[0].collection(bare)


def test_a_collection_in_training_says_that_it_has_no_error(pair):
    old, _ = pair
    shown = [old.item("busy", datasetId=DEMO_DATASET), old.collection("busy")]
    assert [it["hasError"] for it in shown] == [False, False]


def test_a_list_takes_its_page_from_the_query_and_by_a_size_alone(pair):
    fields = {"datasetId": DEMO_DATASET}
    for query, page, sizes in [("?pageSize=2", {}, [2, 9]), ("", {"offset": 5}, [9, 4])]:
        seen = [it.fetch(LIST + query, fields | page).json()["data"] for it in pair]
        assert [len(it["list"]) for it in seen] == sizes


def test_a_row_keeps_only_the_indexes_that_are_sent(pair):
    for fields, kept in [({"indexes": [{"text": "own"}]}, [2, 2]), ({}, [1, 2])]:
        for client in pair:
            ask(client, "data.update", {"q": "Q", "a": ""} | fields)
        shown = [outcome_of(ask(it, "data.detail"))["indexes"] for it in pair]
        assert [sum(it["text"] in ("Q", "own") for it in row) for row in shown] == kept


# Errors, paths, logins


def test_an_error_is_500_without_a_type_and_a_plain_text_keeps_its_status(pair):
    seen = [ask(it, "updateHistory", {"appId": GONE}) for it in pair]
    assert [(it.status_code, it.json()["code"]) for it in seen] == [(500, 400), (400, 400)]
    assert all(it.json()["zodError"] for it in seen)
    asked = [ask(it, "completions", {"messages": GONE}).json() for it in pair]
    assert [it.get("errorType") for it in asked] == [None, "UserError"]
    assert [it.fetch(PIN, b"{").status_code for it in pair] == [400, 400]
    assert [it.fetch("/api/nope").status_code for it in pair] == [404, 404]


def test_a_bearer_that_can_be_no_key_counts_as_none(pair):
    for client in pair:
        client.control.choices["unknown_key"] = "reject"
    assert [it.fetch(LIST, key="token").json()["code"] for it in pair] == [403, 514]
    assert [it.fetch(LIST, key="a-b").json()["code"] for it in pair] == [514, 514]


@pytest.mark.parametrize(("profile", "codes"), [("4.14", [200, 500]), ("4.16", [514, 514])])
def test_a_key_may_have_any_text_behind_it_which_is_the_app_of_completions(profile, codes):
    document = {"keys": [{"key": "fastgpt-known"}], "apps": [{"id": UNKNOWN}]}
    with LocalClient(document, profile=f"fastgpt-{profile}") as client:
        key = "fastgpt-known-nope"
        listed = client.fetch("/api/core/chat/getHistories", {"appId": UNKNOWN}, key=key)
        answered = client.complete("x", key, appId=None)
        assert [it.json()["code"] for it in (listed, answered)] == codes


SENT = {**DEMO_CHAT, "contentId": DEMO_REPLY}
PATHS = [(ITEM_DELETE, DELETE, [200, 404]), (DELETE, "", [404, 200])]
PATHS += [(BY_NAME["markRead"].path, "", [404, 200])]


@pytest.mark.parametrize(("path", "leads_to", "statuses"), PATHS)
def test_a_release_has_paths_of_its_own(pair, path, leads_to, statuses):
    method = "POST" if path.endswith("markRead") else "DELETE"
    seen = [it.fetch(path, SENT, method=method) for it in pair]
    assert [it.status_code for it in seen] == statuses
    assert seen[0].text.startswith("<!DOCTYPE html>") == (not leads_to)
    assert FASTGPT_4_14.paths == {path: leads_to for path, leads_to, _ in PATHS}


def test_the_body_alone_is_read(pair):
    seen = [
        it.delete(path, params=SENT) for it, path in zip(pair, (ITEM_DELETE, DELETE), strict=True)
    ]
    assert [it.status_code for it in seen] == [500, 200]
    assert FASTGPT_4_14.reads_body_alone == ("record.delete",)


@pytest.mark.parametrize("name", ["app.create", "dataset.update"])
def test_a_key_cannot_do_what_needs_a_login(pair, name):
    tokens = [it.headers.pop("token") for it in pair]
    codes = [ask(it, name).json()["code"] for it in pair]
    for client, token in zip(pair, tokens, strict=True):
        client.headers["token"] = token
    assert codes == [403, 200]
    assert FASTGPT_4_14.login_only == ("app.create", "dataset.update")


# The profile


@pytest.mark.parametrize("name", [*PROFILES][1:])
def test_a_profile_differs_from_4_16_in_what_it_says(name):
    newer = asdict(profile_choices("fastgpt-4.16"))
    own = asdict(profile_choices(name))
    assert {it: own[it] for it in own if own[it] != newer[it]} == PROFILES[name].choices


def test_the_release_follows_the_profile_whatever_choices_are_set(pair):
    old, _ = pair
    old.control.choices["error_http_status"] = "mapped"
    assert old.fetch(LIST, {}).json()["code"] == 501002
    old.admin("PUT", "/choices", {"choices": {"page_size_max": 30}})
    assert old.fetch(LIST, {}).json()["code"] == 501002
    old.admin("PUT", "/choices", {"profile": "fastgpt-4.16"})
    assert old.fetch(LIST, {}).json()["code"] == 400


def test_a_sandbox_has_the_release_of_its_profile(pair):
    _, new = pair
    keys = new.admin("POST", "/sandboxes", {"profile": "fastgpt-4.14"})["key"]
    assert [new.fetch(LIST, {}, key=it).json()["code"] for it in (keys, "any")] == [501002, 400]


def test_each_operation_and_path_of_a_table_exists():
    paths = {path for it in OPERATIONS for path, _ in it.routes}
    for profile in PROFILES.values():
        tables = [
            it
            for name, it in asdict(profile.release).items()
            if name not in ("paths", "collection_types")
        ]
        names = {name for it in tables if not isinstance(it, bool) for name in it}
        assert names <= BY_NAME.keys()
        assert {*filter(None, profile.release.paths.values())} <= paths


def test_the_document_names_the_releases_that_differ(pair):
    paths = pair[0].get("/openapi.json").json()["paths"]
    named = {it.name: paths[it.path][it.method.split("|")[0].lower()] for it in OPERATIONS}
    named = {name: it.get("x-releases", []) for name, it in named.items()}
    differing = {name for name, *_ in CASES} | {*LACKING, *ADDED, *COUNTED, *WRITTEN}
    differing |= {"localFile", "markRead", *FASTGPT_4_14.login_only}
    assert {name for name, it in named.items() if "4.14" in it} == differing

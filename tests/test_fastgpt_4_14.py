"""Requests and answers of profile `fastgpt-4.14`, beside those of `fastgpt-4.16`."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest
from account import COMPLETIONS, HISTORIES, LIST, PIN, LocalClient, events
from msgspec.structs import asdict, replace
from test_routes import send

from mock_server import errors
from mock_server.choices import PROFILES, profile_choices
from mock_server.service.account import login_by_password
from mock_server.service.app import OPERATIONS
from mock_server.service.examples import DEMO_APP, DEMO_CHAT, DEMO_COLLECTION, DEMO_DATASET
from mock_server.service.release import FASTGPT_4_14

BY_NAME = {it.name: it for it in OPERATIONS}
OLDER_PATHS = {path: older for older, path in FASTGPT_4_14.paths.items() if path}
UNKNOWN = "0" * 24
GONE = ...
"""The value of a field that is left out."""
BUSY = {"_id": "busy", "name": "Busy", "trainingAmount": 2, "trainingType": "qa", "data": [{"q": "Q"}]}
ROWS = "/dataset/data/v2/list"
ITEM = "/api/core/chat/item/delete"
OLDER = BY_NAME["record.delete"].path


@pytest.fixture(scope="module")
def clients() -> Iterator[tuple[LocalClient, LocalClient]]:
    with LocalClient("demo", profile="fastgpt-4.14") as old:
        with LocalClient("demo", profile="fastgpt-4.16") as new:
            yield old, new


@pytest.fixture
def pair(clients: tuple[LocalClient, LocalClient]) -> tuple[LocalClient, LocalClient]:
    """Clients of both releases with a key and a login; the same time stands for both."""
    for client in clients:
        client.control.reset()
        client.control.clock.freeze("2026-03-03T00:00:00Z")
        client.control.put_collection(DEMO_DATASET, BUSY)
        client.cookies.clear()
        send(client, login_by_password)
    return clients


@pytest.fixture
def old(pair: tuple[LocalClient, LocalClient]) -> LocalClient:
    return pair[0]


def ask(client: LocalClient, name: str, fields: Mapping[str, Any] = {}) -> httpx2.Response:
    """The response to an operation's example with other fields, where 4.14 has them."""
    it = BY_NAME[name]
    sent = {key: value for key, value in {**it.example, **fields}.items() if value is not GONE}
    place = it.field_place
    if client.admin("GET", "/choices")["profile"] == "fastgpt-4.14":
        place = "body" if name in FASTGPT_4_14.in_body else place
        it = replace(it, path=OLDER_PATHS.get(it.path, it.path))
    return send(client, replace(it, example=sent, declared_place=place))


def outcome_of(response: httpx2.Response) -> Any:
    """The code of a refusal, or the data of a success."""
    body = response.json()
    assert response.status_code == (200 if body.get("code", 200) == 200 else 500)
    return body["data"] if response.status_code == 200 else body["code"]


# Fields without a check

NO_ID = [({"id": GONE}, 507004)]
NEW: list[tuple[dict[str, Any], Any]] = [({"datasetId": 5}, 501002), ({"parentId": 5}, 500)]
NEW += [({"tags": 5}, '"collectionId":'), ({"datasetId": GONE}, 501002)]
NAMED = [({"name": 5}, '"name":"5'), ({"name": GONE}, 500)]
PAGE = [({"offset": "x"}, 500), ({"pageSize": "x"}, 500)]
ASKED = [({"messages": 5}, 500), ({"appId": 5}, 500), ({"chatId": 5}, '"chatId":"5"')]
ASKED += [({"stream": "x"}, "data: {"), ({"detail": 1}, '"responseData"')]
ASKED += [({"variables": 5}, '"choices":')]
UNCHECKED: dict[str, list[tuple[dict[str, Any], Any]]] = {
    "listV2": [*PAGE, ({"datasetId": 5}, 500), ({"datasetId": ""}, 501002)],
    "collection.list": [({"datasetId": 5}, 501002), ({"pageNum": "x"}, '"pageNum":1')],
    "collection.detail": NO_ID,
    "collection.update": [({"id": 5}, 507004), ({"forbid": "x"}, '"forbid":true')],
    "collection.delete": [({"collectionIds": 5}, 507004)],
    "collection.create": [*NEW[:2], *NAMED, ({"type": 5}, 500), ({"tags": 5}, '"name":"Notes"')],
    "create.text": [*NEW, NAMED[0], ({"name": GONE}, '"undefined.txt"'), ({"text": 5}, 500)],
    "create.link": [*NEW, ({"link": 5}, 500)],
    "apiCollection": [*NEW[:2], *NAMED, ({"tags": 5}, '"apiFileId":"returns-7"')],
    "dataset.create": [({"name": 5}, '"name":"5"'), ({"parentId": 5}, 500), ({"type": 5}, 500)],
    "dataset.list": [({"searchKey": 5}, '"name":"Handbook"')],
    "dataset.detail": NO_ID,
    "dataset.update": NO_ID,
    "dataset.delete": NO_ID,
    "app.list": [({"parentId": 5}, 500), ({"searchKey": 5}, "Customer support")],
    "app.detail": [({"appId": GONE}, 502000)],
    "pushData": [({"data": 5}, 500)],
    "insertData": [({"q": 5}, 507004)],
    "data.list": [*PAGE, ({"collectionId": 5}, 501003), ({"searchText": 5}, '"total":3')],
    "data.detail": [({"id": GONE}, 500)],
    "data.update": [({"dataId": GONE}, 500), ({"q": 5}, '"data":null'), ({"a": 5}, "When do")],
    "data.delete": [({"id": GONE}, 500)],
    "searchTest": [({"datasetId": 5}, 507004), ({"text": 5}, 507004), ({"limit": "x"}, '"list":[{')],
    "completions": ASKED,
    "v2.completions": ASKED,
    "v2.createQuestionGuide": [({"appId": 5}, 504000), ({"chatId": GONE}, '"data":["')],
    "getPaginationRecords": [*PAGE, ({"type": "x"}, 500), ({"chatId": 5}, '"total":0')],
    "getRecords_v2": [({"pageSize": "x"}, '"total":4')],
    "record.delete": [({"appId": GONE}, 500)],
    "getResData": [({"dataId": GONE}, '"data":[]'), ({"appId": GONE}, '"data":[]')],
}
UNCHECKED["listV2"] += [({"offset": ""}, '"total":9'), ({"pageSize": None}, 507004)]
UNCHECKED["listV2"] += [({"parentId": 5}, '"total":0'), ({"searchText": 5}, 500)]
UNCHECKED["listV2"] += [({"searchText": None}, '"total":9'), ({"selectFolder": "x"}, '"total":2')]
UNCHECKED["listV2"] += [({"simple": "x"}, '"total":9'), ({"filterTags": "x"}, '"total":0')]
UNCHECKED["listV2"] += [({"filterTags": None}, 500)]
UNCHECKED["collection.update"] += [({"name": 5}, 500)]
UNCHECKED["create.text"] += [({"trainingType": 5}, 500)]
UNCHECKED["dataset.create"] += [({"type": GONE}, '"name":"New"'), ({"intro": 5}, '"name":"New"')]
UNCHECKED["dataset.create"] += [({"avatar": 5}, '"name":"New"'), ({"vectorModel": 5}, '"New"')]
UNCHECKED["v2.createQuestionGuide"] += [({"sourceType": 5}, '"data":["')]
UNCHECKED["getPaginationRecords"] += [({"appId": 5}, '"total":0')]
UNCHECKED["getPaginationRecords"] += [({"loadCustomFeedbacks": 5}, '"total":4')]
UNCHECKED["getResData"] += [({"sourceType": "x"}, '"data":[]')]
WRONG = [(name, *case) for name, cases in UNCHECKED.items() for case in cases]


@pytest.mark.parametrize(("name", "fields", "outcome"), WRONG)
def test_a_wrong_field_is_taken_or_fails_later(pair, name, fields, outcome):
    old, new = pair
    response = ask(old, name, fields)
    violations = old.control.last_call(name)["violations"]
    if isinstance(outcome, int):
        assert outcome_of(response) == outcome
    else:
        assert response.status_code == 200
        assert outcome in response.text + old.get("/__admin/state").text
    assert [it["name"] for it in violations].count("invalid_field") == 1
    assert ask(new, name, fields).json()["code"] == 400


def rule_of(name: str, fields: Mapping[str, Any]) -> str:
    """The row of the table that is for a wrong field."""
    rules = FASTGPT_4_14.unchecked[name]
    field, value = next(iter(fields.items()))
    if value in (GONE, None, "") and f"{field}?" in rules:
        return f"{field}?"
    return field if field in rules else "*"


def test_each_field_without_a_check_has_a_case():
    tested: dict[str, set[str]] = {}
    for name, fields, _ in WRONG:
        tested.setdefault(name, set()).add(rule_of(name, fields))
    assert tested.keys() == FASTGPT_4_14.unchecked.keys()
    for name, rules in FASTGPT_4_14.unchecked.items():
        # Fields without a row count as absent.
        assert tested[name] - ({"*"} - rules.keys()) == rules.keys()


@pytest.mark.parametrize("body", [[], "x", 5, None])
def test_a_body_that_is_no_object_has_no_fields(pair, body):
    old, new = pair
    assert old.data("POST", "/dataset/list", json.dumps(body))
    assert new.code("POST", "/dataset/list", body) == 400
    assert old.control.last_call("dataset.list")["violations"][-1]["name"] == "invalid_field"


# Refusals

NO_ITEMS = {"list": [], "total": 0}
LINK = [("shareId", "x", 501), ("teamId", "x", 500)]
CHECKED = [(it, *row) for it in ("updateHistory", "completions", "v2.completions") for row in LINK]
CHECKED += [("collection.create", "trainingType", "nope", 500)]
REFUSED: list[tuple[str, type[errors.Refusal], dict[str, Any], Any]] = [
    ("completions", errors.AppNotFound, {"appId": UNKNOWN}, 500),
    ("v2.completions", errors.AppNotFound, {"appId": UNKNOWN}, 500),
    ("getHistories", errors.AppNotFound, {"appId": UNKNOWN}, NO_ITEMS),
    ("getHistories", errors.AppOfChatMissing, {"appId": GONE}, NO_ITEMS),
    ("getPaginationRecords", errors.AppOfChatMissing, {"appId": GONE}, NO_ITEMS),
    ("getResData", errors.AppOfChatMissing, {"appId": GONE}, []),
    ("preLogin", errors.FailedField, {"username": GONE}, 400),
    ("searchTest", errors.InvalidField, {"text": GONE}, 507004),
    ("delHistory", errors.AppOfChatMissing, {"appId": GONE}, 400),
]
UNFIT = [("listV2", {"pageNum": "x", "offset": GONE}), ("collection.create", {"type": "nope"})]
UNFIT += [("app.list", {"parentId": "nope"}), ("dataset.detail", {"id": "nope"})]


@pytest.mark.parametrize(("name", "field", "value", "code"), CHECKED)
def test_a_field_is_refused_that_4_16_does_not_look_at(pair, name, field, value, code):
    old, new = pair
    assert outcome_of(ask(old, name, {field: value})) == code
    assert ask(new, name, {field: value}).status_code == 200


@pytest.mark.parametrize(("name", "kind", "fields", "outcome"), REFUSED)
def test_a_refusal_is_another_one_or_none(pair, name, kind, fields, outcome):
    old, new = pair
    assert outcome_of(ask(old, name, fields)) == outcome
    assert ask(new, name, fields).json()["code"] not in (200, outcome)


@pytest.mark.parametrize(("name", "fields"), UNFIT)
def test_what_is_not_looked_at_fails_later(pair, name, fields):
    old, new = pair
    assert outcome_of(ask(old, name, fields)) == 500
    assert ask(new, name, fields).json()["code"] == 400


def test_each_refusal_and_each_check_has_a_case():
    tested = {(name, kind) for name, kind, *_ in REFUSED}
    assert tested == {(name, kind) for name, it in FASTGPT_4_14.refusals.items() for kind in it}
    checked = FASTGPT_4_14.checked.items()
    assert {it[:2] for it in CHECKED} == {(name, field) for name, it in checked for field in it}


# Data

SKILLS = ("hasSkillCreatePer", "hasSkillCreateRole", "perList.skillCreate", "roleList.skillCreate")
RIGHTS = {f"{team}permission.{it}" for team in ("", "team.") for it in SKILLS}
TRAINED = {"activeTrainingAmount", "finalErrorAmount", "slowestTrainingStatus"}
TRAINED |= {"slowestTrainingMode", "hasError"}
LACKING: dict[str, set[str]] = {
    "app.detail": {"resourceRefs"},
    "getHistories": {"list.hasBeenRead", "list.chatGenerateStatus"},
    "chat.init": {"title", "hasBeenRead", "chatGenerateStatus"},
    "listV2": {f"list.{it}" for it in TRAINED},
    "collection.detail": {"trainingAmount", *TRAINED},
    "tokenLogin": RIGHTS,
    "loginByPassword": {f"user.{it}" for it in RIGHTS},
}
SOME_ID = "65422be6aa44b7da77729eca"
TEAM = "65422be6aa44b7da77729ec8"
CONFIG = {"app.chatConfig._id": SOME_ID, "app.chatConfig.chatInputGuide.textList": []}
ADDED: dict[str, dict[str, Any]] = {
    "app.detail": {"teamTags": [], "__v": 0, "scheduledTriggerConfig": {}}
    | {"chatConfig.variables": [], "chatConfig._id": SOME_ID},
    "data.list": {"list.teamId": TEAM},
    "chat.init": CONFIG,
    "collection.detail": {"__v": 0, "dataset.__v": 0},
    "data.detail": {"indexes._id": SOME_ID},
    "getPaginationRecords": {"list.historyPreviewLength": 4},
    "getRecords_v2": {"list.historyPreviewLength": 4},
}
WRITTEN = {"updateUserFeedback": {}, "data.update": None, "data.delete": "success"}
SHOWN: dict[str, list[dict[str, Any]]] = {
    "chat.init": [{}, {"chatId": "new"}],
    "collection.detail": [{"id": "busy"}],
    "data.list": [{"collectionId": "busy"}],
}
"""The requests that show all differences, where the example of an operation does not."""
ALIKE = [it for it in OPERATIONS if it.name not in ("markRead", "completions", "v2.completions")]


def different(data: Any, other: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, value) for each value of the data that the other data lack or have otherwise."""
    if isinstance(data, dict) and isinstance(other, dict):
        for name, value in data.items():
            if name in other:
                yield from different(value, other[name], f"{path}{name}.")
            else:
                yield f"{path}{name}", value
    elif isinstance(data, list) and isinstance(other, list) and len(data) == len(other):
        for pair in zip(data, other, strict=True):
            yield from different(*pair, path)
    elif data != other:
        yield path, data


@pytest.mark.parametrize("it", ALIKE, ids=lambda it: it.name)
def test_a_right_request_is_answered_alike_but_for_some_fields(pair, it):
    old, new = pair
    lacking = {}
    added = {}
    for fields in SHOWN.get(it.name, [{}]):
        shown, other = (outcome_of(ask(client, it.name, fields)) for client in pair)
        lacking |= dict(different(other, shown))
        added |= dict(different(shown, other))
    if it.name in WRITTEN:
        assert shown == WRITTEN[it.name] != other
    else:
        assert (set(lacking), added) == (LACKING.get(it.name, set()), ADDED.get(it.name, {}))
    # An app belongs to who has made it: with a login that is a user.
    if it.name != "app.create":
        assert old.get("/__admin/state").json() == new.get("/__admin/state").json()


def test_each_row_of_data_is_tested():
    absent = FASTGPT_4_14.absent.items()
    assert LACKING == {name: {it.removesuffix("?") for it in paths} for name, paths in absent}
    assert ADDED.items() >= FASTGPT_4_14.added.items() and WRITTEN == FASTGPT_4_14.data


def test_a_field_is_left_out_only_if_it_says_nothing(old):
    assert outcome_of(ask(old, "chat.init"))["title"] == "Refund for order 4711"
    files = {"file": ("a.exe", b"x"), "data": (None, json.dumps({"datasetId": DEMO_DATASET}))}
    made = old.post("/api/core/dataset/collection/create/localFile", files=files).json()["data"]
    assert old.item(made["collectionId"], datasetId=DEMO_DATASET)["hasError"] is True


# Errors


def test_an_error_is_500_without_an_error_type(pair):
    seen = [ask(it, "updateHistory", {"appId": GONE}) for it in pair]
    assert [it.status_code for it in seen] == [500, 400]
    assert all(it.json()["code"] == 400 and it.json()["zodError"] for it in seen)
    asked = [ask(it, "completions", {"messages": GONE}).json() for it in pair]
    assert [it.get("errorType") for it in asked] == [None, "UserError"]


def test_a_plain_text_keeps_its_status(old):
    assert old.fetch(PIN, b"{").status_code == 400
    assert old.fetch("/api/nope").status_code == 404


def test_a_bearer_that_is_no_key_is_none(old):
    old.choose()
    for profile, code in (("fastgpt-4.14", 403), ("fastgpt-4.16", 514)):
        old.admin("PUT", "/choices", {"profile": profile, "choices": {"unknown_key": "reject"}})
        assert old.fetch(LIST, key="nokey").json()["code"] == code
        assert old.fetch(LIST, key="no-key").json()["code"] == 514


# Paths and logins


def test_the_older_paths_of_the_release_alone_are_served(pair):
    sent = {**DEMO_CHAT, "contentId": "refund-4711-answer"}
    later = [path for path, its in FASTGPT_4_14.paths.items() if not its]
    assert FASTGPT_4_14.paths == dict.fromkeys(later, "") | {ITEM: BY_NAME["record.delete"].path}
    assert [it.fetch(ITEM, sent, method="DELETE").status_code for it in pair] == [200, 404]
    for path in later:
        seen = [it.fetch(path, sent, method="POST" if "mark" in path else "DELETE") for it in pair]
        assert [it.status_code for it in seen] == [404, 200]
        assert seen[0].headers["content-type"].startswith("text/html")


def test_the_body_alone_is_read(pair):
    sent = {**DEMO_CHAT, "contentId": "refund-4711-answer"}
    assert FASTGPT_4_14.in_body == ("record.delete",)
    seen = [it.delete(path, params=sent) for it, path in zip(pair, (ITEM, OLDER), strict=True)]
    assert [it.status_code for it in seen] == [500, 200]


@pytest.mark.parametrize("name", FASTGPT_4_14.login_only)
def test_a_key_cannot_do_what_needs_a_login(pair, name):
    for client in pair:
        client.cookies.clear()
    seen = [ask(it, name) for it in pair]
    assert [it.json()["code"] for it in seen] == [403, 200]


# Completions


def test_a_completion_has_no_title_and_no_id_of_a_new_chat(pair):
    bodies = [it.talk("One?", appId=DEMO_APP).json() for it in pair]
    assert [("title" in it, it["id"] == "") for it in bodies] == [(False, True), (True, False)]
    assert [it.talk("x", appId=DEMO_APP, chatId="k").json()["id"] for it in pair] == ["k", "k"]
    streams = [it.talk("One?", appId=DEMO_APP, stream=True, detail=True).text for it in pair]
    assert ["chatTitle" in it for it in streams] == [False, True]


def test_done_comes_before_the_results_of_v1(pair):
    seen = [events(it.talk("x", appId=DEMO_APP, stream=True, detail=True)) for it in pair]
    ends = [[name or data for name, data in it[-3:]] for it in seen]
    assert ends == [["[DONE]", "flowResponses"], ["flowResponses", "[DONE]"]]


def test_a_question_has_an_id_of_its_own(pair):
    messages = [{"role": "user", "content": "One?", "dataId": "asked"}]
    fields = {"chatId": "k", "responseChatItemId": "said", "messages": messages}
    ids = []
    for client in pair:
        assert ask(client, "completions", fields).status_code == 200
        ids.append([it["dataId"] for it in client.records(appId=DEMO_APP)])
    assert ids == [["asked", "said"], ["said", "said"]]
    again = [ask(it, "v2.completions", fields).status_code for it in pair]
    assert again == [200, 500]


@pytest.mark.parametrize(("question", "title"), [("Two?", "Two?"), (" ", "新对话")])
def test_a_title_follows_the_latest_question(pair, question, title):
    titles = []
    for client in pair:
        for it in ("One?", question):
            client.talk(it, appId=DEMO_APP, chatId="k")
        titles.append(client.control.chat(DEMO_APP, "k").title)
    assert titles == [title, "One?"]


# Collections and rows


@pytest.mark.parametrize("type", FASTGPT_4_14.collection_types)
def test_a_collection_may_have_any_type(pair, type):
    seen = [ask(it, "collection.create", {"type": type}).status_code for it in pair]
    assert seen == [200, 200 if type in ("folder", "virtual") else 400]


def test_a_search_may_be_long(pair):
    seen = [ask(it, "listV2", {"searchText": "x" * 101}).status_code for it in pair]
    assert seen == [200, 400]


def test_of_rows_with_one_index_the_oldest_is_first(pair):
    orders = []
    for client in pair:
        rows = ask(client, "data.list").json()["data"]["list"]
        orders.append([it["q"] for it in rows])
    assert orders[0] == orders[1][::-1] != orders[1]


# The profile


def test_a_profile_changes_the_one_before():
    assert PROFILES == ("documented", "fastgpt-4.14", "fastgpt-4.16", "fastgpt-4.17")
    older, newer = (asdict(profile_choices(it)) for it in PROFILES[1:3])
    assert {name for name in older if older[name] != newer[name]} == {"error_http_status"}


def test_the_release_follows_the_profile_whatever_choices_are_set(old):
    for profile, code in (("fastgpt-4.14", 501002), ("fastgpt-4.16", 400)):
        sent = {"profile": profile, "choices": {"error_http_status": "mapped"}}
        old.admin("PUT", "/choices", sent)
        assert old.fetch(LIST, {}).json()["code"] == code
    old.control.choices["page_size_max"] = 30
    assert old.fetch(LIST, {}).json()["code"] == 400


def test_a_sandbox_has_the_release_of_its_profile(pair):
    _, new = pair
    key = new.admin("POST", "/sandboxes", {"profile": "fastgpt-4.14"})["keys"]["owner"]
    assert new.fetch(LIST, {}, key=key).json()["code"] == 501002
    assert new.fetch(LIST, {}).json()["code"] == 400

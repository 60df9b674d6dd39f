"""Every operation does what its example says, refuses what it declares, and is in OpenAPI."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2
import pytest
from account import COMPLETIONS, LIST, LocalClient
from msgspec import structs

from mock_server.admin.application import ADMIN_ROUTES
from mock_server.faults.rule_kinds import KINDS
from mock_server.service.logins import login_by_password
from mock_server.service.operation import COMMON_WORDS, Operation
from mock_server.service.operations import OPERATIONS

EXAMPLES = [it for it in OPERATIONS if it.example or not it.request_type.__struct_fields__]
IDS = ("appId", "datasetId", "collectionId", "dataId", "id")
HAVE_NOTHING = [("getResData", "dataId")]
"""Of these an unknown id has no data, and no refusal."""
UNKNOWN = [
    (it, name)
    for it in EXAMPLES
    for name in IDS
    if name in it.example and (it.name, name) not in HAVE_NOTHING
]


@pytest.fixture(scope="module", params=["documented", "fastgpt-4.16", "fastgpt-4.17"])
def demo(request: Any) -> Iterator[LocalClient]:
    with LocalClient("demo", profile=request.param, choices={"error_form": "service"}) as client:
        yield client


@pytest.fixture
def person(demo: LocalClient) -> LocalClient:
    """A client with a key, and with the cookie of a login."""
    demo.control.reset()
    demo.cookies.clear()
    assert send(demo, login_by_password).status_code == 200
    return demo


def send(client: LocalClient, it: Operation, fields: Mapping[str, Any] = {}) -> httpx2.Response:
    """The response to an operation's example, in which some fields have other values."""
    fields = {**it.example, **fields}
    method = it.method.split("|")[0]
    if it.field_place == "form":
        files = {"file": ("a.txt", fields.pop("file"))}
        return client.request(method, it.path, data={"data": json.dumps(fields)}, files=files)
    in_query = it.field_place in ("query", "either")
    return client.request(method, it.path, **{"params" if in_query else "json": fields})


NEAR = [(f"{it}/chat/completions", COMPLETIONS) for it in ("", "/v1", "/api", "/api/v1/api/v1")]
NEAR += [("/api/api/core/app/list", "/api/core/app/list"), ("/core/app/list", "/api/core/app/list")]
NEAR += [("/admin/rules", "/__admin/rules"), ("/api/v1/__admin/state", "/__admin/state")]
NEAR += [("/api/admin/initv4", None), ("/list", None), ("/api/create", None)]


@pytest.mark.parametrize(("path", "near"), NEAR)
def test_an_unknown_path_names_the_one_that_a_base_url_has_missed(local, path, near):
    message = local.post(path, json={}).json()["message"]
    assert re.findall("'(.*?)'", message) == [path, *filter(None, [near])]
    assert "`respond`" in message


def test_each_operation_has_a_public_name_of_its_own():
    assert len({it.name for it in OPERATIONS}) == len(OPERATIONS)
    for it in OPERATIONS:
        *_, parent, segment = it.path.split("/")
        assert it.name in (it.public_name, f"{parent}.{segment}", segment)
        # A word that many routes end with would not tell which one is meant.
        assert it.name not in COMMON_WORDS


@pytest.mark.parametrize("it", EXAMPLES, ids=lambda it: it.name)
def test_an_example_succeeds(person, it):
    response = send(person, it)
    assert response.status_code == 200, response.text
    assert it.is_bare or response.json()["code"] == 200


SHOWN = {
    "getHistories": "refund-4711",
    "chat.stop": '"completed":true',
    "chat.init": "Refund for order 4711",
    "v2.createQuestionGuide": "What else can you do?",
    "listV2": "Manual entries",
    "collection.list": '"pageNum":1,"pageSize":10',
    "collection.detail": '"errorCount":0',
    "getPaginationRecords": "I sent order 4711 back",
    "getRecords_v2": '"hasMorePrev":false',
    "getResData": '"data":[]',
    "app.list": "Customer support",
    "app.detail": '"chatConfig":',
    "dataset.list": "Handbook",
    "dataset.detail": "How we work",
    "createTrainingUsage": "68b000000000000000000001",
    "data.list": "Do you ship abroad?",
    "data.detail": "When are you open?",
    "searchTest": '"score":[',
    "preLogin": '"code":"92a490"',
    "loginByPassword": '"token":',
    "tokenLogin": '"username":"root"',
    "getTeamPlanStatus": '"usedAppAmount":2',
}
"""What the response to an example shows, of operations that change nothing."""
CHANGED = {
    "updateHistory": '-"top":true',
    "markRead": '-"updateTime":"2026-03-02T09:15:00.000Z"',
    "delHistory": '+"deleted":true',
    "clearHistories": '+"deleted":true',
    "collection.update": "+Entries by hand",
    "collection.delete": "-6593e137231a2be9c5603ba9",
    "record.delete": '+"deleted":true',
    "updateUserFeedback": '+"userGoodFeedback":"yes"',
    "completions": "+When do you open?",
    "v2.completions": "+When do you open?",
    "app.create": '+"name":"New"',
    "dataset.create": '+"name":"New"',
    "dataset.update": "+Staff handbook",
    "dataset.delete": "-6593e137231a2be9c5603ba7",
    "collection.create": '+"name":"Notes"',
    "create.text": "+We are closed on Sunday.",
    "create.link": "+https://example.com/terms",
    "apiCollection": '+"apiFileId":"returns-7"',
    "localFile": "+Parcels arrive on Friday.",
    "pushData": "+Who answers?",
    "insertData": "+Do you sell gift cards?",
    "data.update": "+When do you open?",
    "data.delete": "-3ced00f6ea5c20f80b3baaa5",
    "loginout": '+"logouts":1',
}
"""A text of which an example adds one more to the state (+), or takes one out of it (-)."""


@pytest.mark.parametrize("it", OPERATIONS, ids=lambda it: it.name)
def test_each_operation_has_a_row_of_what_it_shows_or_changes(it):
    with LocalClient("demo", choices={"training": "instant"}) as client:
        send(client, login_by_password)
        before = client.get("/__admin/state").text
        # The chat of the example is pinned already.
        shown = send(client, it, {"top": False} if it.name == "updateHistory" else {}).text
        after = client.get("/__admin/state").text
    if it.name in SHOWN:
        assert SHOWN[it.name] in shown and after == before
    else:
        sign, text = CHANGED[it.name][0], CHANGED[it.name][1:]
        added = after.count(text) - before.count(text)
        assert added > 0 if sign == "+" else added < 0


@pytest.mark.parametrize(("it", "field"), UNKNOWN, ids=[f"{it.name}-{id}" for it, id in UNKNOWN])
def test_an_unknown_id_is_refused_as_declared(person, it, field):
    response = send(person, it, {field: "0" * 24})
    assert response.json()["code"] in {refusal.service.code for refusal in it.refusals}


IGNORING = [it for it in EXAMPLES if it.ignored_fields]


@pytest.mark.parametrize("it", IGNORING, ids=lambda it: it.name)
def test_a_field_without_effect_has_a_type_all_the_same(person, it):
    wrong: Any = "x" if it.field_place == "query" else [1]
    status = 500 if it.field_place == "form" else 400
    for name, kind in it.ignored_fields.items():
        # Of some a text is right.
        if kind is not str:
            assert send(person, it, {name: wrong}).status_code == status


def test_a_query_is_no_body_of_a_list_of_datasets(demo):
    headers = {"Content-Type": "application/json"}
    for path in ("/api/core/dataset/list", "/api/core/dataset/list?searchKey=x&parentId="):
        for sent in ({}, {"headers": headers}):
            assert demo.get(path, **sent).status_code == 400
        found = demo.request("GET", path, json={"searchKey": "no such"}).json()
        assert (found["code"], found["data"]) == (200, [])


def test_documents_have_every_route():
    with LocalClient({}) as client:
        public = client.get("/openapi.json").json()
        admin = client.admin("GET", "/openapi.json")
    assert {it.path for it in OPERATIONS} == {*public["paths"]}
    assert public["paths"][LIST]["post"]["x-compared"]["4.16.0"]["asked"] > 100
    body = public["paths"][LIST]["post"]["requestBody"]
    assert body["content"]["application/json"]["schema"]["$ref"].endswith("/ListV2Request")
    listing = public["paths"]["/api/core/dataset/list"]["get"]
    assert listing["requestBody"]["required"] and "parameters" not in listing
    assert len(ADMIN_ROUTES) == sum(map(len, admin["paths"].values()))
    journal = admin["paths"]["/__admin/journal"]["get"]
    assert "since" in [it["name"] for it in journal["parameters"]]
    assert journal["summary"] == "List requests and responses, the oldest first."


def test_the_admin_document_has_the_kinds_of_rules_with_their_fields():
    with LocalClient({}) as client:
        admin = client.admin("GET", "/openapi.json")
    body = admin["paths"]["/__admin/rules"]["post"]["requestBody"]["content"]["application/json"]
    rules, preset = body["schema"]["anyOf"]
    assert preset == {"$ref": "#/components/schemas/AddPreset"}
    assert rules["discriminator"]["mapping"].keys() == KINDS.keys()
    parts = admin["components"]["schemas"]
    for kind, reference in rules["discriminator"]["mapping"].items():
        schema = parts[reference.rpartition("/")[2]]
        names = {field.encode_name for field in structs.fields(KINDS[kind])}
        assert names < schema["properties"].keys()


@pytest.mark.parametrize("path", ["/__admin%2Fhealth", "/%6fpenapi.json", "/%5F_admin/health"])
def test_an_encoded_path_of_the_server_is_no_other_than_an_unknown_route(client, path):
    refused = client.get(path)
    assert (refused.status_code, refused.json()["statusText"]) == (404, "routeNotFound")

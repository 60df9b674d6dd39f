"""Answers that a test gives: for operations, and at any other path."""

from __future__ import annotations

from base64 import b64encode
from fnmatch import fnmatchcase
from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY, Api

PATH = "/api/any/{id}"
NO_TOTALS: tuple[Any, ...] = ("5", None, [], 1.5)
NO_PAGES = [{"list": [{}], "total": each} for each in NO_TOTALS]


def respond(api: Api, operation: str, **fields: Any) -> dict[str, Any]:
    fields = {"kind": "answer", "operation": operation, **fields}
    answer = api.admin("POST", "/faults", fields)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def test_data_stands_in_the_envelope_of_the_service(api: Api) -> None:
    page = {"list": [], "total": 7}
    assert respond(api, "listV2", data=page)["warnings"] == []
    assert api.list_v2().json() == {
        "code": 200,
        "statusText": "",
        "message": "",
        "data": page,
    }


@pytest.mark.parametrize(
    ("body", "content_type", "expected"),
    [
        ({"json": {"a": None}}, "application/json", b'{"a":null}'),
        ({"json": None}, "application/json", b"null"),
        ({"text": "é"}, "text/plain; charset=utf-8", "é".encode()),
        ({"base64": "AP8="}, "application/octet-stream", b"\x00\xff"),
        ({"text": "<a>", "headers": {"Content-Type": "text/xml"}}, "text/xml", b"<a>"),
        ({}, "text/plain; charset=utf-8", b""),
    ],
)
def test_any_path_has_any_answer(
    api: Api, body: dict[str, Any], content_type: str, expected: bytes
) -> None:
    respond(api, f"GET {PATH}", status=201, **body)
    answer = api.client.get("/api/any/thing")
    assert (answer.status_code, answer.content) == (201, expected)
    assert answer.headers["content-type"] == content_type


def test_an_answer_comes_after_authorization_and_before_the_fields(api: Api) -> None:
    respond(api, "updateHistory", json={"ok": True})
    assert api.pin(key=None).status_code == 401
    assert api.pin(chat_id="").json() == {"ok": True}
    assert api.top() is False


def test_with_phase_after_the_operation_is_carried_out(api: Api) -> None:
    respond(api, "updateHistory", json={"ok": False}, phase="after")
    assert api.pin().json() == {"ok": False}
    assert api.top() is True


def test_answers_with_times_are_a_sequence(api: Api) -> None:
    for status in (401, 503):
        respond(api, "listV2", status=status, times=1)
    found = [api.list_v2().status_code for _ in range(3)]
    assert found == [401, 503, 200]


def test_the_first_that_was_added_wins_and_the_other_is_told(api: Api) -> None:
    assert respond(api, "listV2", json=1)["warnings"][1:] == []
    other = respond(api, "listV2", json=2)
    assert "can never fire: f1, added before" in other["warnings"][-1]
    assert api.list_v2().json() == 1


def test_what_a_test_adds_goes_before_what_the_fixture_declares(
    make_api: MakeApi,
) -> None:
    entry = {"method": "GET", "path": PATH, "text": "declared"}
    api = make_api(LIBRARY | {"responses": [entry]})
    added = respond(api, f"GET {PATH}", text="added", times=1)
    assert [api.client.get("/api/any/1").text for _ in range(2)] == [
        "added",
        "declared",
    ]
    entries = api.journal()
    assert [each["answeredBy"]["id"] for each in entries] == [added["id"], "fixture-1"]


def test_entries_with_times_are_a_sequence_of_the_fixture(make_api: MakeApi) -> None:
    entry = {"method": "GET", "path": PATH}
    first, then = {**entry, "status": 500, "times": 2}, {**entry, "status": 204}
    api = make_api(LIBRARY | {"responses": [first, then]})
    for _ in range(2):
        found = [api.client.get("/api/any/1").status_code for _ in range(4)]
        assert found == [500, 500, 204, 204]
        api.admin("POST", "/reset")
    assert api.admin("GET", "/state").json()["responses"][0]["times"] == 2


@pytest.mark.parametrize(
    ("match", "matching", "other"),
    [
        ({"query": {"a": "1"}}, "?a=1&b=2", "?a=2"),
        ({"query": {"a": {"contains": "el"}}}, "?a=hello", "?a=hold"),
        ({"query": {"a": {"absent": True}}}, "?b=1", "?a="),
        ({"path": {"id": "x y"}}, "", "?a=1#other"),
    ],
)
def test_a_query_and_a_path_are_matched(
    api: Api, match: dict[str, Any], matching: str, other: str
) -> None:
    respond(api, f"GET {PATH}", text="found", match=match)
    assert api.client.get(f"/api/any/x%20y{matching}").text == "found"
    place = "/api/any/other" if "path" in match else "/api/any/x%20y"
    assert api.client.get(place + other.partition("#")[0]).status_code == 404


def test_headers_are_matched_in_any_case_of_letters(api: Api) -> None:
    respond(api, f"GET {PATH}", text="found", match={"headers": {"X-Trace": "7"}})
    found = api.client.get("/api/any/x", headers={"x-TRACE": "7"})
    assert found.text == "found"
    assert api.client.get("/api/any/x", headers={"x-trace": "8"}).status_code == 404


def test_a_body_is_matched_by_parts_of_texts_and_by_what_it_lacks(api: Api) -> None:
    match = {"body": {"searchText": {"contains": "st"}, "parentId": {"absent": True}}}
    respond(api, "listV2", json="found", match=match)
    assert api.list_v2(searchText="install").json() == "found"
    assert api.list_v2(searchText="guide").json() != "found"
    assert api.list_v2(searchText="install", parentId=None).json() != "found"


def test_placeholders_stand_for_parts_of_the_request(api: Api) -> None:
    api.admin("PUT", "/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})
    wanted = {
        "whole": "{{body.a.b}}",
        "inside": "<{{body.a.b}}, {{path.id}}, {{query.q}}>",
        "lacking": "{{body.c}}",
        "count": "{{count}}",
        "now": "{{now}}",
        "other": "{{name}} {{ count }} {{body}}",
    }
    respond(api, f"POST {PATH}", json=wanted)
    for count in (1, 2):
        found = api.client.post("/api/any/7?q={{now}}", json={"a": {"b": [1, None]}})
        assert found.json() == {
            "whole": [1, None],
            "inside": "<[1,null], 7, {{now}}>",
            "lacking": None,
            "count": count,
            "now": "2026-01-01T00:00:00.000Z",
            "other": "{{name}} {{ count }} {{body}}",
        }


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("{{ path.id }}", "is no placeholder, and is sent as it is: write {{path.id}}"),
        ("{path.id}", "'{path.id}' is no placeholder, *: write {{path.id}}"),
        ("a ${query.x}", "'${query.x}' is no placeholder, *: write {{query.x}}"),
        ("{{user.id}}", "there are body, query, path, count, now"),
        ("{{Body}}", "there are body, query, path, count, now"),
        ("{{body}}", "write {{body.NAME}}, with the name of a field"),
        ("{{id}}", "'{{id}}' is no placeholder, *: write {{path.id}}"),
        ("<{{ id }}>", "'{{ id }}' is no placeholder, *: write {{path.id}}"),
        ("{{path.ID}}", "'{{path.ID}}' is null: the path has no ID (it has id)"),
    ],
)
def test_what_is_nearly_a_placeholder_is_told(
    api: Api, text: str, warning: str
) -> None:
    for field in ("json", "data"):
        (told,) = respond(api, "GET /x/{id}", **{field: [text]}, times=1)["warnings"]
        assert fnmatchcase(told, f"*{warning}")


@pytest.mark.parametrize(
    "text", ["{{path.id}} {{count}}", "{name} {{name}}", "{count}", '{"a": {"b": 1}}']
)
def test_texts_that_are_no_placeholders_are_not_told(api: Api, text: str) -> None:
    assert respond(api, "GET /x/{id}", json=[text])["warnings"] == []


def test_a_placeholder_outside_of_json_is_told(api: Api) -> None:
    for fields in ({"text": "{{path.id}}"}, {"headers": {"x-id": "{{path.id}}"}}):
        (told,) = respond(api, "GET /x/{id}", **fields, times=1)["warnings"]
        assert told.startswith("'{{path.id}}' is sent as it is: ")


def test_a_placeholder_in_the_name_of_a_field_is_told(api: Api) -> None:
    (told,) = respond(api, "GET /x", json={"a": {"is {{body.id}}!": 1}})["warnings"]
    where = "placeholders are filled in values, not in names of fields"
    assert told == f"'{{{{body.id}}}}' is sent as it is: {where}"
    assert not respond(api, "GET /y", json=['{{body.id}}": ', "{{body.id}}"])[
        "warnings"
    ]


@pytest.mark.parametrize(
    ("value", "count"), [('{"name": "Ann"}', 1), ("[1]", 1), ("{name}", 0), ("1", 0)]
)
def test_a_text_that_holds_json_is_warned_of(api: Api, value: str, count: int) -> None:
    told = respond(api, "GET /x", json=value)["warnings"]
    how = "write it without quotes, or as text"
    said = f"json is a text that holds JSON, and is sent as a JSON string: {how}"
    assert told == [said] * count


def test_what_other_tools_write_in_a_path_is_told(api: Api) -> None:
    (told,) = respond(api, "GET /api/user/:id")["warnings"]
    assert told == "':id' is taken literally: write {id}"
    (told,) = respond(api, "GET /api/*")["warnings"]
    assert told.endswith("there are no wildcards: write {name} for any one segment")
    assert respond(api, "GET /api/docs:batch")["warnings"] == []


def test_what_placeholders_stand_for_is_bounded(api: Api) -> None:
    respond(api, f"POST {PATH}", json=["{{body.x}}"] * 1_000)
    answer = api.client.post("/api/any/7", json={"x": "x" * 100_000})
    assert answer.status_code == 409
    assert "placeholders that stand for at most" in answer.json()["message"]


def test_an_answer_that_is_refused_changes_nothing(api: Api) -> None:
    api.admin("PUT", "/choices", {"choices": {"body_unknown_fields": "ignore"}})
    respond(api, "updateHistory", phase="after", json=["{{body.z}}"] * 5)
    assert api.pin(z="x" * 1_000_000).status_code == 409
    assert api.top() is False


def test_what_differs_from_the_operations_own_answer_is_told(api: Api) -> None:
    added = respond(api, "listV2", data={"list": 5})
    said = "Expected an array, got 5 - at $.data.list"
    assert said in added["warnings"][0]
    assert api.list_v2().json()["data"] == {"list": 5}
    assert said in api.journal()[-1]["hint"]


def test_a_fault_works_on_an_answer(api: Api) -> None:
    respond(api, "listV2", data={"list": [{"_id": "a"}], "total": 1})
    faults: list[dict[str, Any]] = [
        {"kind": "wrong_total", "by": 5},
        {"kind": "alter", "set": {"name": "x"}},
        {"kind": "page_drift", "insert": 1},
        {"kind": "error", "status": 502},
    ]
    for fault in faults:
        api.admin("POST", "/faults", fault)
    answers = [api.list_v2() for _ in faults]
    data = [each.json().get("data") for each in answers]
    assert data[0] == {"list": [{"_id": "a"}], "total": 6}
    assert data[1] == {"list": [{"_id": "a", "name": "x"}], "total": 1}
    assert data[2]["list"][0]["_id"] == "appeared-1"
    assert answers[3].status_code == 502
    journal = api.journal()
    assert [entry["answeredBy"] is None for entry in journal] == [False] * 3 + [True]


def test_what_a_fault_adds_to_an_answer_is_bounded(api: Api) -> None:
    respond(api, "listV2", data={"list": [{"a": 1}] * 5_000, "total": 1})
    api.admin("POST", "/faults", {"kind": "alter", "set": {"z": "q" * 1_000}})
    answer = api.list_v2()
    assert answer.status_code == 409
    assert "fields of at most 4.0 MiB to set on all items" in answer.json()["message"]


@pytest.mark.parametrize(
    "fault", [{"kind": "alter", "set": {"a": 1}}, {"kind": "duplicate_item"}]
)
@pytest.mark.ci
def test_a_fault_works_on_no_answer_that_takes_long_to_read(
    api: Api, fault: dict[str, Any]
) -> None:
    put(api, {"list": [{}] * 60_000, "total": 1}, fault)
    answer = api.list_v2()
    assert answer.status_code == 409
    assert "an answer of at most 50000 items and fields" in answer.json()["message"]


def test_a_large_answer_of_a_state_is_as_a_small_one(api: Api) -> None:
    item = api.list_v2().json()["data"]["list"][0]
    data = {"list": [item] * 1_000, "total": 3}
    put(api, data, {"kind": "wrong_total", "by": 5})
    assert api.list_v2().json()["data"]["total"] == 8
    assert api.list_v2().json()["data"] == data
    assert api.journal()[-1]["hint"] is None
    shown = api.admin("GET", "/state")
    assert shown.status_code == 200, shown.text
    assert shown.json()["faults"][0]["data"] == data


def put(api: Api, data: object, fault: dict[str, Any]) -> None:
    """Put a state with an answer of listV2, and a fault that works on it."""
    both = [{"kind": "answer", "data": data}, fault]
    faults = [{"operation": "listV2"} | each for each in both]
    state = {"datasets": [{"id": DATASET, "name": "D"}], "faults": faults}
    assert api.admin("PUT", "/state", state).status_code == 200


def test_an_answer_is_given_where_related_routes_are_off(make_api: MakeApi) -> None:
    api = make_api(LIBRARY, choices={"related_routes": "off"})
    path = "/api/core/chat/getHistories"
    body = {"appId": "app"}
    headers = {"Authorization": "Bearer any"}
    assert api.client.post(path, json=body, headers=headers).status_code == 404
    respond(api, "getHistories", data={"list": [], "total": 0})
    found = api.client.post(path, json=body, headers=headers)
    assert found.json()["data"] == {"list": [], "total": 0}
    assert api.client.post(path, json=body).status_code == 401
    api.admin("DELETE", "/faults")
    respond(api, "getHistories", data=None, match={"body": {"appId": "other"}})
    assert api.client.post(path, json=body, headers=headers).status_code == 404


def test_an_answer_lasts_until_the_reset(api: Api) -> None:
    respond(api, f"GET {PATH}", text="here")
    assert api.client.get("/api/any/x").status_code == 200
    api.admin("POST", "/reset")
    assert api.client.get("/api/any/x").status_code == 404


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"operation": "*"}, "Expected a method and a path, or one of"),
        ({"operation": "lisV2"}, "(did you mean 'listV2'?) - at $.operation"),
        ({"operation": "GET x"}, "Expected a path that begins with /, got"),
        (
            {"operation": "GET /x?y=1"},
            '(write /x, and as `match` {"query": {"y": "1"}})',
        ),
        ({"operation": "GET /x#y"}, "Expected a path as it is sent, such as /api"),
        (
            {"operation": "GET /api/core/dataset/collection/listV2"},
            "Expected a path of its own, got that of operation listV2",
        ),
        ({"data": 1, "text": ""}, "got data and text - at $.text"),
        ({"base64": "?"}, "Expected bytes in base64 (RFC 4648 4), got another text"),
        ({"status": 204, "text": "x"}, "Expected no body with status 204, got one"),
        ({"headers": {"Date": "x"}}, "Expected no header 'date'"),
        ({"match": {"query": {"a": 5}}}, 'Expected a text, {"contains": "..."} or'),
        ({"match": {"question": 5}}, "what is asked) or null, got 5: quote it"),
        ({"json": "{{now}}" * 1_001}, "Expected at most 1000 placeholders, got more"),
        ({"operation": "GET /a" + "/a" * 64}, "Expected at most 64 segments, got 65"),
        ({"match": {"question": "a", "body": {"q": [{"contains": "a"}] * 2}}}, "got 3"),
        ({"times": 0}, "- at $.times"),
        ({"delayMs": 60_001}, "- at $.delayMs"),
    ],
)
def test_a_wrong_answer_is_refused(
    api: Api, fields: dict[str, Any], message: str
) -> None:
    asked = {"kind": "answer", "operation": "listV2", **fields}
    answer = api.admin("POST", "/faults", asked)
    assert answer.status_code == 400
    assert message in answer.json()["message"]
    assert api.admin("GET", "/faults").json()["faults"] == []


@pytest.mark.ci
def test_at_most_a_thousand_are_in_force_beside_the_faults(api: Api) -> None:
    for _ in range(1_000):
        respond(api, "listV2", status=500, times=1)
    asked = {"kind": "answer", "operation": "listV2"}
    refused = api.admin("POST", "/faults", asked)
    assert refused.json()["message"].startswith("Expected at most 1000 answers")
    assert api.admin("POST", "/faults", {"kind": "empty"}).status_code == 201


@pytest.mark.parametrize(
    ("operation", "match", "warning"),
    [
        (
            "updateHistory",
            {"body": {"chatID": "c"}},
            "a field of updateHistory, got 'chatID' (did you mean 'chatId'?)",
        ),
        ("listV2", {"question": "x"}, "an operation with messages, such as"),
        (f"GET {PATH}", {"path": {"name": "x"}}, "a parameter of the path, got 'name'"),
        ("listV2", {"query": {"datasetId": "d"}}, "got listV2: did you mean body?"),
        ("collection.list", {"query": {"datasetId": "d"}}, "that reads its query"),
        ("completions", {"path": {"id": "7"}}, "a path with parameters, got completio"),
    ],
)
def test_a_match_that_no_request_can_have_is_told(
    api: Api, operation: str, match: dict[str, Any], warning: str
) -> None:
    (told,) = respond(api, operation, status=500, match=match)["warnings"]
    assert told.startswith("This can never fire: Expected ")
    assert warning in told


def test_a_match_that_requests_may_have_is_not_warned_of(api: Api) -> None:
    for operation, match in (
        ("getHistories", {"query": {"pageSize": "5"}}),
        ("completions", {"query": {"chatId": "c"}, "path": {"id": {"absent": True}}}),
        ("completions", {"question": "How much is 1.5 * 2?"}),
    ):
        assert respond(api, operation, status=500, match=match)["warnings"] == []


@pytest.mark.parametrize(
    ("match", "warning"),
    [
        ({"question": "a.*b"}, "'.*' is taken literally: question is a part of the "),
        ({"question": "^weather"}, "'^' is taken literally: question is a part of "),
        (
            {"body": {"question": "weather"}},
            "completions reads no field 'question' (write ",
        ),
    ],
)
def test_a_question_that_is_likely_meant_otherwise_is_told(
    api: Api, match: dict[str, Any], warning: str
) -> None:
    (told,) = respond(api, "completions", status=500, match=match)["warnings"]
    assert told.startswith(warning)


@pytest.mark.parametrize("data", [*NO_PAGES, {"list": None}, [1], 7, None])
@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "wrong_total"},
        {"kind": "page_drift", "insert": 1},
        {"kind": "duplicate_item"},
        {"kind": "alter", "remove": ["a"]},
    ],
)
def test_what_is_no_page_is_left_alone(
    api: Api, fault: dict[str, Any], data: Any
) -> None:
    respond(api, "listV2", data=data)
    api.admin("POST", "/faults", fault)
    assert api.list_v2().json()["data"] == data


@pytest.mark.parametrize("body", [b"[1]", b"7", b"{}", b'{"code":200}', b"\xff"])
def test_answers_without_an_envelope_are_not_altered(api: Api, body: bytes) -> None:
    respond(api, "listV2", base64=b64encode(body).decode())
    api.admin("POST", "/faults", {"kind": "alter", "remove": ["a"]})
    assert api.list_v2().content == body


def test_an_answer_that_is_deleted_is_charged_no_more(api: Api) -> None:
    added = respond(api, f"GET {PATH}", text="x" * 10_000)
    assert api.client.get("/api/any/thing").status_code == 200
    api.admin("DELETE", f"/faults/{added['id']}")
    assert api.client.get("/__admin/health").json()["memory"]["faults"] == 0
    assert api.journal()[-1]["answeredBy"] == {"id": added["id"], "kind": "answer"}


@pytest.mark.ci
def test_a_large_answer_of_a_fixture_is_as_a_small_one(api: Api) -> None:
    value = {"list": [{"n": "{{query.n}}"}, *[{"n": 1.5}] * 20_000], "total": 3}
    entry = {"method": "GET", "path": "/api/any/x", "json": value}
    assert api.admin("PUT", "/state", {"responses": [entry]}).status_code == 200
    written = api.admin("GET", "/state").json()["responses"]
    assert written[0]["json"] == value
    answered = api.client.get("/api/any/x?n=5").json()["list"]
    assert answered[:2] == [{"n": "5"}, {"n": 1.5}]
    yaml = api.client.get("/__admin/state", headers={"accept": "application/yaml"})
    again = api.client.put(
        "/__admin/state",
        content=yaml.content,
        headers={"content-type": "application/yaml"},
    )
    assert again.status_code == 200
    assert api.admin("GET", "/state").json()["responses"] == written

"""Each value of each choice shows through HTTP."""

from collections.abc import Callable
from typing import Any

import pytest
from account import (
    ACCOUNT,
    CHATS,
    COMPLETIONS,
    HISTORIES,
    LIST,
    OLD_PIN,
    PIN,
    SENT_LIST,
    SENT_PIN,
    Client,
    bearer,
    error_of,
)

from mock_server import create_app
from mock_server.choices import choice_table
from mock_server.store.objects import Dataset

PUSH = "/api/core/dataset/data/pushData"
TITLE = {"appId": "app", "chatId": "c2", "title": "New"}
ASKED = {"messages": [{"role": "user", "content": "Hi"}]}
pytestmark = pytest.mark.served(fixture=ACCOUNT | {"keys": []})
MARKED = b'\xef\xbb\xbf{"offset": 0, "datasetId": "d"}'
"""The body of a list, after a byte order mark."""
NEW_CHAT = SENT_PIN | {"chatId": "new"}


# What shows a choice: a request, and what of its response, or of the state, depends on it.


def tags(client: Client) -> object:
    """The tags of a collection that has none."""
    return client.item("in-a").get("tags")


def status_of(path: str, body: Any) -> Callable[[Client], object]:
    return lambda client: client.fetch(path, body).status_code


def code(path: str, body: Any, **sent: Any) -> Callable[[Client], object]:
    return lambda client: client.fetch(path, body, **sent).json()["code"]


def listed(without: str = "", **fields: Any) -> Callable[[Client], object]:
    """The ids on a page, or the code of a refusal."""
    body = {name: it for name, it in (SENT_LIST | fields).items() if name != without}

    def probe(client: Client) -> object:
        envelope = client.fetch(LIST, body).json()
        data = envelope["data"]
        return envelope["code"] if data is None else [it["_id"] for it in data["list"]]

    return probe


def count_of(**fields: Any) -> Callable[[Client], object]:
    """The number of items on a page, or the code of a refusal."""

    def probe(client: Client) -> object:
        found = listed(datasetId="many", **fields)(client)
        return len(found) if isinstance(found, list) else found

    return probe


def filtered(client: Client) -> object:
    tags = [Dataset(id="d").tag_id(name) for name in ("x", "y")]
    value = {"tagId": tags[0], "values": [7]}
    by_tag = listed(filterTags=tags)(client)
    by_value = listed(tagFilters=[value])(client)
    return listed(selectFolder=True)(client), by_tag, by_value


SECOND_PAGE = listed("offset", pageNum=2, pageSize=1)


def tagged(client: Client) -> object:
    tags = [{"tag": "year", "value": 2026}]
    client.admin("PUT", "/datasets/d/collections/new", {"name": "New", "tags": tags})
    return client.item("new")["tags"]


def pinned_new(client: Client) -> object:
    answer = code(PIN, NEW_CHAT)(client)
    chats = client.admin("GET", "/apps/app/chats")["chats"]
    return answer, [chat["top"] for chat in chats if chat["chatId"] == "new"]


def titled(client: Client) -> object:
    answer = code(PIN, TITLE)(client)
    chat = client.admin("GET", "/apps/app/chats/c2")
    return answer, chat["title"], chat["top"]


def untyped(client: Client) -> object:
    body = b'{"offset": 0, "datasetId": "d"}'
    return client.post(LIST, content=body, headers=bearer("any")).status_code


def as_person(client: Client) -> object:
    headers = {"token": client.login()}
    return client.fetch(LIST, SENT_LIST, key=None, headers=headers).status_code


def of_another_member(client: Client) -> object:
    chats = [{"chatId": "theirs", "tmbId": "member-other"}]
    client.admin("PUT", "/apps/more", {"permissions": {"any": "write"}, "chats": chats})
    return code(PIN, {"appId": "more", "chatId": "theirs", "top": True}, key="any")(client)


def of_a_key_with_an_app(client: Client) -> object:
    chosen = client.admin("GET", "/choices")["choices"]
    keys = [{"key": "of-app", "app": "app"}]
    client.admin("PUT", "/state", {"keys": keys, "apps": [{"id": "app", "chats": CHATS}]})
    client.set_choices(**chosen)
    return code(PIN, {"chatId": "c1", "top": True}, key="of-app")(client)


def histories(client: Client) -> object:
    """How many chats a list without a pageSize skips."""
    bodies = [{"appId": "app"} | more for more in ({}, {"offset": 1}, {"pageNum": 2})]
    counts = [len(client.fetch(HISTORIES, it).json()["data"]["list"]) for it in bodies]
    return [counts[0] - count for count in counts[1:]]


def trained(client: Client) -> object:
    code(PUSH, {"collectionId": "in-a", "data": [{"q": "One"}, {"q": "Two"}]})(client)
    amounts = [client.item("in-a")["dataAmount"]]
    client.admin("POST", "/clock/advance", {"seconds": 3600})
    return [*amounts, client.item("in-a")["dataAmount"]]


def waiting(client: Client) -> object:
    """What a push returns, and how many rows are listed while one waits, and then."""
    client.set_choices(**client.admin("GET", "/choices")["choices"] | {"training": "stepped"})
    sent = {"collectionId": "in-a", "data": [{"q": "One"}]}
    found = [client.fetch(PUSH, sent).json()["data"], client.item("in-a")["dataAmount"]]
    client.admin("POST", "/clock/advance", {"seconds": 3600})
    return [*found, client.item("in-a")["dataAmount"]]


NEW_ROW = {"insertLen": 1, "dataIds": ["68b000000000000000000001"]}
OF_SERVICE = {"createTime": "2024-02-01T00:00:00.000Z", "hasError": False}
OF_SERVICE |= {"rawLink": "https://example.com/", "activeTrainingAmount": 2}
UNKNOWN_ID = "6593e137231a2be9c5603bff"
ALL = ["folder", "in-a", "link", "in-b"]
ROOT = ["folder", "link"]
BY_NAME = ["in-a", "link", "in-b", "folder"]
AS_DECLARED = ["folder", "in-b", "in-a", "link"]
SCOPES = {"folder": ["in-a"], "dataset": ["in-a", "link"], "subtree": ["in-a"]}
FILTERS = {"ignore": (ALL, ALL, ALL), "honour": (["folder"], ["link"], ALL)}
FILTERS |= {"tag_values": (["folder"], ALL, [])}
NEW_CHATS = {"not_found": (404, []), "create": (200, [True]), "ignore": (200, [])}
STATUSES = {"mapped": 404, "always_500": 500, "always_200": 200}


def of_service(client: Client) -> object:
    return {name: client.item("link").get(name) for name in OF_SERVICE}


ROWS: list[tuple[str, Callable[[Client], object], dict[Any, object]]] = [
    ("page_size_default", count_of(), {1: 1, 10: 10, 30: 30}),
    ("page_size_max", count_of(pageSize=31), {30: 400, 100: 31}),
    ("page_size_over_limit", count_of(pageSize=101), {"reject": 400, "clamp": 30}),
    ("offset_missing", SECOND_PAGE, {"reject": 400, "accept": ["in-a"]}),
    ("offset_missing", listed("offset", pageSize=1), {"reject": 400, "accept": ["folder"]}),
    ("numeric_strings", listed(offset="1", pageSize="1"), {"reject": 400, "accept": ["in-a"]}),
    ("list_order", listed(), {"update_time_desc": ALL, "name": BY_NAME, "fixture": AS_DECLARED}),
    ("parent_omitted", listed(), {"any": ALL, "root": ROOT}),
    ("parent_empty_string", listed(parentId=""), {"unknown": 404, "root": ROOT}),
    ("parent_unknown", listed(parentId="nope"), {"not_found": 404, "empty": []}),
    ("search_scope", listed(searchText="alpha", parentId="folder"), SCOPES),
    ("search_fields", listed(searchText="setup"), {"name_and_tags": ["in-b"], "name": []}),
    ("list_filters", filtered, FILTERS),
    ("tag_form", tagged, {"names": ["year"], "typed": [{"tag": "year", "value": 2026}]}),
    ("request_form", status_of(LIST, MARKED), {"strict": 400, "service": 200}),
    ("search_text", listed(searchText="a'lpha"), {"whole": [], "service": ["in-a", "link"]}),
    ("item_fields", of_service, {"documented": dict.fromkeys(OF_SERVICE), "service": OF_SERVICE}),
    ("tags_empty", tags, {"list": [], "absent": None}),
    ("chat_unknown", pinned_new, NEW_CHATS),
    ("top_missing", titled, {"reject": (400, "Two", True), "ignore": (200, "New", True)}),
    ("method_mismatch", code(PIN, SENT_PIN, method="POST"), {"reject": 405, "accept": 200}),
    ("content_type_missing", untyped, {"reject": 415, "accept": 200}),
    ("unknown_fields", code(PIN, SENT_PIN | {"more": 1}), {"ignore": 200, "reject": 400}),
    ("chat_owner", of_another_member, {"any": 200, "own": 403}),
    ("key_app", of_a_key_with_an_app, {"default": 400, "bound": 200}),
    ("app_missing", status_of(COMPLETIONS, ASKED), {"first": 200, "reject": 400}),
    ("unknown_key", code(PIN, SENT_PIN, key="any"), {"accept": 200, "reject": 401}),
    ("credentials", as_person, {"bearer": 401, "login_too": 200}),
    ("error_form", listed(datasetId=UNKNOWN_ID), {"plain": 404, "service": 501002}),
    ("error_http_status", status_of(LIST, SENT_LIST | {"datasetId": "nope"}), STATUSES),
    ("legacy_paths", code(OLD_PIN, SENT_PIN), {"on": 200, "off": 404}),
    ("related_routes", code(HISTORIES, {"appId": "app"}), {"on": 200, "off": 404}),
    ("lone_offset", histories, {"ignore": [0, 0], "honour": [1, 2]}),
    ("rows_visible", waiting, {"trained": [{"insertLen": 1}, 0, 1], "at_once": [NEW_ROW, 1, 1]}),
    ("training", trained, {"instant": [2, 2], "stepped": [0, 2]}),
]
CASES = [(name, value, probe, it) for name, probe, row in ROWS for value, it in row.items()]


@pytest.mark.parametrize("name, value, probe, expected", CASES)
def test_a_choice_shows(client, name, value, probe, expected):
    client.set_choices(**{name: value})
    assert probe(client) == expected


def test_every_value_of_every_choice_is_shown_above():
    wanted = {(name, value) for name, it in choice_table().items() for value in it.values}
    wanted -= {("page_size_default", size) for size in range(1, 31)}
    wanted |= {("page_size_default", size) for size in (1, 10, 30)}
    assert {(name, value) for name, value, _, _ in CASES} == wanted


UNKNOWN = {"parent_empty_string", "parent_unknown", "chat_unknown", "unknown_key"}
"""Choices on what does not exist: a request that names it breaks no rule of the spec."""
NAMES = {"legacy_paths": "legacy_path", "related_routes": "related_route"}
TOLERANT = [
    (name, value, probe)
    for name, value, probe, _ in CASES
    if value in choice_table()[name].tolerates and name not in UNKNOWN
]


@pytest.mark.parametrize("name, value, probe", TOLERANT)
def test_what_a_choice_tolerates_is_noted_by_its_name(client, name, value, probe):
    client.set_choices(**{name: value})
    probe(client)
    entry = client.admin("GET", "/journal")["entries"][-1]
    assert [it["name"] for it in entry["violations"]][:1] == [NAMES.get(name, name)]


LARGE = {"page_size_max": 100, "page_size_over_limit": "clamp"}
LENIENT = {"page_size_over_limit": "clamp", "numeric_strings": "accept", "offset_missing": "accept"}
TOGETHER = [({"pageSize": 200}, LARGE, 100), ({"pageSize": "200"}, LENIENT, 30)]
TOGETHER += [({"pageSize": "50", "pageNum": "4", "without": "offset"}, LENIENT, 30)]
TOGETHER += [({"pageSize": 100, "pageNum": 2, "without": "offset"}, LENIENT | LARGE, 20)]


@pytest.mark.parametrize("fields, choices, count", TOGETHER)
def test_choices_work_together(client, fields, choices, count):
    client.set_choices(**choices)
    assert count_of(**fields)(client) == count


def test_a_byte_order_mark_before_json_is_refused_in_words_under_documented(client):
    response = client.fetch(LIST, MARKED)
    assert error_of(response) == (400, 400, "badJson")
    assert "the body begins with a byte order mark" in response.json()["message"]


def test_a_version_alone_is_refused_and_its_profile_said(client, tmp_path):
    file = tmp_path / "old.yaml"
    file.write_text("profile: '4.16'\nchoices: {list_order: name}", "utf-8")
    for profile in ("4.16", file):
        with pytest.raises(ValueError, match=r"'4.16'.*'fastgpt-4.16'"):
            create_app(ACCOUNT, profile=profile)
    for wrong in (416, ["a"], {"a": 1}, None, b"x", True):
        with pytest.raises(ValueError, match=r"^Expected documented or .*, got .* - at profile"):
            create_app(ACCOUNT, profile=wrong)  # type: ignore[arg-type]
    refused = client.admin("PUT", "/choices", {"profile": "4.16"}, 400)
    assert "'fastgpt-4.16'" in refused["message"]

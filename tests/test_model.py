"""The server and the model give the same responses to random requests, under random choices.

`EXAMPLES=100 pytest tests/test_model.py` sends a hundred times as many.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import httpx2
from account import LocalClient, examples
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from model import LEGACY_PIN, LEVELS, LIST, MAX_BODY, PIN, Json, Model, Request, tag_ids

from mock_server.choices import choice_table

STEPS = 10
# A difference names its request, so there is nothing to shrink.
lenient = settings(deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
some = st.sampled_from
split = str.split
levels = some([*LEVELS, "read", "owner", "owner"])
NAMES = sorted({*choice_table()} - {"related_routes", "training"})
choices = st.fixed_dictionaries({name: some(choice_table()[name].values) for name in NAMES})

WORDS = ("Guide", "guide", "Straße", "STRASSE", "caf\u00e9", "cafe\u0301", "\u0131I", "\u0130i")
NEEDLES = ("", "SS", "ß", "\u00e9", "e\u0301", "E", "i", "\u0131", "\u0130")
NEEDLES += (".*", "t1", "1t", "'", "gu'ide")
TIMES = ("2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00.001Z", "2025-06-30T12:00:00.000Z")
TAGS = ("t1", "t2", "ß", "e\u0301", {"tag": "t1", "value": 3}, {"tag": "t2", "value": ["a", "b"]})
PARENTS = (None, None, "c0", "c7", "c14", "c21", "other", "", "0" * 24)
TOKEN = "TOKEN"
CHAT = {"title": "", "customTitle": "", "top": False}
own = {"name": some(WORDS), "updateTime": some(TIMES), "tags": st.lists(some(TAGS), max_size=2)}
more = {"type": some(["folder", "link"]), "createTime": some(TIMES)}
more |= {"dataAmount": st.integers(0, 9), "trainingAmount": st.integers(0, 9)}
more |= {"trainingType": some(["chunk", "qa"]), "externalFileId": some(["", "e"])}
more |= {"forbid": st.booleans(), "hasError": st.booleans(), "rawLink": some(["https://a.example"])}


def folders(inside: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.fixed_dictionaries(own | {"children": st.lists(inside, max_size=4)})


trees = st.recursive(st.fixed_dictionaries(own, optional=more), folders, max_leaves=12)


def with_ids(items: list[Json], ids: Iterator[str]) -> list[Json]:
    """Collections with ids whose order is not theirs."""
    found = []
    for item in items:
        below = {"children": with_ids(item["children"], ids)} if "children" in item else {}
        found.append(item | {"_id": next(ids)} | below)
    return found


@st.composite
def accounts(draw: Any) -> Json:
    chats = [{"chatId": f"k{n}", "title": "T", "top": draw(st.booleans())} for n in range(2)]
    keys = [{"key": f"key-{it}", "member": it, "permission": draw(levels)} for it in "mn"]
    keys[0] |= draw(some([{}, {"app": "a"}]))
    keys = keys if draw(st.booleans()) else []
    rights = {it["key"]: draw(levels) for it in keys if draw(st.booleans())}
    ids = (f"c{n * 7 % 101}" for n in range(100))
    items = with_ids(draw(st.lists(trees, min_size=2, max_size=5)), ids)
    other = {"id": "e", "collections": [{"_id": "other", "name": "Other"}]}
    return {
        "keys": keys,
        "users": [{"username": "root", "password": "1234", "member": "m"}],
        "apps": [{"id": "a", "chats": chats, "permissions": rights}],
        "datasets": [{"id": "d", "collections": items, "permissions": rights}, other],
    }


# The values of fields, as JSON: right ones, and others that are wrong or a matter of choices.
LONG = json.dumps("x" * 256)
LONGER = json.dumps("x" * 257)
NUMBERS = split('0 -1 1.0 1e2 -0.0 1.5 1e400 1e30 30 31 100 101 "10" "x" null true [] ' + "9" * 30)
STRINGS = ['" d"', LONG, LONGER, *split('"" "nope" null 5 {}')]
TITLES = split('"New" "" 5')
T1, T2 = sorted(tag_ids("d", ["t1"]) | tag_ids("d", ["t2"]))
TAG_FILTERS: list[Any] = [[], None, {}, ["t1"], [{}], [{"tagId": "t1", "values": ["a"]}]]
TAG_FILTERS += [[{"tagId": T1, "values": it}] for it in ([], [""], [True], [None], "a", ["a", 3])]
TAG_FILTERS += [[{"tagId": T2, "values": it, "more": 1}] for it in ([3], ["3"], [3.0], ["b", "c"])]
NUMBER_OR_X = {"tagId": T1, "values": [3, "x"]}
TAG_FILTERS += [[NUMBER_OR_X, {"tagId": it, "values": ["a"]}] for it in (T1, T2)]
RIGHT_LIST = {"datasetId": some(['"d"']), "offset": some(split("0 0 0 0 1 2 1.0"))}
RIGHT_LIST_MORE = {"pageSize": some(split("1 2 10 30 3.0"))}
RIGHT_LIST_MORE |= {"parentId": some([*map(json.dumps, PARENTS)])}
RIGHT_LIST_MORE |= {"searchText": some([*map(json.dumps, NEEDLES)])}
RIGHT_LIST_MORE |= {"simple": some(split("false true"))}
WRONG_LIST = {
    "offset": NUMBERS,
    "pageSize": NUMBERS,
    "pageNum": split('1 2 "2" 2.0 0 null true'),
    "datasetId": ['"e"', *STRINGS],
    "parentId": STRINGS,
    "searchText": [*(json.dumps("x" * n) for n in (100, 101, 1024, 1025)), "null", "5"],
    "selectFolder": split('true false null "x"'),
    "filterTags": [*split('[] ["t1"] null "t1" [1]'), json.dumps([*tag_ids("d", ["t1", "ß"])])],
    "tagFilters": [json.dumps(it) for it in TAG_FILTERS],
    "simple": split('true false null "true" 1'),
}
RIGHT_PIN = {"appId": '"a"', "chatId": '"k0" "k1" "new"', "top": "true false"}
WRONG_PIN = {"appId": STRINGS, "chatId": STRINGS, "top": split('null 1 "true"')}
WRONG_PIN |= {"title": TITLES, "customTitle": TITLES}
WRONG_ANY = {"more": ["1", "[" * 63 + "]" * 63, "[" * 64 + "]" * 64]}
BROKEN = (b"", b"{", b"[]", b"null", b'{"a":1,}', b'{"\xff":1}', b'{"offset":NaN}')
BROKEN += (b"{} {}", b"\xef\xbb\xbf{}")
MEDIA = ("application/json", "Application/JSON; charset=utf-8", "text/plain", None)
KEYS = ("Bearer key-m", "Bearer key-n", "Bearer wrong", "Basic x", "Bearer", None)


def mostly(right: Any, *wrong: Any) -> st.SearchStrategy[Any]:
    """The right value in 24 of 25 cases."""
    return st.integers(0, 24).flatmap(lambda it: some(wrong) if it == 7 else st.just(right))


@st.composite
def bodies(draw: Any, is_pin: bool) -> bytes:
    if draw(st.integers(0, 19)) == 7:
        return draw(some(BROKEN))
    right = {name: some(split(it)) for name, it in RIGHT_PIN.items()} if is_pin else RIGHT_LIST
    optional, wrong = ({}, WRONG_PIN) if is_pin else (RIGHT_LIST_MORE, WRONG_LIST)
    pairs = [*draw(st.fixed_dictionaries(right, optional=optional)).items()]
    if draw(st.integers(0, 9)) == 7:
        pairs.pop(draw(st.integers(0, len(pairs) - 1)))
    mistakes = [(name, it) for name, values in (wrong | WRONG_ANY).items() for it in values]
    # A name that is there already is then there twice.
    pairs += draw(st.lists(some(mistakes), max_size=draw(some([0, 0, 1, 2]))))
    content = ("{" + ",".join(f'"{name}":{it}' for name, it in pairs) + "}").encode()
    return content.ljust(draw(some([0] * 99 + [MAX_BODY + 1])))


@st.composite
def requests(draw: Any) -> Request:
    is_pin = draw(st.integers(0, 9)) < 4
    right, legacy = (PIN, LEGACY_PIN) if is_pin else (LIST, LIST)
    path = draw(mostly(right, legacy, f"{LIST}/x", f"{LIST}/"))
    right = "PUT" if path in (PIN, LEGACY_PIN) else "POST"
    method = draw(mostly(right, "GET", "DELETE", "PATCH", *["POST"] * (path == PIN)))
    headers = {"content-type": draw(mostly(*MEDIA)), "authorization": draw(mostly(*KEYS))}
    if draw(st.integers(0, 9)) == 7:
        headers |= {"authorization": None, "token": TOKEN}
    sent = {name: it for name, it in headers.items() if it is not None}
    return Request(method, path, draw(bodies(is_pin)), sent)


sequences = st.lists(requests(), min_size=STEPS, max_size=STEPS)


def differences(client: LocalClient, account: Json, chosen: Json, sent: list[Request]) -> list[Any]:
    """Where the responses, and in the end the chats, are not those of the model."""
    client.admin("PUT", "/state", account)
    token = client.login()
    client.set_choices(**chosen)
    model = Model(deepcopy(account), chosen, {TOKEN: "m"})
    found = []
    for request in sent:
        headers = {name: token if it == TOKEN else it for name, it in request.headers.items()}
        rest = {"headers": headers, "content": request.body}
        response = client.request(request.method, request.path, **rest)
        got = (response.status_code, without_words(response))
        right = model.respond(request)
        if got != right:
            found.append((f"expected {right}, got {got}", request, chosen))
    chats = client.admin("GET", "/apps/a/chats")["chats"]
    names = ("chatId", *CHAT)
    right = [{it: (CHAT | chat)[it] for it in names} for chat in model.account["apps"][0]["chats"]]
    shown = [{it: chat[it] for it in names} for chat in chats]
    return found + [(f"expected chats {right}, got {shown}", sent, chosen)] * (shown != right)


def without_words(response: httpx2.Response) -> Any:
    """The envelope of a response, or its text, without what the model does not know."""
    if "json" not in response.headers.get("content-type", ""):
        return response.text
    envelope = {name: response.json()[name] for name in ("code", "statusText", "data")}
    for item in (envelope["data"] or {}).get("list", ()):
        for name in ("roleList", "perList", "rolePerMap"):
            item["permission"].pop(name, None)
    return envelope


@settings(lenient, max_examples=examples(20))
@given(accounts(), choices, sequences)
def test_responses_are_those_of_the_model(local, account, chosen, sent):
    assert not differences(local, account, chosen, sent)

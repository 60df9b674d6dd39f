"""Sandboxes, and what the admin API sets in each: state, snapshots, clock, choices."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
import yaml
from account import ACCOUNT, COMPLETIONS, Client, content_of, mentions, wait_until

from mock_server import create_app

JSON = "application/json"
YAML = "application/yaml"
MIB = 1024 * 1024
CHAT = "/apps/app/chats/c1"
DATA = "/api/core/dataset/data"


def test_the_keys_of_a_sandbox_have_the_permissions_of_the_declared_ones(client):
    keys = client.admin("POST", "/sandboxes", {"name": "one"})["keys"]
    assert keys.keys() == {"owner", "manage", "write", "read", "none"}
    assert [client.pin(key=keys[it]).status_code for it in ("read", "none")] == [200, 403]
    pins = {"operation": "updateHistory", "key": "read", "exactly": 1}
    assert client.admin("POST", "/sandboxes/one/journal/verify", pins)["ok"]


def test_a_verify_that_fails_tells_of_calls_with_other_keys(client):
    client.admin("POST", "/sandboxes", {"name": "one"})
    pins = {"operation": "updateHistory"}

    def message(sandbox: str) -> str:
        return str(
            client.admin("POST", f"/sandboxes/{sandbox}/journal/verify", pins, 409)["message"]
        )

    assert "\n" not in message("one")
    client.page()
    facts = "1 call sandbox 'default'"
    assert mentions(message("one"), facts) and not mentions(message("default"), facts)


def test_a_verify_of_a_sandbox_without_calls_names_those_that_have_some(client):
    keys = [client.admin("POST", "/sandboxes", {"name": it})["key"] for it in ("one", "two")]
    client.page(key=keys[0])
    for path in ("", "/sandboxes/two"):
        message = client.admin("POST", f"{path}/journal/verify", {"exactly": 3}, 409)["message"]
        assert mentions(message, "1 call sandbox 'one'")
    client.page(key=keys[1])
    message = client.admin("POST", f"{path}/journal/verify", {"exactly": 3}, 409)["message"]
    assert "\n" not in message


def test_a_restore_brings_back_the_keys_of_its_moment(client):
    keys = client.admin("POST", "/sandboxes", {"name": "one"})["keys"]
    client.admin("PUT", "/sandboxes/one/snapshots/before")
    client.admin("PUT", "/sandboxes/one/state", {"keys": [{"key": "other"}]})
    assert client.page(key=keys["owner"]).status_code == 401
    client.admin("POST", "/sandboxes/one/snapshots/before/restore")
    assert client.pin(key=keys["owner"]).status_code == 200
    assert client.admin("GET", "/sandboxes/one")["keys"] == keys


def test_a_sandbox_begins_with_the_baseline_and_what_it_says(client):
    client.pin()
    client.admin("POST", "/sandboxes", {"name": "one"})
    assert not client.admin("GET", f"/sandboxes/one{CHAT}")["top"]
    body = {"name": "two", "profile": "fastgpt-4.16", "state": {"datasets": [{"id": "own"}]}}
    client.admin("POST", "/sandboxes", body)
    datasets = client.admin("GET", "/sandboxes/two/datasets")["datasets"]
    assert [it["id"] for it in datasets] == ["own"]
    assert client.admin("GET", "/sandboxes/two/choices")["profile"] == "fastgpt-4.16"


def test_names_of_sandboxes_are_taken_once(client):
    name = "a.b_C-1" + "x" * 57
    client.admin("POST", "/sandboxes", {"name": name}, 201)
    client.admin("POST", "/sandboxes", {"name": name}, 409)
    client.admin("POST", "/sandboxes", {"name": name + "x"}, 400)
    client.admin("POST", "/sandboxes", {"name": "default"}, 409)
    client.admin("DELETE", f"/sandboxes/{name}")
    client.admin("POST", "/sandboxes", {"name": name}, 201)


def test_a_sandbox_that_is_gone_or_idle_is_unknown(client):
    key = client.admin("POST", "/sandboxes", {"name": "one"})["key"]
    client.admin("DELETE", "/sandboxes/one")
    assert client.pin(key=key).status_code == 401
    key = client.admin("POST", "/sandboxes", {"name": "two", "ttl": 0.0001})["key"]
    wait_until(lambda: client.pin(key=key).status_code == 401)
    names = [it["name"] for it in client.admin("GET", "/sandboxes")["sandboxes"]]
    assert names == ["default"]


@pytest.mark.parametrize("media", [JSON, YAML])
def test_the_state_that_was_read_can_be_put(client, media):
    def state() -> httpx2.Response:
        return client.request("GET", "/__admin/state", headers={"Accept": media})

    client.pin()
    client.admin("PUT", "/datasets/d/collections/new", {"name": "1e3", "parentId": "folder"})
    client.admin("POST", "/clock/advance", {"seconds": 90})
    rows = {"collectionId": "in-a", "data": [{"q": "How?", "a": "So."}]}
    client.fetch("/api/core/dataset/data/pushData", rows)
    before = state()
    headers = {"Content-Type": media}
    assert before.headers["content-type"].startswith(media)
    put = client.request("PUT", "/__admin/state", content=before.content, headers=headers)
    assert put.status_code == 200
    assert yaml.safe_load(state().text) == yaml.safe_load(before.text)


NEW_TEXT = "/api/core/dataset/collection/create/text"
FORM = {"interactive": {"type": "userInput", "params": {"inputForm": [{"key": "x"}]}}}
NODE = {"node": "A", "fields": {"x": "{{body.metadata.x}}"}}
ROW = {"collectionId": "in-a", "q": "How?"}
TALK = {"appId": "app", "chatId": "k"}
ASKED = TALK | {"messages": [{"role": "user", "content": "x"}]}
KEPT: list[tuple[str, Any]] = [
    (f"{DATA}/insertData", ROW | {"metadata": "VALUE"}),
    (f"{DATA}/pushData", {"collectionId": "in-a", "data": [{"q": "Q", "metadata": "VALUE"}]}),
    ("/api/core/app/create", {"name": "N", "type": "simple", "chatConfig": "VALUE"}),
    (NEW_TEXT, {"datasetId": "d", "name": "n", "text": "t", "metadata": "VALUE"}),
    (COMPLETIONS, ASKED | {"variables": "VALUE"}),
    (COMPLETIONS, ASKED | {"metadata": "VALUE"}),
    (COMPLETIONS, TALK | {"messages": [{"role": "user", "content": "VALUE AS TEXT"}]}),
    ("/__admin/rules", {"kind": "reply", "parts": [{"node": "A", "fields": "VALUE"}]}),
]
"""Paths, and bodies in which a value takes the place of VALUE."""


def nested(levels: int) -> dict[str, Any]:
    return {"x": json.loads("[" * (levels - 1) + "]" * (levels - 1))}


@pytest.mark.parametrize("levels, is_kept", [(48, True), (49, False), (600, False)])
@pytest.mark.parametrize("path, body", KEPT)
def test_what_is_kept_can_be_put_back(client, path, body, levels, is_kept):
    client.complete_with(FORM)
    client.control.reply(parts=[NODE])
    value = json.dumps(nested(levels))
    text = json.dumps(body).replace('"VALUE"', value)
    response = client.fetch(path, text.replace('"VALUE AS TEXT"', json.dumps(value)).encode())
    assert response.is_success is is_kept, response.text
    assert is_kept or (response.status_code == 400 and "levels" in response.json()["message"])
    for path in ("/apps/app", "/datasets/d", "/state"):
        client.admin("PUT", path, client.admin("GET", path))


@pytest.mark.parametrize("levels, status", [(59, 201), (60, 400)])
def test_what_a_test_puts_can_be_put_back(client, levels, status):
    client.admin("PUT", "/apps/app/chats/new", {"variables": nested(levels)}, status)
    client.admin("PUT", "/state", client.admin("GET", "/state"))


def test_a_put_state_is_the_baseline_and_resets(client):
    client.admin("POST", "/rules", {"kind": "error"})
    generation = client.admin("GET", "/health")["generation"]
    client.admin("PUT", "/state", ACCOUNT | {"datasets": []})
    assert client.admin("GET", "/health")["generation"] == generation + 1
    assert client.control.rules == []
    client.admin("PUT", "/datasets/own", {"name": "Own"})
    client.admin("POST", "/reset")
    assert client.admin("GET", "/datasets") == {"datasets": []}


@pytest.mark.parametrize("method, path", [("PUT", "/state"), ("POST", "/sandboxes")])
@pytest.mark.parametrize("size, is_taken", [(2 * MIB, True), (32 * MIB + 1, False)])
def test_a_state_has_at_most_32_mib(client, method, path, size, is_taken):
    state = json.dumps(ACCOUNT if path == "/state" else {"state": ACCOUNT}).encode()
    headers = {"Content-Type": JSON}
    response = client.request(method, f"/__admin{path}", content=state.ljust(size), headers=headers)
    assert response.is_success if is_taken else response.status_code == 413


def test_a_state_for_a_sandbox_that_is_deleted_meanwhile_is_404():
    async def overtaken() -> list[httpx2.Response]:
        transport = httpx2.ASGITransport(app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
            await http.post("/__admin/sandboxes", json={"name": "one"})
            put = http.put("/__admin/sandboxes/one/state", json=ACCOUNT)
            return await asyncio.gather(put, http.delete("/__admin/sandboxes/one"))

    app = create_app(ACCOUNT)
    put, deleted = asyncio.run(overtaken())
    assert (put.status_code, deleted.status_code) == (404, 200)
    assert "fastgpt-sbx-" not in put.text


def test_the_clock_stands_still_moves_and_runs(client):
    assert client.admin("GET", "/clock") == {"now": "2026-01-01T00:00:00.000Z", "frozen": True}
    now = client.admin("POST", "/clock/advance", {"seconds": 1.5})["now"]
    assert now == "2026-01-01T00:00:01.500Z"
    view = client.admin("PUT", "/clock", {"now": "2030-05-01T02:00:00+02:00"})
    assert view == {"now": "2030-05-01T00:00:00.000Z", "frozen": True}
    view = client.admin("PUT", "/clock", {"frozen": False})
    assert not view["frozen"] and view["now"].startswith("2030-05-01T00:00:0")
    assert client.admin("POST", "/clock/advance", {"seconds": 60})["now"] > "2030-05-01T00:01"


END = "9999-12-31T23:59:59.999Z"


@pytest.mark.parametrize("is_frozen", [True, False])
def test_the_clock_stands_still_at_the_end_of_9999(client, is_frozen):
    late = {"now": "9999-12-31T23:59:59.998Z", "frozen": is_frozen}
    client.admin("PUT", "/clock", late)
    for seconds in (1, 1e11):
        view = client.admin("POST", "/clock/advance", {"seconds": seconds})
        assert view == {"now": END, "frozen": is_frozen}
    assert client.pin().status_code == 200
    assert client.admin("GET", "/journal")["entries"][0]["time"] == END
    assert client.admin("GET", CHAT)["updateTime"] == END


# Declared rules

DECLARED = {"apps": [{"id": "a", "replies": ["Old."]}]}
DECLARED |= {"faults": [{"kind": "error", "operation": "updateHistory"}]}
DECLARED |= {"answers": [{"method": "GET", "path": "/api/any", "text": "Any"}]}


@pytest.fixture
def declaring(serve) -> Iterator[Client]:
    with Client(serve(DECLARED)) as client:
        yield client


def replies_in(client: Client) -> list[Any]:
    """The replies of each app in the state."""
    return [[it["text"] for it in app["replies"]] for app in client.admin("GET", "/state")["apps"]]


def test_the_state_has_the_declared_rules_that_are_in_force(declaring):
    declaring.admin("PUT", "/apps/a", {"replies": ["New."]})
    assert replies_in(declaring) == [["New."]]
    assert declaring.admin("DELETE", "/rules/d1")["declared"] is True
    state = declaring.admin("GET", "/state")
    assert (state["faults"], len(state["answers"])) == ([], 1)
    declaring.admin("DELETE", "/rules")
    assert declaring.admin("GET", "/state")["answers"] == []
    declaring.admin("POST", "/reset")
    assert replies_in(declaring) == [["Old."]]


@pytest.mark.parametrize("method, path", [("PUT", "/apps/a"), ("DELETE", "/apps/a")])
def test_a_restore_brings_back_the_replies_of_an_app(declaring, method, path):
    declaring.admin("PUT", "/snapshots/s")
    declaring.admin(method, path, {"replies": ["New."]})
    declaring.admin("POST", "/snapshots/s/restore")
    assert replies_in(declaring) == [["Old."]]
    assert content_of(declaring.complete(appId="a")) == "Old."


def test_a_declared_fault_that_is_over_is_still_declared(declaring):
    declaring.admin("PUT", "/snapshots/s")
    assert declaring.statuses(2) == [503, 404]
    (over,) = [it for it in declaring.admin("GET", "/rules")["rules"] if it["id"] == "d1"]
    assert over.items() >= {"declared": True, "fired": 1, "remaining": 0}.items()
    assert len(declaring.admin("GET", "/state")["faults"]) == 1
    declaring.admin("POST", "/snapshots/s/restore")
    assert declaring.admin("GET", "/rules/d1")["fired"] == 0
    assert declaring.statuses(1) == [503]

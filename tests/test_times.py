"""Which writes change the times of a collection and of a chat, and to which, as in FastGPT 4.16."""

from typing import Any

import pytest
from account import CHAT, COMPLETIONS, PIN

pytestmark = pytest.mark.served(profile="fastgpt-4.16", choices={"training": "instant"})

CHANGE = "PUT /api/core/dataset/collection/update"
DATA = "/api/core/dataset/data"
CORE = "/api/core/chat"
ASKED = CHAT | {"messages": [{"role": "user", "content": "x"}]}
# A write, and whether it changes the updateTime. No write changes the createTime.
WRITES: list[tuple[str, dict[str, Any], bool]] = [
    (CHANGE, {"id": "ID", "name": "New"}, True),
    (CHANGE, {"id": "ID", "tags": ["t"], "forbid": True, "parentId": None}, False),
    (f"POST {DATA}/insertData", {"collectionId": "ID", "q": "Q"}, True),
    (f"POST {DATA}/pushData", {"collectionId": "ID", "data": [{"q": "Q"}]}, True),
    (f"PUT {DATA}/update", {"dataId": "ROW", "q": "New"}, True),
    (f"DELETE {DATA}/delete?id=ROW", {}, True),
]
WRITES_OF_CHATS: list[tuple[str, dict[str, Any], bool]] = [
    (f"PUT {PIN}", CHAT | {"top": True}, True),
    (f"PUT {PIN}", CHAT | {"customTitle": "T"}, True),
    (f"POST {CORE}/history/markRead", CHAT, True),
    (f"POST {COMPLETIONS}", ASKED, True),
    (f"GET {CORE}/init?appId=app&chatId=k", {}, False),
    (f"DELETE {CORE}/record/delete", CHAT | {"contentId": "i"}, False),
    (f"POST {CORE}/feedback/updateUserFeedback", CHAT | {"dataId": "i"}, False),
]


@pytest.mark.parametrize("is_new", [True, False])
@pytest.mark.parametrize(("route", "body", "is_change"), WRITES)
def test_which_writes_change_the_time_of_a_collection(client, is_new, route, body, is_change):
    new = {"datasetId": "notes", "name": "N", "type": "virtual"}
    id = client.data("POST", "/dataset/collection/create", new) if is_new else "x"
    row = client.data("POST", "/dataset/data/insertData", {"collectionId": id, "q": "Old"})
    before = client.collection(id)
    client.control.clock.advance(1)
    sent = {name: {"ID": id, "ROW": row}.get(str(it), it) for name, it in body.items()}
    assert client.request(*route.replace("ROW", row).split(), json=sent).json()["code"] == 200
    shown = client.item(id, datasetId="notes")
    assert (shown["updateTime"] > before["updateTime"]) == is_change
    assert shown["createTime"] == before["createTime"] == client.collection(id)["createTime"]


@pytest.mark.parametrize(("route", "body", "is_change"), WRITES_OF_CHATS)
def test_which_writes_change_the_time_of_a_chat(client, route, body, is_change):
    client.complete(chatId="k", responseChatItemId="i")
    before = client.control.chat("app", "k")
    client.control.clock.advance(1)
    assert client.request(*route.split(), json=body).status_code == 200
    chat = client.control.chat("app", "k")
    assert (chat.update_time > before.update_time) == is_change
    assert chat.create_time == before.create_time


def made(client: Any, count: int) -> list[str]:
    """The times of collections that are made one after another."""
    new = {"datasetId": "notes", "name": "N", "type": "virtual"}
    ids = [client.data("POST", "/dataset/collection/create", new) for _ in range(count)]
    return [client.collection(id)["updateTime"] for id in ids]


def test_each_write_is_later_than_the_one_before_while_the_clock_runs(client):
    client.control.clock.freeze("2030-01-01T00:00:00Z")
    assert {*made(client, 3)} == {"2030-01-01T00:00:00.000Z"}
    client.control.clock.run()
    times = made(client, 50)
    client.control.clock.freeze()
    times += made(client, 1)
    assert times == sorted(times) and len({*times}) >= 50 and times[0] > "2030-01-01T00:00:00.000Z"
    client.control.clock.freeze("2020-01-01T00:00:00Z")
    client.control.clock.run()
    assert made(client, 1)[0][:4] == "2020"

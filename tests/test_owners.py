"""Whose chats, apps and members a key reaches."""

from typing import Any

import pytest
from account import Client, events

OTHERS = {"appId": "app", "chatId": "others"}
QUERY = "appId=app&chatId=others"
NAME_APP = "6593e137231a2be9c5603ba7"
RECORDS = [{"obj": "AI", "dataId": "i", "text": "Hello"}]
CHATS = [{"chatId": "others", "title": "Others", "tmbId": "they", "records": RECORDS}]
CHATS += [{"chatId": "mine", "tmbId": "me"}, {"chatId": "free"}]
ACCOUNT: dict[str, Any] = {
    "keys": [
        {"key": "reader", "member": "me", "permission": "read"},
        {"key": "manager", "member": "boss", "permission": "manage"},
        {"key": "named", "member": "me", "permission": "read", "app": "app"},
        {"key": "proxy", "member": "boss", "authProxy": True, "app": "app"},
    ],
    "users": [{"username": "ann", "password": "1", "member": "me"}],
    "apps": [{"id": "app", "chats": CHATS}, {"id": NAME_APP, "replies": ["By name."]}],
}
pytestmark = pytest.mark.served(fixture=ACCOUNT, profile="fastgpt-4.16")


def ask(client: Client, key: str, **fields: Any) -> Any:
    """The body of the response to a question, which names no app unless it is given."""
    return client.talk("Hi", key=key, **{"appId": None} | fields).json()


CALLS: list[tuple[str, str, Any]] = [
    ("PUT", "/chat/history/updateHistory", {**OTHERS, "top": True}),
    ("GET", f"/chat/init?{QUERY}", None),
    ("POST", "/chat/record/getPaginationRecords", OTHERS),
    ("GET", f"/chat/record/getResData?{QUERY}&dataId=i", None),
    ("POST", "/chat/feedback/updateUserFeedback", {**OTHERS, "dataId": "i"}),
    ("POST", "/ai/agent/v2/createQuestionGuide", OTHERS),
    ("DELETE", f"/chat/record/delete?{QUERY}&contentId=i", None),
    ("DELETE", f"/chat/history/delHistory?{QUERY}", None),
]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_a_chat_of_another_member(client, method, path, body):
    assert client.code(method, path, body, key="reader") == 504000
    assert client.code(method, path, body, key="manager") == 200
    client.control.choices["chat_owner"] = "any"
    client.control.put_app(ACCOUNT["apps"][0])
    assert client.code(method, path, body, key="reader") == 200


def test_a_question_in_a_chat_of_another_member(client):
    assert ask(client, "reader", **OTHERS)["code"] == 504000
    assert ask(client, "manager", **OTHERS)["id"] == "others"
    assert client.control.chat("app", "others").tmb_id == "boss"
    assert ask(client, "reader", appId="app", chatId="free")["id"] == "free"
    assert client.control.chat("app", "free").tmb_id is None
    assert ask(client, "reader", appId="app", chatId="new")["id"] == "new"
    assert client.control.chat("app", "new").tmb_id == "me"


def test_lists_and_deletions_are_of_own_chats(client):
    def listed(key: str) -> set[str]:
        page = client.data("POST", "/chat/getHistories", {"appId": "app"}, key=key)
        return {it["chatId"] for it in page["list"]}

    assert (listed("reader"), listed("manager")) == ({"mine", "free"}, {"free"})
    client.data("PUT", "/chat/history/updateHistory", CALLS[0][2], key="manager")
    client.data("DELETE", f"/chat/history/delHistory?{QUERY}", key="manager")
    others = client.control.chat("app", "others")
    assert (others.top, others.deleted) == (False, False)


def test_which_app_a_completion_means(client):
    assert ask(client, "reader")["code"] == 500
    assert ask(client, "reader", appId="")["code"] == 400
    assert ask(client, "named")["choices"][0]["message"]["content"] == "Hi"
    for key, fields in ((f"named-{NAME_APP}", {}), ("named", {"appId": NAME_APP})):
        message = ask(client, key, **fields)["choices"][0]["message"]
        assert message["content"] == "By name."
    client.control.choices["app_missing"] = "first"
    assert ask(client, "reader")["choices"][0]["message"]["content"] == "Hi"
    assert ask(client, "reader", appId="")["code"] == 400


@pytest.mark.parametrize("proxy", [{"username": "ann"}, {"username": " ann ", "tmbId": "me"}])
def test_a_key_acts_as_a_user(client, proxy):
    asked = {"chatId": "as-ann", "authProxy": proxy}
    assert ask(client, "proxy", **asked)["id"] == "as-ann"
    chat = client.control.chat("app", "as-ann")
    assert (chat.tmb_id, chat.source) == ("me", "api")
    # The user may read the app, and no chat of others.
    assert ask(client, "proxy", **asked | {"chatId": "others"})["code"] == 504000
    assert ask(client, "manager", appId="app", **asked)["code"] == 504000


UNKNOWN = [{"username": "bob"}, {"username": "ann", "tmbId": "they"}]


@pytest.mark.parametrize("proxy", [{}, {"username": " "}, UNKNOWN[0] | {"x": 1}, "ann", *UNKNOWN])
def test_a_proxy_that_is_refused(client, proxy):
    code = 504000 if proxy in UNKNOWN else 400
    assert ask(client, "proxy", appId="app", authProxy=proxy)["code"] == code
    streamed = client.talk("Hi", key="proxy", authProxy=proxy, stream=True)
    shown = streamed.json() if code == 400 else events(streamed)[0][1]
    assert shown["code"] == code


OF_THE_KEY: list[tuple[str, str, Any]] = [
    ("POST", "/chat/history/getHistories", {"offset": 0, "pageSize": 9}),
    ("GET", "/chat/init?chatId=mine", None),
    ("POST", "/chat/record/getPaginationRecords", {"chatId": "mine"}),
    ("GET", "/chat/record/getResData?chatId=mine&dataId=i", None),
    ("DELETE", "/chat/history/delHistory?chatId=mine", None),
    ("DELETE", "/chat/history/clearHistories", None),
]


@pytest.mark.parametrize(("method", "path", "body"), OF_THE_KEY)
def test_a_key_of_an_app_may_leave_out_its_id_without_a_share_link(client, method, path, body):
    assert client.code(method, path, body, key="named") == 200
    assert client.code(method, path, body, key="reader") in (400, 504000)
    # Who sends a share link names the app as well.
    if body is None:
        path += f"{'&' if '?' in path else '?'}outLinkAuthData=%7B%7D"
    else:
        body = body | {"outLinkAuthData": "{}"}
    assert client.code(method, path, body, key="named") in (400, 504000)


def test_a_pin_needs_the_app_under_every_key(client):
    body = {"chatId": "mine", "top": True}
    assert client.code("PUT", "/chat/history/updateHistory", body, key="named") == 400


def test_an_app_that_is_sent_goes_before_that_of_the_key(client):
    body = {"appId": NAME_APP, "offset": 0, "pageSize": 9}
    data = client.data("POST", "/chat/history/getHistories", body, key="named")
    assert data["total"] == 0


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aWNvbg=="}}


def test_the_custom_uid_of_the_latest_question_with_one_is_kept(client):
    for uid in ("ann", "bob", None):
        client.talk([IMAGE], key="named", chatId="k", customUid=uid)
    assert client.control.chat("app", "k").custom_uid == "bob"
    records = client.control.chat("app", "k").records[::2]
    keys = [part.file.key.split("/")[2] for record in records for part in record.parts]
    assert keys == ["ann", "bob", "me"]
    assert ask(client, "named", customUid="x" * 1025)["code"] == 400

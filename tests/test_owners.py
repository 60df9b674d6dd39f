"""Whose chats, apps and members a key reaches."""

from typing import Any

import pytest
from account import Client

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
        {"key": "weak", "member": "we", "permission": "none", "app": "app"},
    ],
    "users": [{"username": "ann", "password": "1", "member": "me"}],
    "apps": [{"id": "app", "chats": CHATS}, {"id": NAME_APP, "replies": ["By name."]}],
}
pytestmark = pytest.mark.served(fixture=ACCOUNT, profile="fastgpt-4.16")


def ask(client: Client, key: str, **fields: Any) -> Any:
    """The body of the response to a question, which names no app unless it is given."""
    return client.complete("Hi", key=key, **{"appId": None} | fields).json()


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


WITHOUT_APP: list[tuple[int, str, str, Any]] = [
    (504000, "POST", "/chat/history/getHistories", {"offset": 0, "pageSize": 9}),
    (504000, "DELETE", "/chat/history/delHistory?chatId=mine", None),
    (400, "DELETE", "/chat/history/clearHistories", None),
    (400, "POST", "/chat/history/markRead", {"chatId": "mine"}),
    (400, "PUT", "/chat/history/updateHistory", {"chatId": "mine", "top": True}),
    (400, "GET", "/chat/init?chatId=mine", None),
    (400, "POST", "/chat/record/getPaginationRecords", {"chatId": "mine"}),
    (400, "GET", "/chat/record/getResData?chatId=mine&dataId=i", None),
    (400, "POST", "/chat/feedback/updateUserFeedback", {"chatId": "others", "dataId": "i"}),
    (400, "POST", "/ai/agent/v2/createQuestionGuide", {"chatId": "mine"}),
]


@pytest.mark.parametrize(("code", "method", "path", "body"), WITHOUT_APP)
def test_only_a_bound_key_names_an_app_beside_completions(client, code, method, path, body):
    for key, is_hinted in (("weak", True), (f"reader-{NAME_APP}", False), ("reader", False)):
        refusal = client.core(method, path, body, key=key).json()
        assert refusal["code"] == code
        assert ("key_app=bound" in refusal["message"]) == is_hinted
    client.control.choices["key_app"] = "bound"
    assert client.code(method, path, body, key="weak") == 200
    assert client.code(method, path, body, key="reader") == code


def test_a_bound_key_has_its_app_whatever_is_sent(client):
    client.control.choices["key_app"] = "bound"
    app = ACCOUNT["apps"][0] | {"permissions": {"weak": "none"}}
    client.control.put_app(app | {"chats": [*CHATS, {"chatId": "web", "source": "online"}]})
    for key, app_id in (("weak", None), ("weak", NAME_APP), (f"weak-{NAME_APP}", None)):
        reply = ask(client, key, appId=app_id, chatId="new")
        assert reply["choices"][0]["message"]["content"] == "Hi"
        sent = {"offset": 0, "pageSize": 9} | ({"appId": app_id} if app_id else {})
        listed = client.data("POST", "/chat/getHistories", sent, key=key)["list"]
        assert {(it["appId"], it["chatId"]) for it in listed} == {
            ("app", it) for it in ("new", "others", "mine", "free")
        }
    chat = client.control.chat("app", "new")
    assert (chat.source, chat.tmb_id) == ("api", "we")


OF_NO_CHAT = [("POST", "/dataset/collection/listV2", {"offset": 0, "datasetId": "d"})]
OF_NO_CHAT += [("POST", "/dataset/list", {}), ("POST", "/app/list", {})]


@pytest.mark.parametrize(("method", "path", "body"), OF_NO_CHAT)
def test_a_bound_key_reaches_no_datasets(client, method, path, body):
    assert client.code(method, path, body, key="named") != 403
    client.control.choices["key_app"] = "bound"
    assert client.code(method, path, body, key="named") == 403
    assert "key_app=bound" in client.control.journal[-1]["hint"]


@pytest.mark.parametrize("profile", ["documented", "fastgpt-4.16", "fastgpt-4.17"])
def test_a_pin_without_app_is_a_violation_that_a_bound_key_may_make(serve, profile):
    with Client(serve(ACCOUNT, profile=profile, choices={"key_app": "bound"})) as client:
        body = {"chatId": "mine", "top": True}
        found = []
        for more in ({}, {"appId": NAME_APP}, {"appId": ""}, {"appId": None}):
            code = client.code("PUT", "/chat/history/updateHistory", body | more, key="named")
            call = client.control.journal[-1]
            found.append((code, [it["name"] for it in call["violations"]]))
        wrong = (400, ["invalid_field"])
        assert found == [(200, ["key_app"]), (200, []), wrong, wrong]
        assert client.control.chat("app", "mine").top


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aWNvbg=="}}


def test_the_custom_uid_of_the_latest_question_with_one_is_kept(client):
    for uid in ("ann", "bob", None):
        client.complete([IMAGE], key="named", chatId="k", customUid=uid)
    assert client.control.chat("app", "k").custom_uid == "bob"
    records = client.control.chat("app", "k").records[::2]
    keys = [part.file.key.split("/")[3] for record in records for part in record.parts]
    assert keys == ["ann", "bob", "me"]
    assert ask(client, "named", customUid="x" * 1025)["code"] == 400

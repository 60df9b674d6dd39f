"""Pinning chat sessions (spec 3, 4.1)."""

from __future__ import annotations

import pytest

from tests.conftest import MakeApi
from tests.support import Api


def test_success_is_the_documented_envelope(api: Api) -> None:
    response = api.pin()
    assert response.status_code == 200
    assert response.content == (
        b'{"code":200,"statusText":"","message":"","data":null}'
    )


@pytest.mark.parametrize("states", [[True], [True, True], [True, False], [False]])
def test_the_last_pin_state_counts(api: Api, states: list[bool]) -> None:
    for top in states:
        assert api.pin(top=top).status_code == 200
    assert api.top() is states[-1]


def test_initial_pin_state_is_the_fixtures(api: Api) -> None:
    assert (api.top("chat-1"), api.top("chat-2")) == (False, True)


def test_other_chats_keep_their_state(api: Api) -> None:
    api.pin(top=True)
    assert api.top("other", "app-2") is False
    assert api.pin(chatId="chat-2", top=False).status_code == 200
    assert (api.top("chat-1"), api.top("chat-2")) == (True, False)


def test_a_pin_sets_the_update_time(api: Api) -> None:
    api.pin()
    chat = api.sandbox.chat("app-1", "chat-1")
    assert chat is not None
    assert chat.update_time == api.sandbox.clock.now()


def test_unknown_app_is_an_error_whatever_the_choice(make_api: MakeApi) -> None:
    for unknown in ("not_found", "create", "ignore"):
        response = make_api(choices={"chat_unknown": unknown}).pin(appId="nope")
        assert response.status_code == 404
        assert response.json()["statusText"] == "appNotFound"


def test_a_chat_of_another_app_is_unknown(api: Api) -> None:
    response = api.pin(chatId="other")
    assert response.json() == {
        "code": 404,
        "statusText": "chatNotFound",
        "message": 'Expected a chat session of app "app-1", '
        'got the string "other" - at $.chatId '
        "(served with the choice chat_unknown=create or chat_unknown=ignore)",
        "data": None,
    }


def test_two_servers_share_no_state(make_api: MakeApi) -> None:
    first = make_api()
    first.pin()
    assert (first.top(), make_api().top()) == (True, False)


@pytest.mark.direct
def test_a_long_unicode_id_is_compared_as_it_is_sent(make_api: MakeApi) -> None:
    name = "é\u0301😀 \x00/%2e" * 25
    api = make_api({"apps": [{"id": "app-1", "chats": [{"chatId": name}]}]})
    assert api.pin(chatId=name).status_code == 200
    assert api.pin(chatId=name + " ").status_code == 404
    assert api.top(name) is True

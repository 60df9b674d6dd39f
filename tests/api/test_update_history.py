"""Pinning chat sessions (spec 3, 4.1)."""

from __future__ import annotations

import pytest

from tests.conftest import MakeApi
from tests.support import Api


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

"""Pinning chat sessions (spec 3, 4.1)."""

from __future__ import annotations

import pytest

from tests.conftest import MakeApi


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

"""Applications and their chat sessions (spec 2.1)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from mock_server.domain.access import Permissions
from mock_server.domain.times import DEFAULT_TIME


class Chat(Struct, frozen=True, gc=False):
    """A chat session. `top` is its pin state; `update_time` is in milliseconds."""

    app_id: str
    chat_id: str
    title: str = ""
    custom_title: str = ""
    top: bool = False
    update_time: int = DEFAULT_TIME


class App(Struct, frozen=True):
    """An application and the chat sessions that the fixture gives it, by chat id."""

    id: str
    name: str = ""
    permissions: Permissions = field(default_factory=dict)
    chats: Mapping[str, Chat] = field(default_factory=dict)

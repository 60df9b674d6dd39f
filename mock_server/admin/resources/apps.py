"""Applications and their chat sessions, one by one."""

from __future__ import annotations

from itertools import islice

from mock_server.admin.framework import AdminRoute, Call, created
from mock_server.admin.resources.records import PageQuery, app_of, own_id, refuse
from mock_server.api.response import Response
from mock_server.domain.errors import (
    AppNotFound,
    ChatNotFound,
    LimitReached,
    describe_value,
)
from mock_server.domain.limits import LIMITS
from mock_server.domain.records import Chat
from mock_server.fixture.document import ChatPart
from mock_server.fixture.dump import chat_part
from mock_server.fixture.parts import chat_of
from mock_server.views import View


class AppView(View):
    """An application, and how many chat sessions it has now."""

    id: str
    name: str
    chats: int


class AppsView(View):
    """All applications."""

    apps: list[AppView]


class ChatsView(View):
    """A part of an application's chat sessions, and how many there are."""

    chats: list[ChatPart]
    total: int


def get_apps(call: Call) -> AppsView:
    """`GET apps`."""
    store = call.sandbox.store
    return AppsView(
        [
            AppView(app.id, app.name, store.count_chats(app))
            for app in store.generation.apps.values()
        ]
    )


def get_chats(call: Call) -> dict[str, object]:
    """`GET apps/{appId}/chats`."""
    store, app, query = call.sandbox.store, app_of(call), call.query
    page = islice(store.chats(app), query.offset, query.offset + query.limit)
    return {"chats": list(map(chat_part, page)), "total": store.count_chats(app)}


def get_chat(call: Call) -> dict[str, object]:
    """`GET apps/{appId}/chats/{chatId}`."""
    return chat_part(_chat(call))


def put_chat(call: Call) -> dict[str, object] | Response:
    """`PUT apps/{appId}/chats/{chatId}`: create it, or replace it altogether."""
    store, app, part = call.sandbox.store, app_of(call), call.body
    chat_id = own_id(part.chat_id, call.path["chatId"], "$.chatId")
    chat = chat_of(part, app.id, chat_id, refuse)
    is_new = store.chat(app, chat_id) is None
    if is_new and store.created_chats >= LIMITS.created_chats:
        expected = f"at most {LIMITS.created_chats} created chats"
        raise LimitReached(expected, "one more", "path")
    store.put_chat(app, chat)
    return created(chat_part(chat)) if is_new else chat_part(chat)


def delete_chat(call: Call) -> dict[str, object]:
    """`DELETE apps/{appId}/chats/{chatId}`; the answer is what there was."""
    chat = _chat(call)
    call.sandbox.store.remove_chat(app_of(call), chat.chat_id)
    return chat_part(chat)


def _chat(call: Call) -> Chat:
    chat = call.sandbox.store.chat(app_of(call), call.path["chatId"])
    if chat is None:
        raise ChatNotFound(
            "a chat of the app", describe_value(call.path["chatId"]), "path"
        )
    return chat


_CHATS, _CHAT = "/apps/{appId}/chats", "/apps/{appId}/chats/{chatId}"
_UNKNOWN = (AppNotFound, ChatNotFound)
ROUTES = (
    AdminRoute("GET", "/apps", get_apps, AppsView, "All applications"),
    AdminRoute(
        "GET",
        _CHATS,
        get_chats,
        ChatsView,
        "An application's chat sessions",
        query=PageQuery,
        errors=(AppNotFound,),
    ),
    AdminRoute("GET", _CHAT, get_chat, ChatPart, "A chat session", errors=_UNKNOWN),
    AdminRoute(
        "PUT",
        _CHAT,
        put_chat,
        ChatPart,
        "Create or replace a chat session",
        body=ChatPart,
        further={201: ChatPart},
        errors=(AppNotFound, LimitReached),
    ),
    AdminRoute(
        "DELETE", _CHAT, delete_chat, ChatPart, "Remove a chat session", errors=_UNKNOWN
    ),
)

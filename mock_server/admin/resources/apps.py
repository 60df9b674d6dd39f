"""Applications and their chat sessions, one by one."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, NoReturn

from msgspec import Meta, convert

from mock_server.admin.framework import AdminRoute, Call, Created, PageQuery
from mock_server.domain import errors
from mock_server.domain.haystack import fold
from mock_server.domain.limits import Limits
from mock_server.domain.records import App, Chat
from mock_server.fixture.document import ChatPart
from mock_server.fixture.dump import chat_part
from mock_server.fixture.parts import DOTS, chat_of
from mock_server.validation.walk import Path, dotted
from mock_server.views import View


class ChatsQuery(PageQuery):
    """Of all chat sessions, or of those one of whose titles contains a text."""

    name: Annotated[str, Meta(max_length=Limits.search_chars)] = ""


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
    """`GET apps`, without their chats: those are read page by page."""
    store = call.sandbox.store
    return AppsView(
        [AppView(app.id, app.name, store.count_chats(app)) for app in store.apps()]
    )


def get_chats(call: Call) -> ChatsView:
    """`GET apps/{appId}/chats`, in document order."""
    store, app, query = call.sandbox.store, app_of(call), call.query
    if query.name:
        named = list(_called(store.chats(app), query.name))
        return ChatsView(list(map(_view, named[query.part])), len(named))
    page = islice(store.chats(app), query.part.start, query.part.stop)
    return ChatsView(list(map(_view, page)), store.count_chats(app))


def _called(chats: Iterator[Chat], text: str) -> Iterator[Chat]:
    """The chats one of whose titles contains a text, in any case."""
    term = fold(text)
    for chat in chats:
        if term in fold(chat.title) or term in fold(chat.custom_title):
            yield chat


def get_chat(call: Call) -> ChatPart:
    """`GET apps/{appId}/chats/{chatId}`."""
    return _view(_chat(call))


def put_chat(call: Call) -> ChatPart | Created[ChatPart]:
    """`PUT apps/{appId}/chats/{chatId}`: fields left out take their defaults."""
    store, app, part = call.sandbox.store, app_of(call), call.body
    chat_id = id_in_path(part.chat_id, call.path["chatId"], "$.chatId")
    chat = chat_of(part, app.id, chat_id, refuse)
    is_new = store.chat(app, chat_id) is None
    most = call.limits.created_chats
    # Chats of the fixture are not counted, and to replace one takes no more room.
    if is_new and store.created_chats >= most:
        raise errors.LimitReached(f"at most {most} created chats", "one more", "path")
    store.put_chat(app, chat)
    return Created(_view(chat)) if is_new else _view(chat)


def delete_chat(call: Call) -> ChatPart:
    """`DELETE apps/{appId}/chats/{chatId}`: the chat as it was."""
    chat = _chat(call)
    call.sandbox.store.remove_chat(app_of(call), chat.chat_id)
    return _view(chat)


def _view(chat: Chat) -> ChatPart:
    # In the form of fixture documents: what was read can be put back as it is.
    return convert(chat_part(chat), ChatPart)


def app_of(call: Call) -> App:
    """The application that the path names. Raises AppNotFound."""
    app_id = call.path["appId"]
    app = call.sandbox.store.app(app_id)
    if app is None:
        ids = [each.id for each in call.sandbox.store.apps()]
        hint = errors.which_there_are(app_id, ids, len(ids))
        got = errors.describe_value(app_id)
        raise errors.AppNotFound("the id of an app", got, "path", hint)
    return app


def _chat(call: Call) -> Chat:
    chat_id = call.path["chatId"]
    store, app = call.sandbox.store, app_of(call)
    chat = store.chat(app, chat_id)
    if chat is None:
        ids = (each.chat_id for each in store.chats(app))
        hint = errors.which_there_are(chat_id, ids, store.count_chats(app))
        got = errors.describe_value(chat_id)
        raise errors.ChatNotFound("a chat of the app", got, "path", hint)
    return chat


def id_in_path(in_body: object, in_path: str, at: str) -> str:
    """The id of what is put: the path's, which the body may repeat.

    Raises InvalidField; `at` is the field's place in the body.
    """
    message = ""
    if not 1 <= len(in_path) <= Limits.id_chars:
        expected = f"an id of 1 to {Limits.id_chars} characters"
        message = f"Expected {expected}, got {errors.describe_value(in_path)} - at path"
    elif in_path in DOTS:
        # Clients take `.` and `..` out of a URL (RFC 3986 5.2.4): nobody could ask
        # for such an id again.
        expected = "an id that a URL path can hold"
        message = f"Expected {expected}, got {errors.describe_value(in_path)} - at path"
    elif in_body not in (None, in_path):
        expected = f"{errors.quoted(in_path)}, as in the path"
        message = f"Expected {expected}, got {errors.describe_value(in_body)} - at {at}"
    if message:
        raise errors.InvalidField(message)
    return in_path


def refuse(path: Path, message: str) -> NoReturn:
    """Raises InvalidField for the field of a body that `path` leads to."""
    raise errors.InvalidField(f"{message} - at {dotted(path)}")


_ALL, _ONE = "/apps/{appId}/chats", "/apps/{appId}/chats/{chatId}"
_UNKNOWN = (errors.AppNotFound, errors.ChatNotFound)
ROUTES = (
    AdminRoute("GET", "/apps", get_apps, AppsView, "List the applications"),
    AdminRoute(
        "GET",
        _ALL,
        get_chats,
        ChatsView,
        "List the chat sessions of an application",
        query=ChatsQuery,
        errors=(errors.AppNotFound,),
    ),
    AdminRoute("GET", _ONE, get_chat, ChatPart, "Read a chat session", errors=_UNKNOWN),
    AdminRoute(
        "PUT",
        _ONE,
        put_chat,
        ChatPart,
        "Create or replace a chat session",
        body=ChatPart,
        further={201: ChatPart},
        errors=(errors.AppNotFound, errors.LimitReached),
    ),
    AdminRoute(
        "DELETE", _ONE, delete_chat, ChatPart, "Remove a chat session", errors=_UNKNOWN
    ),
)

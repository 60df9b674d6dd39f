"""Lists apps; reads, puts and deletes single chats."""

from contextlib import aclosing
from itertools import islice
from typing import Annotated, NoReturn

from msgspec import Meta

from mock_server.admin.framework import (
    Call,
    Created,
    Example,
    PageQuery,
    Routes,
    check_room,
    require,
)
from mock_server.api.envelope import View
from mock_server.api.items import items_of
from mock_server.api.slices import in_slices
from mock_server.domain import errors
from mock_server.domain.call import AppNotFound
from mock_server.domain.limits import Published
from mock_server.domain.messages import quoted
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.models import App, Chat
from mock_server.domain.pinning import ChatNotFound, hint_at_app
from mock_server.domain.storage.store import Store
from mock_server.domain.validation.walk import Path, dotted
from mock_server.fixture.builders.parts import DOT_SEGMENTS, chat_of
from mock_server.fixture.document import ChatPart
from mock_server.fixture.dump import chat_part

routes = Routes()
_ALL, _ONE = "/apps/{appId}/chats", "/apps/{appId}/chats/{chatId}"
_UNKNOWN = (AppNotFound, ChatNotFound)
_COPY = Example({"title": "A copy of my invoice", "top": True}, path={"chatId": "new"})


class ChatsQuery(PageQuery):
    """Page of an app's chats: all, or those with `name` in one of their titles."""

    name: Annotated[str, Meta(max_length=Published.search_chars)] = ""


class AppView(View):
    """An app, and the number of its chats now."""

    id: str
    name: str
    chats: int


class AppsView(View):
    """All apps."""

    apps: list[AppView]


class ChatsView(View):
    """A page of an app's chats, and the number of all matches."""

    chats: list[ChatPart]
    total: int


@routes.add("GET", "/apps", errors=(errors.LimitReached,))
def get_apps(call: Call) -> AppsView:
    """List the applications."""
    store = call.sandbox.store
    return AppsView(items_of(app_view(store, app) for app in store.apps()))


def app_view(store: Store, app: App) -> AppView:
    """Return an app as an item of a list."""
    return AppView(app.id, app.name, store.count_chats(app))


@routes.add(
    "GET",
    _ALL,
    errors=(AppNotFound, errors.LimitReached),
    examples=(Example(query="limit=2"),),
)
async def get_chats(call: Call, query: ChatsQuery) -> ChatsView:
    """List the chat sessions of an application.

    In fixture order.
    """
    store, app = call.sandbox.store, app_of(call)
    search_term, end = fold(query.name or ""), query.offset + query.limit
    page, total = [], 0
    async with aclosing(in_slices(store.chats_and_gaps(app))) as chats:
        async for chat in chats:
            if chat is None or not (
                search_term in fold(chat.title)
                or search_term in fold(chat.custom_title)
            ):
                continue
            if query.offset <= total < end:
                page.append(chat)
            total += 1
            if total == end and not search_term:
                total = store.count_chats(app)
                break
    return ChatsView(items_of(map(chat_part, page)), total)


@routes.add("GET", _ONE, errors=_UNKNOWN)
def get_chat(call: Call) -> ChatPart:
    """Read a chat session."""
    # As in fixtures, so that a client can put the chat back unchanged.
    return chat_part(_chat(call))


@routes.add("PUT", _ONE, errors=(AppNotFound, errors.LimitReached), examples=(_COPY,))
def put_chat(call: Call, part: ChatPart) -> ChatPart | Created[ChatPart]:
    """Create or replace a chat session.

    Fields left out take their defaults.
    """
    store, app = call.sandbox.store, app_of(call)
    chat_id = id_in_path(part.chat_id, call.path["chatId"], "$.chatId")
    chat = chat_of(part, app.id, chat_id, refuse)
    is_new = store.chat(app, chat_id) is None
    # Only created chats are limited, not chats of the fixture or replaced chats.
    if is_new:
        check_room(store.created_chats, call.limits.created_chats, "chats")
    store.put_chat(app, chat)
    return Created(chat_part(chat)) if is_new else chat_part(chat)


@routes.add("DELETE", _ONE, errors=_UNKNOWN)
def delete_chat(call: Call) -> ChatPart:
    """Remove a chat session."""
    chat = _chat(call)
    call.sandbox.store.remove_chats(app_of(call), chat.chat_id)
    return chat_part(chat)


def app_of(call: Call) -> App:
    """Return the app in the path. Raises AppNotFound."""
    store = call.sandbox.store
    app, ids = store.app(call.path["appId"]), (each.id for each in store.apps())
    ids_and_names = ((each.id, each.name) for each in call.sandbox.store.apps())
    unknown = AppNotFound, "the id of an app", ids, None, ids_and_names
    return require(app, call, "appId", *unknown)


def _chat(call: Call) -> Chat:
    store, app = call.sandbox.store, app_of(call)
    chat, count = store.chat(app, call.path["chatId"]), store.count_chats(app)
    # Removed chats count too, because passing over many of them takes long.
    first_chats = islice(store.chats_and_gaps(app), Published.journal_page)
    ids = (each.chat_id for each in first_chats if each is not None)
    unknown = ChatNotFound, "a chat of the app", ids, count
    hint = "" if chat else hint_at_app(store, store.apps(), call.path["chatId"])
    return require(chat, call, "chatId", *unknown, hint=hint)


def id_in_path(body_id: object, path_id: str, place: str) -> str:
    """Return the id in the path, which the body may repeat.

    Raises InvalidField; `place` is the place of the id in the body.
    """
    if not 1 <= len(path_id) <= Published.id_chars:
        expected = f"an id of 1 to {Published.id_chars} characters"
        raise errors.InvalidField.of(path_id, expected, "path")
    if path_id in DOT_SEGMENTS:
        # Clients remove `.` and `..` from URLs (RFC 3986 5.2.4).
        raise errors.InvalidField.of(path_id, "an id that a URL path can hold", "path")
    if body_id not in (None, path_id):
        raise errors.InvalidField.of(
            body_id, f"{quoted(path_id)}, as in the path", place
        )
    return path_id


def refuse(path: Path, message: str) -> NoReturn:
    """Raise InvalidField for the field of a body at `path`."""
    raise errors.InvalidFields(f"{message} - at {dotted(path)}")

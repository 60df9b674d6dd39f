"""The pin operation as a function of the state (spec 3, 4.1).

What of this the spec leaves open is a choice; fields have been read and checked before.
"""

from msgspec import Struct

from mock_server.domain import errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.records import App, Chat
from mock_server.domain.state import State
from mock_server.domain.tolerance import remedies, served_with


class UpdateHistory(Struct, frozen=True):
    """A pin request; what is None stays as it is (choice top_missing=ignore)."""

    app_id: str
    chat_id: str
    top: bool | None = None
    title: str | None = None
    custom_title: str | None = None

    def apply(self, chat: Chat, now: int) -> Chat:
        """The chat after this request, updated at `now` (milliseconds)."""
        title, custom = self.title, self.custom_title
        # By position: keywords would take 0.1 µs more, 1.5 % of a pin in process.
        return Chat(
            chat.app_id,
            chat.chat_id,
            chat.title if title is None else title,
            chat.custom_title if custom is None else custom,
            chat.top if self.top is None else self.top,
            now,
        )


def update_history(state: State, caller: Caller, request: UpdateHistory) -> None:
    """Pin or unpin a chat session (spec 4.1); pinning twice is pinning once.

    Raises AppNotFound, ChatNotFound (choice chat_unknown), AppForbidden, in this order;
    and LimitReached.
    """
    store, unknown = state.store, state.choices.chat_unknown
    app = store.app(request.app_id)
    if app is None:
        raise errors.AppNotFound(
            "the id of an app", errors.describe_value(request.app_id), "$.appId"
        )
    chat = store.chat(app, request.chat_id)
    may_read = app.level_of(caller) >= Level.READ
    if chat is None and unknown == "not_found":
        expected = f"a chat session of app {errors.quoted(app.id)}"
        got = errors.describe_value(request.chat_id)
        hint = _served_with(state, request) if may_read else ""
        raise errors.ChatNotFound(expected, got, "$.chatId", hint)
    if not may_read:
        expected = f"a key with read permission on app {errors.quoted(app.id)}"
        raise errors.AppForbidden(expected, "a key without it", "$.appId")
    if chat is None and unknown == "create":
        chat = _created(state, app, request)
    if chat is None:
        state.hint(f"{_NO_CHAT}: nothing was changed (choice chat_unknown=ignore)")
    else:
        store.put_chat(app, request.apply(chat, state.clock.now()))


_NO_CHAT = "the app has no chat session of this chatId"
# No URL leads to them: clients remove such segments (RFC 3986 5.2.4).
_NOT_CREATED = (".", "..")


def _created(state: State, app: App, request: UpdateHistory) -> Chat:
    """A chat session that the pin adds.

    Raises ChatNotFound where it cannot be added: to the client, a chat that cannot be
    created does not exist.
    """
    hint = _served_with(state, request)
    if request.chat_id in _NOT_CREATED:
        expected = "an id that the path of a URL can hold"
        got = errors.describe_value(request.chat_id)
        raise errors.ChatNotFound(expected, got, "$.chatId", hint)
    if not _has_room(state):
        expected = f"at most {state.limits.created_chats} created chats"
        raise errors.ChatNotFound(expected, "one more", "$.chatId", hint)
    return Chat(app.id, request.chat_id)


def _has_room(state: State) -> bool:
    """Whether pins may create another chat session."""
    return state.store.created_chats < state.limits.created_chats


def _served_with(state: State, request: UpdateHistory) -> str:
    """The values of chat_unknown under which the pin would succeed, as a hint."""
    values = remedies(state.choices, "chat_unknown")
    if request.chat_id in _NOT_CREATED or not _has_room(state):
        values = tuple(each for each in values if not each.endswith("=create"))
    return served_with(*values)

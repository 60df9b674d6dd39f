"""Pin and unpin chats (spec 3, 4.1).

Choices decide the behaviour that the spec leaves open. The API layer has already
checked the fields.
"""

from collections.abc import Iterable
from itertools import islice

from msgspec import Struct

from mock_server.domain.access import Level
from mock_server.domain.call import AppNotFound, Call
from mock_server.domain.choices.reading import choices_hint, remedies
from mock_server.domain.errors import refusal
from mock_server.domain.messages import cut, nearest, quoted
from mock_server.domain.objects.models import App, Chat
from mock_server.domain.sandboxes.state import State
from mock_server.domain.storage.store import Store

ChatNotFound = refusal("ChatNotFound", "404 chatNotFound", "500 504000 unAuthChat")
_COMPARED_CHATS = 1_000
"""Maximum number of chats whose titles and ids are compared with an unknown id."""
_COMPARED_APPS = 1_000
"""Maximum number of apps that are searched for the chat of an unknown id."""


class UpdateHistory(Struct, frozen=True):
    """The fields of a pin. The chat keeps its value where a field is None.

    Only with choice top_missing=ignore, `top` may be None and titles are given.
    """

    app_id: str
    chat_id: str
    top: bool | None = None
    title: str | None = None
    custom_title: str | None = None

    def apply(self, chat: Chat, now: int) -> Chat:
        """Return the chat after this pin at `now` (milliseconds)."""
        title, custom_title = self.title, self.custom_title
        # Arguments by position, because keywords are slower.
        return Chat(
            chat.app_id,
            chat.chat_id,
            chat.title if title is None else title,
            chat.custom_title if custom_title is None else custom_title,
            chat.top if self.top is None else self.top,
            now,
            chat.share_id,
            chat.out_link_uid,
        )


def update_history(call: Call, request: UpdateHistory) -> None:
    """Pin or unpin a chat (spec 4.1). A repeated pin changes only the update time.

    Raises AppNotFound, ChatNotFound (choice chat_unknown), AppForbidden, in this order;
    and LimitReached.
    """
    state, store = call.state, call.store
    unknown = state.choices.chat_unknown
    app = store.app(request.app_id)
    if app is None:
        hint = call.unknown_id_hint(request.app_id, store.apps())
        raise AppNotFound.of(request.app_id, "the id of an app", "$.appId", hint)
    chat = store.chat(app, request.chat_id)
    may_read = app.level_of(call.caller) >= Level.READ
    if chat is None and unknown == "not_found":
        expected = f"a chat session of app {quoted(app.id)}"
        hint = _how_to_pin(call, app, request) if may_read else ""
        raise ChatNotFound.of(request.chat_id, expected, "$.chatId", hint)
    if not may_read:
        call.require(app, Level.READ, "$.appId")
    if chat is None and unknown == "create":
        chat = _pinned_chat(state, app, request)
    if chat is None:
        reason = "the app has no chat session of this chatId"
        state.hint(f"{reason}: nothing was changed (choice chat_unknown=ignore)")
    else:
        store.put_chat(app, request.apply(chat, state.clock.now()))


# Clients remove these segments from the path of a URL (RFC 3986 5.2.4), so they could
# never request such a chat.
UNUSABLE_IDS = (".", "..")


def _pinned_chat(state: State, app: App, request: UpdateHistory) -> Chat:
    """Return the new chat for a pin. Raises ChatNotFound if it cannot be created."""
    hint = _choices_that_help(state, request)
    if request.chat_id in UNUSABLE_IDS:
        expected = "an id that the path of a URL can hold"
        raise ChatNotFound.of(request.chat_id, expected, "$.chatId", hint)
    if not _has_room(state):
        expected = f"at most {state.limits.created_chats} created chats"
        raise ChatNotFound(expected, "one more", "$.chatId", hint)
    return Chat(app.id, request.chat_id)


def _has_room(state: State) -> bool:
    return state.store.created_chats < state.limits.created_chats


def hint_at_app(store: Store, apps: Iterable[App], chat_id: str) -> str:
    """Return a hint at the first of these apps that has a chat of this id, else ""."""
    for app in islice(apps, _COMPARED_APPS):
        if store.chat(app, chat_id) is not None:
            return f"that is a chat of app {quoted(app.id)}"
    return ""


def _how_to_pin(call: Call, app: App, request: UpdateHistory) -> str:
    """Return a hint: where this id or title is, or a similar id; choices that help."""
    store = call.store
    # Removed chats count too, because passing over many of them takes long.
    first_chats = islice(store.chats_and_gaps(app), _COMPARED_CHATS)
    chats = [each for each in first_chats if each is not None]
    title_hints = (
        f"that is the title of chat {quoted(each.chat_id)}"
        for each in chats
        if request.chat_id in (each.title, each.custom_title)
    )
    choice_hint = _choices_that_help(call.state, request)
    apps = (each for each in store.apps() if each.level_of(call.caller) >= Level.READ)
    known_hint = next(title_hints, "") or hint_at_app(store, apps, request.chat_id)
    if known_hint:
        return "; ".join(filter(None, (known_hint, choice_hint)))
    similar = nearest(request.chat_id, [each.chat_id for each in chats])
    if similar is None:
        return choice_hint
    suggestion = f"did you mean {quoted(cut(similar))}?"
    return f"{suggestion} It is {choice_hint}" if choice_hint else suggestion


def _choices_that_help(state: State, request: UpdateHistory) -> str:
    """Return a hint with the values of chat_unknown under which the pin succeeds."""
    values = remedies(state.choices, "chat_unknown")
    if request.chat_id in UNUSABLE_IDS or not _has_room(state):
        values = tuple(each for each in values if not each.endswith("=create"))
    return choices_hint(*values)

"""Completions, as a stand-in: no model is asked, but the conversation is kept."""

from mock_server.domain import errors
from mock_server.domain.records import App, Chat, ChatRecord
from mock_server.domain.state import State
from mock_server.domain.store import Store

TITLE_CHARS = 20
"""Characters of the first question that become the title of a chat."""


def complete(
    state: State, app: App, chat_id: str | None, question: str
) -> tuple[str, str]:
    """The id of the chat, and the reply to a question in it; both are recorded.

    A chat that there is not is created. Raises InvalidField, LimitReached.
    """
    store, now = state.store, state.clock.now()
    _check(state, app, chat_id)
    chat_id = chat_id or _new_chat_id(store, app)
    old = store.chat(app, chat_id)
    chat = Chat(app.id, chat_id, question[:TITLE_CHARS]) if old is None else old
    reply = reply_to(state, question)
    records = (
        ChatRecord(store.new_id(), "Human", question, now),
        ChatRecord(store.new_id(), "AI", reply, now),
    )
    titles = chat.title, chat.custom_title
    store.put_chat(app, Chat(app.id, chat_id, *titles, chat.top, now))
    try:
        store.add_records(app, chat_id, records)
    except errors.LimitReached:
        if old is None:
            store.remove_chat(app, chat_id)
        else:
            store.put_chat(app, old)
        raise
    store.turns += 1
    return chat_id, reply


def _new_chat_id(store: Store, app: App) -> str:
    while True:
        made = store.new_id()
        if store.chat(app, made) is None:
            return made


def reply_to(state: State, question: str) -> str:
    """The fixture's replies in turn; without any, the question itself."""
    replies = state.store.generation.replies
    return replies[state.store.turns % len(replies)] if replies else question


def _check(state: State, app: App, chat_id: str | None) -> None:
    """Check that a turn may be added. Raises InvalidField, LimitReached."""
    store, limits = state.store, state.limits
    if chat_id in (".", ".."):
        # No URL leads to it: clients remove such segments (RFC 3986 5.2.4).
        expected, got = "an id that the path of a URL can hold", repr(chat_id)
        raise errors.InvalidField(f"Expected {expected}, got {got} - at $.chatId")
    if chat_id and store.chat(app, chat_id) is not None:
        if len(store.records(app, chat_id)) + 2 > limits.chat_records:
            expected = f"at most {limits.chat_records} records of a chat"
            raise errors.LimitReached(expected, "two more", "$.chatId")
    elif store.created_chats >= limits.created_chats:
        expected = f"at most {limits.created_chats} created chats"
        raise errors.LimitReached(expected, "one more", "$.chatId")

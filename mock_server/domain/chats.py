"""Chat sessions beyond the pin: who may see them, and in which order."""

from collections.abc import Sequence

from mock_server.domain import errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.records import App, Chat
from mock_server.domain.state import State


def readable_app(state: State, caller: Caller, app_id: str) -> App:
    """The application of that id. Raises AppNotFound, AppForbidden, in this order."""
    app = state.store.app(app_id)
    if app is None:
        got = errors.describe_value(app_id)
        raise errors.AppNotFound("the id of an app", got, "$.appId")
    if app.level_of(caller) < Level.READ:
        expected = f"a key with read permission on app {errors.quoted(app.id)}"
        raise errors.AppForbidden(expected, "a key without it", "$.appId")
    return app


def histories(state: State, app: App) -> Sequence[Chat]:
    """The chat sessions of an application: pinned ones first, then the latest."""
    chats = sorted(state.store.chats(app), key=lambda chat: chat.chat_id)
    chats.sort(key=lambda chat: (chat.top, chat.update_time), reverse=True)
    return chats

"""The pin operation (spec 3, 4.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mock_server.domain.access import Caller, Level
from mock_server.domain.chats import Chat
from mock_server.domain.errors import AppForbidden, ChatNotFound, show
from mock_server.domain.limits import LIMITS
from mock_server.domain.sandbox import Sandbox


@dataclass(frozen=True, slots=True)
class UpdateHistory:
    """A pin request; what is None stays as it is (choice top_missing=ignore)."""

    app_id: str
    chat_id: str
    top: bool | None = None
    title: str | None = None
    custom_title: str | None = None

    def apply(self, chat: Chat, now: int) -> Chat:
        """The chat after this request, updated at `now` (milliseconds)."""
        return replace(
            chat,
            top=chat.top if self.top is None else self.top,
            title=chat.title if self.title is None else self.title,
            custom_title=(
                chat.custom_title if self.custom_title is None else self.custom_title
            ),
            update_time=now,
        )


def update_history(sandbox: Sandbox, caller: Caller, request: UpdateHistory) -> None:
    """Pin or unpin a chat session (spec 4.1); pinning twice is pinning once.

    Raises AppNotFound, ChatNotFound (choice chat_unknown), AppForbidden.
    """
    store, unknown = sandbox.store, sandbox.choices.chat_unknown
    app = store.app(request.app_id)
    chat = store.chat(app, request.chat_id)
    if chat is None and unknown == "not_found":
        raise ChatNotFound(
            f"a chat session of app {app.id!r}", show(request.chat_id), "$.chatId"
        )
    if not caller.level_on(app.permissions).includes(Level.READ):
        raise AppForbidden(
            f"a key with read permission on app {app.id!r}", "another", "$.appId"
        )
    if chat is None:
        if unknown == "ignore":
            return
        if store.created_chats >= LIMITS.created_chats:
            got = f"{store.created_chats} and one more"
            raise ChatNotFound(
                f"at most {LIMITS.created_chats} created chats", got, "$.chatId"
            )
        chat = Chat(app.id, request.chat_id)
    store.put_chat(request.apply(chat, sandbox.clock.now()))

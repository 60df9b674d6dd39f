"""Applications with their chat sessions (spec 2.1), and collections (spec 2.2)."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from mock_server.domain.access import Permissions
from mock_server.domain.clock import DEFAULT_TIME


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


DEFAULT_TMB_ID = "65422be6aa44b7da77729ec9"


class Collection(Struct, frozen=True, eq=False, gc=False):
    """A collection, all fields of spec 2.2 but `permission`, which is the caller's.

    Times are in milliseconds. The last four fields are the deployed service's
    (choice item_fields=extended). Two collections are equal when they are the same.
    There may be millions, and no cycles: the garbage collector need not look at them.
    """

    id: str
    name: str
    parent_id: str | None = None
    tmb_id: str = DEFAULT_TMB_ID
    type: str = "virtual"
    update_time: int = DEFAULT_TIME
    data_amount: int = 0
    training_amount: int = 0
    external_file_id: str = ""
    tags: tuple[str, ...] = ()
    forbid: bool = False
    training_type: str = "chunk"
    create_time: int | None = None
    has_error: bool = False
    file_id: str | None = None
    raw_link: str | None = None

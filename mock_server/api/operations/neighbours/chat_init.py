"""`init`: what a page needs to open a chat session."""

from typing import Any

from msgspec import field

from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import chats, errors
from mock_server.domain.access import Caller
from mock_server.domain.state import State
from mock_server.views import View


class AppView(View):
    """An application as its chat sessions show it."""

    name: str
    chat_config: dict[str, Any] = field(default_factory=dict)
    chat_models: list[str] = field(default_factory=list)
    avatar: str = ""
    intro: str = ""
    type: str = "simple"
    plugin_inputs: list[Any] = field(default_factory=list)


class InitView(View):
    """A chat session that is opened."""

    chat_id: str
    app_id: str
    title: str
    app: AppView
    variables: dict[str, Any] = field(default_factory=dict)
    chat_generate_status: int = 1
    has_been_read: bool = True


def init(state: State, caller: Caller, query: fields.ChatQuery) -> InitView:
    """What is shown of a chat session; one that there is not has no title.

    Raises AppNotFound, AppForbidden.
    """
    app = chats.app_for(state, caller, query.app_id)
    chat = state.store.chat(app, query.chat_id)
    title = "" if chat is None else chat.title
    return InitView(query.chat_id, app.id, title, AppView(app.name))


INIT = neighbour.operation(
    name="init",
    method="GET",
    path="/api/core/chat/init",
    summary="Open a chat session",
    body=fields.ChatQuery,
    data=InitView,
    refusals=(errors.AppNotFound, errors.AppForbidden),
    perform=init,
    since="4.8.12 with keys",
    modelled="Nothing is created; an unknown chat has an empty title, and one that has "
    "been renamed its first one.",
    differs="Of the application only the name is known; every chat counts as read.",
)

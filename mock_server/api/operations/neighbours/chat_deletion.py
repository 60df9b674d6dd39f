"""`delHistory`, `clearHistories`, `batchDelete`: chat sessions are deleted."""

from typing import Annotated

from msgspec import Meta

from mock_server.api.operations import contract
from mock_server.api.operations.neighbours import fields, neighbour
from mock_server.domain import chats, errors
from mock_server.domain.access import Caller, Level
from mock_server.domain.state import State
from mock_server.fixture.document import Id


def del_history(state: State, caller: Caller, query: fields.ChatQuery) -> None:
    """Delete a chat session; one that there is not is deleted too.

    Raises AppNotFound, AppForbidden.
    """
    app = chats.app_for(state, caller, query.app_id)
    if state.store.chat(app, query.chat_id) is None:
        state.hint("the app has no chat session of this chatId: nothing was deleted")
    else:
        state.store.remove_chat(app, query.chat_id)


DEL_HISTORY = neighbour.operation(
    name="delHistory",
    method="DELETE",
    path="/api/core/chat/history/delHistory",
    legacy_path="/api/core/chat/delHistory",
    summary="Delete a chat session",
    body=fields.ChatQuery,
    refusals=(errors.AppNotFound, errors.AppForbidden),
    perform=del_history,
    traits=["write"],
    since="4.8.12 with keys, 4.14.5 at this path",
    modelled="The chat goes with its records; an unknown one is deleted too.",
    differs="The service keeps the records of a deleted chat readable, and a "
    "completion does not bring it back; there, chats of other members are refused.",
)


class ClearHistoriesQuery(contract.RequestFields):
    """Which application."""

    app_id: Id


def clear_histories(state: State, caller: Caller, query: ClearHistoriesQuery) -> None:
    """Delete all chat sessions with their records. Raises AppNotFound, AppForbidden."""
    app = chats.app_for(state, caller, query.app_id)
    for chat in list(state.store.chats(app)):
        state.store.remove_chat(app, chat.chat_id)


CLEAR_HISTORIES = neighbour.operation(
    name="clearHistories",
    method="DELETE",
    path="/api/core/chat/history/clearHistories",
    legacy_path="/api/core/chat/clearHistories",
    summary="Delete all chat sessions of an application",
    body=ClearHistoriesQuery,
    refusals=(errors.AppNotFound, errors.AppForbidden),
    perform=clear_histories,
    traits=["write"],
    since="4.8.12 with keys, 4.14.5 at this path",
    modelled="All chats of the application go, every member's, with their records.",
    differs="Nobody knows where a chat comes from: in the service a key deletes those "
    "of source `api`, and a login the user's own online ones.",
)


class BatchDeleteBody(contract.RequestFields):
    """Which chat sessions of which application."""

    app_id: Id
    chat_ids: Annotated[list[Id], Meta(min_length=1)]


def batch_delete(state: State, caller: Caller, body: BatchDeleteBody) -> None:
    """Delete chat sessions; those that there are not are passed over.

    Raises AppNotFound, AppForbidden.
    """
    app = chats.app_for(state, caller, body.app_id, Level.MANAGE)
    ids = set(body.chat_ids)
    known = [each for each in ids if state.store.chat(app, each) is not None]
    for chat_id in known:
        state.store.remove_chat(app, chat_id)
    if len(known) < len(ids):
        state.hint("the app has not all chat sessions of these chatIds")


BATCH_DELETE = neighbour.operation(
    name="batchDelete",
    path="/api/core/chat/history/batchDelete",
    summary="Delete some chat sessions",
    body=BatchDeleteBody,
    refusals=(errors.AppNotFound, errors.AppForbidden),
    perform=batch_delete,
    traits=["write"],
    since="4.14.5",
    modelled="The chats go with their records; unknown ids are passed over.",
    differs="It takes permission to manage; in the service, to see chat logs.",
)

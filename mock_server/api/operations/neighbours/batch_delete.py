"""`batchDelete`: delete some chat sessions with their records."""

from typing import Annotated

from msgspec import Meta

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.chats import manageable_app
from mock_server.domain.errors import AppForbidden, AppNotFound
from mock_server.domain.state import State
from mock_server.fixture.document import Id


class BatchDeleteBody(RequestFields):
    """Which chat sessions of which application."""

    app_id: Id
    chat_ids: Annotated[list[Id], Meta(min_length=1)]


def batch_delete(state: State, caller: Caller, body: BatchDeleteBody) -> None:
    """Delete chat sessions; those that there are not are passed over.

    Raises AppNotFound, AppForbidden.
    """
    app = manageable_app(state, caller, body.app_id)
    for chat_id in set(body.chat_ids):
        if state.store.chat(app, chat_id) is not None:
            state.store.remove_chat(app, chat_id)


BATCH_DELETE = neighbour(
    name="batchDelete",
    path="/api/core/chat/history/batchDelete",
    summary="Delete some chat sessions",
    body=BatchDeleteBody,
    refusals=(AppNotFound, AppForbidden),
    perform=batch_delete,
    traits=["write"],
    since="4.14.5",
    modelled="The chats go with their records; unknown ids are passed over.",
    differs="It takes permission to manage; in the service, to see chat logs.",
)

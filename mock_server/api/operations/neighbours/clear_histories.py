"""`clearHistories`: delete all chat sessions of an application."""

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.chats import readable_app
from mock_server.domain.errors import AppForbidden, AppNotFound
from mock_server.domain.state import State
from mock_server.fixture.document import Id


class ClearHistoriesQuery(RequestFields):
    """Which application."""

    app_id: Id


def clear_histories(state: State, caller: Caller, query: ClearHistoriesQuery) -> None:
    """Delete all chat sessions with their records. Raises AppNotFound, AppForbidden."""
    app = readable_app(state, caller, query.app_id)
    for chat in list(state.store.chats(app)):
        state.store.remove_chat(app, chat.chat_id)


CLEAR_HISTORIES = neighbour(
    name="clearHistories",
    method="DELETE",
    path="/api/core/chat/history/clearHistories",
    legacy_path="/api/core/chat/clearHistories",
    summary="Delete all chat sessions of an application",
    body=ClearHistoriesQuery,
    refusals=(AppNotFound, AppForbidden),
    perform=clear_histories,
    traits=["write"],
    since="4.8.12 with keys, 4.14.5 at this path",
    modelled="All chats of the application go, every member's, with their records.",
    differs="A login deletes all chats too, in the service the user's own online ones.",
)

"""`delHistory`: delete a chat session with its records."""

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.chats import readable_app
from mock_server.domain.errors import AppForbidden, AppNotFound
from mock_server.domain.state import State
from mock_server.fixture.document import Id


class DelHistoryQuery(RequestFields):
    """Which chat session."""

    app_id: Id
    chat_id: Id


def del_history(state: State, caller: Caller, query: DelHistoryQuery) -> None:
    """Delete a chat session; one that there is not is deleted too.

    Raises AppNotFound, AppForbidden.
    """
    app = readable_app(state, caller, query.app_id)
    if state.store.chat(app, query.chat_id) is None:
        state.hint("the app has no chat session of this chatId: nothing was deleted")
    else:
        state.store.remove_chat(app, query.chat_id)


DEL_HISTORY = neighbour(
    name="delHistory",
    method="DELETE",
    path="/api/core/chat/history/delHistory",
    legacy_path="/api/core/chat/delHistory",
    summary="Delete a chat session",
    body=DelHistoryQuery,
    refusals=(AppNotFound, AppForbidden),
    perform=del_history,
    traits=["write"],
    since="4.8.12 with keys, 4.14.5 at this path",
    modelled="The chat goes with its records; an unknown one is deleted too.",
    differs="The service keeps the records of a deleted chat readable.",
)

"""The results of a workflow's nodes for a reply, read afterwards."""

from typing import Any

from msgspec import UNSET, UnsetType

from mock_server.api.operations.operation import DEMO_APP, DEMO_RECORD, DEMO_REFUND
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.completions import response_data
from mock_server.api.operations.related.route import Call, route
from mock_server.domain.call import APP
from mock_server.domain.replies import parts_recorded
from mock_server.fixture.document import Id


class ResDataQuery(fields.OptionalChatFields, kw_only=True):
    """The reply; before 4.16 incomplete ids find nothing."""

    chat_id: fields.Name | UnsetType = UNSET
    data_id: fields.Name | UnsetType = UNSET


class GetResDataQuery(ResDataQuery, kw_only=True):
    """The reply."""

    app_id: Id
    data_id: fields.Name


@route(
    "GET /api/core/chat/record/getResData",
    legacy_path="/api/core/chat/getResData",
    chinese="一条回复的各节点结果",
    since="4.8.12 with keys, 4.14.5 at this path",
    former=("res_data_needs_data_id", ResDataQuery),
    access="visitor",
    refuses=APP,
    example={"appId": DEMO_APP, "chatId": DEMO_REFUND, "dataId": DEMO_RECORD},
)
def get_res_data(call: Call, query: GetResDataQuery) -> list[dict[str, Any]]:
    """Get the results of the nodes that made a reply.

    Returns the results of completions with `detail`, quotes without texts; none for an
    unknown record, a question, or without `chatId`.
    """
    if not (query.app_id and query.chat_id and query.data_id):
        return []
    app = call.app(query.app_id)
    for record in call.store.records(app, query.chat_id):
        if record.id == query.data_id and record.obj == "AI":
            parts = parts_recorded(record.parts or b"[]")
            return response_data(parts, call.facts, call.share)
    call.state.hint("the chat has no reply of this dataId")
    return []

"""Deletes records of a chat session: lists then omit them."""

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from mock_server.api.operations.operation import DEMO_APP, DEMO_RECORD, DEMO_REFUND
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    gather_body,
    gather_either,
    route,
)
from mock_server.domain.call import APP
from mock_server.domain.chats import delete_records
from mock_server.domain.errors import LimitReached
from mock_server.fixture.document import Id


class DeleteRecordFields(fields.ChatFields, kw_only=True):
    """Records of a chat session, by their `dataId`."""

    chat_id: fields.Name
    content_id: fields.Long | UnsetType = UNSET
    content_ids: fields.Texts | fields.Long | UnsetType = UNSET
    del_file: Annotated[Any, fields.IDLE] = UNSET


@route(
    "DELETE /api/core/chat/record/delete",
    chinese="删除会话中的消息",
    since="4.14.11",
    versions=("4.16",),
    gather=gather_either,
    access="visitor",
    refuses=(*APP, LimitReached),
    example={"appId": DEMO_APP, "chatId": DEMO_REFUND, "contentId": DEMO_RECORD},
    writes=True,
)
def delete_record(call: Call, body: DeleteRecordFields) -> None:
    """Delete records of a chat session.

    Lists omit all records of these ids, a question and a reply that share one;
    `includeDeleted` shows them. Unknown ids are ignored; no ids delete nothing. The
    chat is unchanged.
    """
    app = call.app(body.app_id)
    several = body.content_ids or ()
    ids = several.split(",") if isinstance(several, str) else several
    named = filter(None, (*ids, body.content_id))
    delete_records(call, app, body.chat_id, {*named})


class DeleteItemBody(RequestFields):
    """A record of a chat session, by its `dataId`."""

    app_id: Id
    chat_id: Id
    content_id: Id


@route(
    "DELETE /api/core/chat/item/delete",
    chinese="删除会话中的一条消息",
    since="4.8.12 with keys, to 4.14.10",
    versions=("4.14",),
    gather=gather_body,
    access="visitor",
    refuses=(*APP, LimitReached),
    example={"appId": DEMO_APP, "chatId": DEMO_REFUND, "contentId": DEMO_RECORD},
    writes=True,
)
def delete_item(call: Call, body: DeleteItemBody) -> None:
    """Delete a record of a chat session.

    Lists omit the record; `includeDeleted` shows it. An unknown id is ignored. The chat
    is unchanged.
    """
    delete_records(call, call.app(body.app_id), body.chat_id, {body.content_id})

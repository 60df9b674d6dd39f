"""Routes that delete and rate the records of a chat session."""

from functools import partial
from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from mock_server.api.operations.operation import DEMO_APP, DEMO_RECORD, DEMO_REFUND
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.fields import ChatId, ChatQuery, EmptyData
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    read_body,
    read_body_or_query,
    route,
)
from mock_server.domain.call import APP
from mock_server.domain.chats import RecordNotFound, delete_records, give_feedback
from mock_server.domain.errors import LimitReached
from mock_server.domain.objects.models import Feedback
from mock_server.fixture.document import FeedbackText, Id


class DeleteRecordFields(fields.ChatFields, kw_only=True):
    """The `dataId`s of records of a chat session."""

    chat_id: fields.Name
    content_id: fields.LongText | UnsetType = UNSET
    content_ids: fields.Texts | fields.LongText | UnsetType = UNSET
    del_file: Annotated[Any, fields.IDLE] = UNSET


_deletion_route = partial(
    route,
    access="visitor",
    refusals=(*APP, LimitReached),
    example={"appId": DEMO_APP, "chatId": DEMO_REFUND, "contentId": DEMO_RECORD},
    is_write=True,
)


@_deletion_route(
    "DELETE /api/core/chat/record/delete",
    chinese="删除会话中的消息",
    since="4.14.11",
    versions=("4.16",),
    read_fields=read_body_or_query,
)
def delete_record(call: Call, body: DeleteRecordFields) -> None:
    """Delete records of a chat session.

    Lists omit all records with these ids, also a question and a reply that share an id;
    `includeDeleted` shows them. Unknown ids are ignored. Without ids, nothing is
    deleted. The chat's updateTime stays.
    """
    app = call.app(body.app_id)
    content_ids = body.content_ids or ()
    ids = content_ids.split(",") if isinstance(content_ids, str) else content_ids
    known_ids = filter(None, (*ids, body.content_id))
    delete_records(call, app, body.chat_id, {*known_ids})


class DeleteItemBody(RequestFields):
    """The `dataId` of a record of a chat session."""

    app_id: Id
    chat_id: Id
    content_id: Id


@_deletion_route(
    "DELETE /api/core/chat/item/delete",
    chinese="删除会话中的一条消息",
    since="4.8.12 with API keys, until 4.14.10",
    versions=("4.14",),
    read_fields=read_body,
)
def delete_item(call: Call, body: DeleteItemBody) -> None:
    """Delete a record of a chat session.

    Lists omit the record; `includeDeleted` shows it. An unknown id is ignored. The
    chat's updateTime stays.
    """
    delete_records(call, call.app(body.app_id), body.chat_id, {body.content_id})


class UpdateUserFeedbackBody(ChatQuery, kw_only=True):
    """A reply and its feedbacks; an omitted feedback is removed."""

    data_id: ChatId
    user_good_feedback: FeedbackText = UNSET
    user_bad_feedback: FeedbackText = UNSET


@route(
    "POST /api/core/chat/feedback/updateUserFeedback",
    chinese="对回复点赞或点踩",
    since="4.8.12 with API keys",
    access="visitor",
    refusals=(*APP, RecordNotFound, LimitReached),
    example={
        "appId": DEMO_APP,
        "chatId": DEMO_REFUND,
        "dataId": DEMO_RECORD,
        "userGoodFeedback": "yes",
    },
    is_write=True,
    is_always_checked=True,
)
def update_user_feedback(call: Call, body: UpdateUserFeedbackBody) -> EmptyData | None:
    """Rate a reply.

    A good and a bad feedback are stored as sent, null too; an omitted feedback is
    removed. Lists of records show them. The chat's updateTime stays.
    """
    app = call.app(body.app_id)
    feedback = Feedback(body.user_good_feedback, body.user_bad_feedback)
    give_feedback(call, app, body.chat_id, body.data_id, feedback)
    return None if call.facts.feedback_returns_null else EmptyData()

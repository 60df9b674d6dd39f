"""Routes that delete and rate the records of a chat session."""

from functools import partial
from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from mock_server.api.operations.operation import DEMO_APP, DEMO_RECORD, DEMO_REFUND
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.fields import ChatId, ChatQuery, Nothing
from mock_server.api.operations.related.route import (
    Call,
    RequestFields,
    gather_body,
    gather_either,
    route,
)
from mock_server.domain.call import APP
from mock_server.domain.chats import RecordNotFound, delete_records, give_feedback
from mock_server.domain.errors import LimitReached
from mock_server.domain.objects.models import Feedback
from mock_server.fixture.document import Id, Said


class DeleteRecordFields(fields.ChatFields, kw_only=True):
    """Records of a chat session, by their `dataId`."""

    chat_id: fields.Name
    content_id: fields.Long | UnsetType = UNSET
    content_ids: fields.Texts | fields.Long | UnsetType = UNSET
    del_file: Annotated[Any, fields.IDLE] = UNSET


_deleting = partial(
    route,
    access="visitor",
    refuses=(*APP, LimitReached),
    example={"appId": DEMO_APP, "chatId": DEMO_REFUND, "contentId": DEMO_RECORD},
    writes=True,
)


@_deleting(
    "DELETE /api/core/chat/record/delete",
    chinese="删除会话中的消息",
    since="4.14.11",
    versions=("4.16",),
    gather=gather_either,
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


@_deleting(
    "DELETE /api/core/chat/item/delete",
    chinese="删除会话中的一条消息",
    since="4.8.12 with keys, to 4.14.10",
    versions=("4.14",),
    gather=gather_body,
)
def delete_item(call: Call, body: DeleteItemBody) -> None:
    """Delete a record of a chat session.

    Lists omit the record; `includeDeleted` shows it. An unknown id is ignored. The chat
    is unchanged.
    """
    delete_records(call, call.app(body.app_id), body.chat_id, {body.content_id})


class UpdateUserFeedbackBody(ChatQuery, kw_only=True):
    """A reply and its feedback; an omitted feedback is removed."""

    data_id: ChatId
    user_good_feedback: Said = UNSET
    user_bad_feedback: Said = UNSET


@route(
    "POST /api/core/chat/feedback/updateUserFeedback",
    chinese="对回复点赞或点踩",
    since="4.8.12 with keys",
    access="visitor",
    refuses=(*APP, RecordNotFound, LimitReached),
    example={
        "appId": DEMO_APP,
        "chatId": DEMO_REFUND,
        "dataId": DEMO_RECORD,
        "userGoodFeedback": "yes",
    },
    writes=True,
    is_checked=True,
)
def update_user_feedback(call: Call, body: UpdateUserFeedbackBody) -> Nothing | None:
    """Rate a reply.

    Both feedbacks are stored as sent, null too, and an omitted one is removed: so one
    sent alone replaces the other. Lists of records show them; the
    chat's updateTime stays.
    """
    app = call.app(body.app_id)
    said = Feedback(body.user_good_feedback, body.user_bad_feedback)
    give_feedback(call, app, body.chat_id, body.data_id, said)
    return None if call.facts.feedback_gives_null else Nothing()

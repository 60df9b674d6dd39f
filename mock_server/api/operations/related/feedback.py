"""Feedback of readers on the replies of a chat session."""

from msgspec import UNSET

from mock_server.api.operations.operation import DEMO_APP, DEMO_RECORD, DEMO_REFUND
from mock_server.api.operations.related.fields import ChatId, ChatQuery, Nothing
from mock_server.api.operations.related.route import Call, route
from mock_server.domain.call import APP
from mock_server.domain.chats import RecordNotFound, give_feedback
from mock_server.domain.errors import LimitReached
from mock_server.domain.objects.models import Feedback
from mock_server.fixture.document import Said


class UpdateUserFeedbackBody(ChatQuery, kw_only=True):
    """The reply, and its feedback; feedback left out is deleted."""

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

    Each of the two feedbacks is stored as sent, null too, and deleted if left out: so
    one replaces the other. Lists of records show them; the chat's updateTime stays.
    """
    app = call.app(body.app_id)
    said = Feedback(body.user_good_feedback, body.user_bad_feedback)
    give_feedback(call, app, body.chat_id, body.data_id, said)
    return None if call.facts.feedback_gives_null else Nothing()

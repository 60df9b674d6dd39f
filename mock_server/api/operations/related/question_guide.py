"""The questions that are proposed after a turn of a chat session."""

from typing import Annotated, Any

from msgspec import UNSET, Meta

from mock_server.api.operations.operation import DEMO_APP, DEMO_CHAT
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.domain.call import APP
from mock_server.domain.limits import Published
from mock_server.fixture.document import Id

PATH = "/api/core/ai/agent"
QUESTIONS = (
    "What else can you do?",
    "Where does that come from?",
    "What does it cost?",
)
NO_MODEL = "No model runs; the conversation is ignored."


class CreateQuestionGuideBody(RequestFields, kw_only=True):
    """Which chat session; how questions are made is not looked at."""

    app_id: Id
    chat_id: fields.Label
    question_guide: Any = UNSET


@route(
    f"POST {PATH}/v2/createQuestionGuide",
    name="v2.createQuestionGuide",
    chinese="下一步提问建议",
    since="4.8.14",
    differs=NO_MODEL,
    access="visitor",
    refuses=APP,
    example={"appId": DEMO_APP, "chatId": DEMO_CHAT},
)
def create_question_guide(call: Call, body: CreateQuestionGuideBody) -> list[str]:
    """Propose questions to go on with.

    An app's `questionGuide` in the fixture, else three that are always the same; an
    unknown chat has them too, and nothing is stored.
    """
    return [*(call.app(body.app_id).question_guide or QUESTIONS)]


class OlderGuideBody(RequestFields, kw_only=True):
    """What has been said, which is not looked at."""

    messages: Annotated[list[Any], Meta(max_length=Published.json_values)]


@route(
    f"POST {PATH}/createQuestionGuide",
    chinese="下一步提问建议（旧路径）",
    since="4.6",
    differs=NO_MODEL,
    access="visitor",
    example={"messages": [{"role": "user", "content": "Hello"}]},
)
def create_question_guide_of_messages(call: Call, body: OlderGuideBody) -> list[str]:
    """Propose questions to go on with, at an older path.

    No app is named, so they are three that are always the same.
    """
    del call, body
    return [*QUESTIONS]

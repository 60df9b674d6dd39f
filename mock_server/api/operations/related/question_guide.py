"""Routes that propose the next questions of a chat session."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from mock_server.api.operations.operation import DEMO_APP, DEMO_CHAT
from mock_server.api.operations.related import fields, workflow_values
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.domain.call import APP
from mock_server.domain.limits import Published

PATH = "/api/core/ai/agent"
QUESTIONS = (
    "What else can you do?",
    "Where does that come from?",
    "What does it cost?",
)
NO_MODEL = "No model runs, and the conversation is ignored."


class GuideSettings(Struct, rename="camel"):
    """Settings for proposed questions."""

    open: workflow_values.Switch
    model: str = ""
    custom_prompt: str = ""


class CreateQuestionGuideBody(fields.ChatQuery, kw_only=True):
    """The chat session; `questionGuide` has no effect."""

    question_guide: Annotated[GuideSettings | bool, fields.IDLE] | UnsetType = UNSET


@route(
    f"POST {PATH}/v2/createQuestionGuide",
    name="v2.createQuestionGuide",
    chinese="下一步提问建议",
    since="4.8.14",
    differences=NO_MODEL,
    access="visitor",
    refusals=APP,
    example={"appId": DEMO_APP, "chatId": DEMO_CHAT},
)
def create_question_guide(call: Call, body: CreateQuestionGuideBody) -> list[str]:
    """Propose the next questions of a chat.

    Returns the application's `questionGuide` from the fixture, else three fixed
    questions, for unknown chats too. Nothing is stored.
    """
    return [*(call.app(body.app_id).question_guide or QUESTIONS)]


class ContextMessage(Struct):
    """A message and its role."""

    role: Literal["user", "assistant", "system", "tool", "function"]
    content: str | list[dict[str, Any]] | UnsetType = UNSET
    name: str = ""
    tool_calls: list[dict[str, Any]] | UnsetType = UNSET
    tool_call_id: str = ""


class OlderGuideBody(RequestFields, kw_only=True):
    """The messages so far; they are checked, but have no effect."""

    messages: Annotated[
        list[ContextMessage], Meta(max_length=Published.json_values), fields.IDLE
    ]
    out_link_auth_data: fields.LinkAuth = UNSET

    def check(self) -> None:
        """Raise InvalidField if `outLinkAuthData` is a text without JSON."""
        fields.auth_of(self.out_link_auth_data)


@route(
    f"POST {PATH}/createQuestionGuide",
    chinese="下一步提问建议（旧路径）",
    since="4.6",
    differences=NO_MODEL,
    access="visitor",
    example={"messages": [{"role": "user", "content": "Hello"}]},
)
def create_question_guide_of_messages(call: Call, body: OlderGuideBody) -> list[str]:
    """Propose the next questions of a chat, at an older path.

    Returns three fixed questions, because the request names no application.
    """
    del call, body
    return [*QUESTIONS]

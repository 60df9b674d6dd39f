"""Chats over share links: how a page opens a chat without a key."""

from typing import Any

from msgspec import UNSET, UnsetType, field

from mock_server.api.envelope import View
from mock_server.api.operations.operation import DEMO_SHARE
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.chats import chat_config
from mock_server.api.operations.related.route import Call, RequestFields, route

AVATAR = "/imgs/avatar/BlueAvatar.svg"
"""Path of a visitor's picture."""


class OlderOutLinkQuery(RequestFields, kw_only=True):
    """The share link, its visitor, and optionally a chat session."""

    chat_id: fields.Name | UnsetType = UNSET
    share_id: fields.Name | UnsetType = UNSET
    out_link_uid: fields.Name | UnsetType = UNSET


class OutLinkQuery(RequestFields, kw_only=True):
    """The share link and its visitor, as JSON text, and optionally a chat session."""

    chat_id: fields.Name | UnsetType = UNSET
    out_link_auth_data: fields.Name | fields.ShareAuth

    def check(self) -> None:
        """Raise InvalidField for a text that is no JSON."""
        fields.auth_of(self.out_link_auth_data)


class SharedAppView(View, kw_only=True):
    """An application for its visitors."""

    chat_config: dict[str, Any] = field(default_factory=chat_config)
    name: str
    avatar: str
    intro: str
    type: str
    plugin_inputs: list[Any] = field(default_factory=list)


class SharedInitView(View, kw_only=True):
    """A chat session that a visitor opens; title and status only if it exists."""

    chat_id: str | UnsetType
    app_id: str
    title: str | UnsetType = UNSET
    user_avatar: str = AVATAR
    variables: dict[str, Any] = field(default_factory=dict)
    app: SharedAppView
    chat_generate_status: int | UnsetType = UNSET
    has_been_read: bool | UnsetType = UNSET


@route(
    "GET /api/core/chat/outLink/init",
    name="outLink.init",
    chinese="通过免登录链接打开会话",
    since="4.6; `outLinkAuthData` since 4.15",
    former=("shares_are_nested", OlderOutLinkQuery),
    differs="The app has no settings; every chat counts as read, and "
    "every visitor has the same picture.",
    access="link",
    example={
        "chatId": "of-a-visitor",
        "outLinkAuthData": f'{{"shareId": "{DEMO_SHARE}", "outLinkUid": "ann"}}',
    },
)
def out_link_init(call: Call, query: OutLinkQuery) -> SharedInitView:
    """Open a chat session over a share link.

    The link leads to its sandbox; keys are ignored. Nothing is created. A chat of
    another visitor is refused.
    """
    app = call.app(call.visited().app_id)
    chat = call.own_chat(app, query.chat_id or "")
    shown = fields.shown(SharedAppView, app)
    view = SharedInitView(chat_id=query.chat_id or UNSET, app_id=app.id, app=shown)
    if chat is not None or call.facts.out_link_init_says_more:
        view.title = chat.title if chat else ""
    if chat is not None and call.facts.out_link_init_says_more:
        view.chat_generate_status, view.has_been_read = 1, True
    return view

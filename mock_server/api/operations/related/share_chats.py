"""The route that opens a chat over a share link, without an API key."""

from typing import Any

from msgspec import UNSET, UnsetType, field

from mock_server.api.envelope import View
from mock_server.api.operations.operation import DEMO_SHARE
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.chats import chat_config
from mock_server.api.operations.related.route import Call, RequestFields, route

VISITOR_AVATAR = "/imgs/avatar/BlueAvatar.svg"
"""Path of the picture of every visitor."""


class OlderOutLinkQuery(RequestFields, kw_only=True):
    """The share link and its visitor as in older versions, and optionally a chat."""

    chat_id: fields.Name | UnsetType = UNSET
    share_id: fields.Name | UnsetType = UNSET
    out_link_uid: fields.Name | UnsetType = UNSET


class OutLinkQuery(RequestFields, kw_only=True):
    """The share link and its visitor, as JSON text, and optionally a chat session."""

    chat_id: fields.Name | UnsetType = UNSET
    out_link_auth_data: fields.Name | fields.ShareAuth

    def check(self) -> None:
        """Raise InvalidField if `outLinkAuthData` is a text without JSON."""
        fields.auth_of(self.out_link_auth_data)


class SharedAppView(View, kw_only=True):
    """An application as a visitor of a share link sees it."""

    chat_config: dict[str, Any] = field(default_factory=chat_config)
    name: str
    avatar: str
    intro: str
    type: str
    plugin_inputs: list[Any] = field(default_factory=list)


class SharedInitView(View, kw_only=True):
    """A chat session that a visitor opens; only a known chat has a status."""

    chat_id: str | UnsetType = UNSET
    app_id: str
    title: str | UnsetType = UNSET
    user_avatar: str = VISITOR_AVATAR
    variables: dict[str, Any] = field(default_factory=dict)
    app: SharedAppView
    chat_generate_status: int | UnsetType = UNSET
    has_been_read: bool | UnsetType = UNSET


@route(
    "GET /api/core/chat/outLink/init",
    name="outLink.init",
    chinese="通过免登录链接打开会话",
    since="4.6; `outLinkAuthData` since 4.15",
    former_fields=("shares_are_nested", OlderOutLinkQuery),
    differences="The application has no settings of its own. Every chat counts as "
    "read. Every visitor has the same picture.",
    access="link",
    example={
        "chatId": "of-a-visitor",
        "outLinkAuthData": f'{{"shareId": "{DEMO_SHARE}", "outLinkUid": "ann"}}',
    },
)
def out_link_init(call: Call, query: OutLinkQuery) -> SharedInitView:
    """Open a chat session over a share link.

    The link leads to its sandbox; an API key is ignored. Nothing is created. A chat of
    another visitor is refused.
    """
    app = call.app(call.visited_share().app_id)
    chat = call.visible_chat(app, query.chat_id or "")
    app_view = fields.copy_fields(SharedAppView, app)
    view = SharedInitView(chat_id=query.chat_id or UNSET, app_id=app.id, app=app_view)
    if chat is not None or call.facts.out_link_init_has_status:
        view.title = chat.title if chat else ""
    if chat is not None and call.facts.out_link_init_has_status:
        view.chat_generate_status, view.has_been_read = 1, True
    return view

"""Routes that list, open, mark and delete the chat sessions of an application."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.operations.operation import DEMO_APP, DEMO_CHAT
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import Call, read_body_and_page, route
from mock_server.domain.access import Level
from mock_server.domain.call import APP
from mock_server.domain.chats import is_listed, remove_chats, remove_listed_chats
from mock_server.domain.clock import format_time
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.blocks import SelectionView
from mock_server.domain.objects.models import App, Chat
from mock_server.domain.objects.pending import Steps, select_in_steps
from mock_server.domain.pinning import ChatNotFound
from mock_server.fixture.document import Id, Time

PATH = "/api/core/chat/history"
SINCE = "4.8.12 with API keys, 4.14.5 at this path"
ONE_CHAT = {"appId": DEMO_APP, "chatId": DEMO_CHAT}
SEVERAL_CHATS = {"appId": DEMO_APP, "chatIds": [DEMO_CHAT]}


Source = Literal[
    "test",
    "online",
    "share",
    "api",
    "cronJob",
    "feishu",
    "official_account",
    "wecom",
    "wechat",
    "mcp",
]


class GetHistoriesBody(fields.PagedChatFields, kw_only=True):
    """The application, the page and filters; creation times have no effect."""

    source: Source | UnsetType = UNSET
    start_create_time: fields.IdleText = UNSET
    end_create_time: fields.IdleText = UNSET
    start_update_time: Time | UnsetType = UNSET
    end_update_time: Time | UnsetType = UNSET


class DelHistoryQuery(fields.OptionalChatFields, kw_only=True):
    """The chat session."""

    chat_id: fields.ChatId


def _app_of(body: GetHistoriesBody | DelHistoryQuery) -> str:
    if not body.app_id:
        # FastGPT does not say that the field is missing.
        raise ChatNotFound("the id of an app", "nothing", "$.appId")
    return body.app_id


class HistoryView(View):
    """A chat session in a list."""

    chat_id: str
    update_time: Time
    app_id: str
    custom_title: str
    title: str
    top: bool
    chat_generate_status: int = 1
    has_been_read: bool = True


class HistoriesView(View):
    """A page of chat sessions."""

    list: list[HistoryView]
    total: int


def _history_view(chat: Chat, _: object) -> HistoryView:
    return fields.copy_fields(
        HistoryView, chat, update_time=format_time(chat.update_time)
    )


@route(
    f"POST {PATH}/getHistories",
    legacy_path="/api/core/chat/getHistories",
    chinese="应用会话的一页",
    since=SINCE,
    differences="Chats belong to no member. Every chat counts as done and read. The "
    "source `share` lists the chats of share links, any other source all other chats. "
    "Creation times do not filter.",
    access="visitor",
    refusals=(ChatNotFound, *APP, *fields.PAGING),
    example={"appId": DEMO_APP, "pageSize": 2},
    read_fields=read_body_and_page,
    data_type=HistoriesView,
    item_view=_history_view,
    invent_item=lambda it, n: Chat(it.app_id or "", f"appeared-{n}", f"Appeared {n}"),
)
def get_histories(call: Call, body: GetHistoriesBody) -> Page[Chat]:
    """Get a page of an application's chat sessions.

    Pinned chats come first, then the latest. `startUpdateTime` and `endUpdateTime` are
    inclusive.
    """
    paging = fields.paging_of(body)
    start = fields.time_of(body.start_update_time, "startUpdateTime", fields.CastError)
    end = fields.time_of(body.end_update_time, "endUpdateTime", fields.CastError)
    if not call.facts.histories_check_the_app:
        app = call.store.app(body.app_id or "")
        if app is None or app.level_of(call.caller) < Level.READ:
            call.state.hint("no app of this appId can be read, so the page is empty")
            return fields.page_of([], paging)
    app_id = _app_of(body)
    chats = call.store.chats_in_order(call.app(app_id))
    filters = body.source or None, start, end, call.caller.visitor
    if any(each is not None for each in filters):

        def is_wanted(chat: Chat) -> bool:
            is_shared = chat.share_id is not None
            return (
                (not body.source or is_shared is (body.source == "share"))
                and (start is None or chat.update_time >= start)
                and (end is None or chat.update_time <= end)
                and is_listed(call, chat)
            )

        chats = call.compute("chats", _selected(chats, is_wanted))
    return fields.page_of(chats, paging)


def _selected(
    chats: Sequence[Chat], is_wanted: Callable[[Chat], bool]
) -> Steps[Sequence[Chat]]:
    indexes = yield from select_in_steps(chats, is_wanted)
    return SelectionView(chats, indexes)


@route(
    f"DELETE {PATH}/delHistory",
    legacy_path="/api/core/chat/delHistory",
    chinese="删除会话",
    since=SINCE,
    differences="In FastGPT the records of a deleted chat stay readable, a completion "
    "does not restore the chat, and chats of other members are refused.",
    former_fields=("delete_without_app_is_unknown_chat", fields.ChatQuery),
    access="visitor",
    refusals=(ChatNotFound, *APP),
    example=ONE_CHAT,
    is_write=True,
    is_always_checked=True,
)
def del_history(call: Call, query: DelHistoryQuery) -> None:
    """Delete a chat session.

    Its records are deleted too. An unknown chat is ignored.
    """
    app = call.app(_app_of(query))
    if call.store.chat(app, query.chat_id) is None:
        nothing = "the app has no chat session of this chatId: nothing was deleted"
        call.state.hint(nothing)
    else:
        call.store.remove_chats(app, query.chat_id)


class ClearHistoriesQuery(fields.ChatFields):
    """The application."""


@route(
    f"DELETE {PATH}/clearHistories",
    legacy_path="/api/core/chat/clearHistories",
    chinese="删除应用的所有会话",
    since=SINCE,
    differences="Chats of every source are deleted. In FastGPT an API key deletes "
    "chats of source `api`, and a login token the user's own online chats.",
    access="visitor",
    refusals=APP,
    example={"appId": DEMO_APP},
    is_write=True,
    is_always_checked=True,
)
def clear_histories(call: Call, query: ClearHistoriesQuery) -> None:
    """Delete all chat sessions of an application.

    The chats of every member are deleted, with their records. A share link deletes only
    the chats of its visitor.
    """
    app = call.app(query.app_id)
    if call.caller.visitor is None:
        call.store.clear_chats(app)
        return
    call.compute("cleared", remove_listed_chats(call, app), is_change=True)


class BatchDeleteBody(fields.TargetFields, kw_only=True):
    """The application and some of its chat sessions."""

    app_id: Id
    chat_ids: Annotated[list[Id], Meta(min_length=1)]


_UNKNOWN_IDS = "the app has no chat session for some of these chatIds"


def _known_chats(call: Call, app: App, ids: list[str]) -> list[Chat]:
    unique_ids = dict.fromkeys(ids)
    chats = (call.store.chat(app, each) for each in unique_ids)
    visible = [each for each in chats if each is not None and call.may_see(each)]
    if len(visible) < len(unique_ids):
        call.state.hint(_UNKNOWN_IDS)
    return visible


@route(
    f"POST {PATH}/batchDelete",
    chinese="删除若干会话",
    since="4.14.5",
    differences="The mock server requires manage permission; FastGPT requires the "
    "permission to see chat logs.",
    refusals=APP,
    example=SEVERAL_CHATS,
    is_write=True,
    is_always_checked=True,
)
def batch_delete(call: Call, body: BatchDeleteBody) -> None:
    """Delete some chat sessions.

    Their records are deleted too. Unknown ids are ignored.
    """
    app = call.app(body.app_id, Level.MANAGE)
    ids = dict.fromkeys(body.chat_ids)
    steps = remove_chats(call, app, ids, call.may_see)
    if call.compute("deleted", steps, is_change=True) < len(ids):
        call.state.hint(_UNKNOWN_IDS)


class GetHistoryStatusBody(fields.ChatFields, kw_only=True):
    """The application and some of its chat sessions."""

    chat_ids: Annotated[list[Id], Meta(min_length=1, max_length=200)]


class StatusView(View):
    """Progress of a chat session; status 1 is done."""

    chat_id: str
    update_time: Time
    chat_generate_status: int = 1
    has_been_read: bool = True


class StatusesView(View):
    """Progress of some chat sessions."""

    list: list[StatusView]


@route(
    f"POST {PATH}/getHistoryStatus",
    chinese="若干会话的进度",
    since="4.14.11",
    versions=("4.16",),
    differences="Every chat counts as done and read. An unknown application is "
    "refused.",
    access="visitor",
    refusals=APP,
    example=SEVERAL_CHATS,
)
def get_history_status(call: Call, body: GetHistoryStatusBody) -> StatusesView:
    """Get the status of some chat sessions.

    Returns the status of each known chat; unknown ids are ignored.
    """
    chats = _known_chats(call, call.app(body.app_id), body.chat_ids)
    times = [(each.chat_id, format_time(each.update_time)) for each in chats]
    return StatusesView([StatusView(*each) for each in times])


@route(
    f"POST {PATH}/markRead",
    chinese="将会话标为已读",
    since="4.14.11",
    versions=("4.16",),
    differences="Every chat already counts as read.",
    access="visitor",
    refusals=APP,
    example=ONE_CHAT,
    is_write=True,
)
def mark_read(call: Call, body: fields.ChatQuery) -> None:
    """Mark a chat session as read.

    The caller needs write permission on the application. The chat's updateTime becomes
    the current time, so lists show it as the latest chat. An unknown chat is ignored.
    """
    app = call.app(body.app_id, Level.WRITE)
    chat = call.store.chat(app, body.chat_id)
    if chat is None:
        call.state.hint("the app has no chat session of this chatId")
    else:
        call.store.put_chat(app, replace(chat, update_time=call.now))


def chat_config() -> dict[str, Any]:
    """Return the chat settings of every application."""
    switches = dict.fromkeys(("open", "autoSend", "autoTTSResponse"), False)
    return {
        "questionGuide": {"open": False},
        "ttsConfig": {"type": "web"},
        "whisperConfig": switches,
        "chatInputGuide": {"open": False, "textList": [], "customUrl": ""},
        "autoExecute": {"open": False, "defaultPrompt": ""},
        "variables": [],
        "welcomeText": "",
    }


class AppView(View):
    """An application in its chat sessions."""

    name: str
    chat_config: dict[str, Any] = field(default_factory=chat_config)
    chat_models: list[str] = field(default_factory=list)
    avatar: str = ""
    intro: str = ""
    type: str = "simple"
    plugin_inputs: list[Any] = field(default_factory=list)


class InitView(View):
    """An opened chat session and its application."""

    chat_id: str
    app_id: str
    title: str
    app: AppView
    variables: dict[str, Any] = field(default_factory=dict)
    chat_generate_status: int = 1
    has_been_read: bool = True


class InitQuery(fields.TargetFields, kw_only=True):
    """The application and the chat session."""

    app_id: Id
    chat_id: fields.ChatId
    load_custom_feedbacks: Annotated[Any, fields.IDLE] = UNSET


@route(
    "GET /api/core/chat/init",
    chinese="打开会话",
    since="4.8.12 with API keys",
    differences="The application has no settings of its own. Every chat counts as "
    "read.",
    refusals=APP,
    example=ONE_CHAT,
    is_always_checked=True,
)
def init(call: Call, query: InitQuery) -> InitView:
    """Open a chat session.

    Nothing is created. The title of an unknown chat is empty; a renamed chat shows its
    first title.
    """
    app = call.app(query.app_id)
    chat = call.store.chat(app, query.chat_id)
    title = chat.title if chat else ""
    view = AppView(app.name, avatar=app.avatar, intro=app.intro, type=app.type)
    return InitView(query.chat_id, app.id, title, view)

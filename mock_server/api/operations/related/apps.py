"""Routes that list, show, create, change and delete applications and their folders."""

from typing import Annotated, Any, Literal, get_args

from msgspec import UNSET, Meta, Struct, UnsetType, field, structs
from msgspec.structs import replace

from mock_server.api.envelope import View
from mock_server.api.errors import MissingAuthorization
from mock_server.api.operations.list_v2 import Roles, roles
from mock_server.api.operations.operation import DEMO_APP
from mock_server.api.operations.related import fields, holders
from mock_server.api.operations.related import workflow_fields as workflow
from mock_server.api.operations.related.datasets import Member
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.api.operations.related.workflow_values import Switch
from mock_server.domain import app_folders, errors, folders
from mock_server.domain.access import Level
from mock_server.domain.call import APP
from mock_server.domain.clock import format_time
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.models import APP_FOLDERS, DEFAULT_TEAM_ID, App
from mock_server.fixture.document import Id, Time

PATH = "/api/core/app"
_MOST_FOUND = 50
"""Maximum number of applications that a search shows, as in FastGPT."""
_HIDDEN = "hidden"
AppType = Literal[
    "folder",
    "toolFolder",
    "simple",
    "chatAgent",
    "advanced",
    "plugin",
    "toolSet",
    "httpToolSet",
    "hidden",
    "tool",
    "httpPlugin",
]
_TYPES = frozenset(get_args(AppType))


class AppRoles(Roles):
    """The caller's permissions and roles for an application."""

    has_read_chat_log_per: bool
    has_read_chat_log_role: bool


def _roles(level: Level) -> AppRoles:
    may_read_logs = level >= Level.MANAGE
    return AppRoles(
        **structs.asdict(roles(level)),
        has_read_chat_log_per=may_read_logs,
        has_read_chat_log_role=may_read_logs,
    )


class AppItem(View, kw_only=True):
    """Fields of an application in lists and details."""

    id: str = field(name="_id")
    parent_id: str | None
    tmb_id: str
    name: str
    avatar: str
    intro: str
    type: str
    update_time: Time
    inherit_permission: bool = True
    permission: AppRoles


class ListedApp(AppItem, kw_only=True):
    """An item of a list of applications."""

    private: bool = False
    source_member: Member
    has_interactive_node: bool = False


class AppListBody(RequestFields, kw_only=True):
    """Filters of applications: a folder, types and a text."""

    parent_id: fields.Parent = UNSET
    type: Any = UNSET
    search_key: fields.SearchText | UnsetType = UNSET


def _app_view(app_with_level: holders.WithLevel[App], _: object) -> ListedApp:
    app, level = app_with_level
    return fields.copy_fields(
        ListedApp,
        app,
        permission=_roles(level),
        update_time=format_time(app.update_time),
        source_member=Member(app.tmb_id),
    )


@route(
    f"POST {PATH}/list",
    chinese="调用者可读的应用",
    since="4.8.12 with API keys",
    differences="A caller who does not own everything sees the top level only; FastGPT "
    "adds deeper applications of that member. A permission on a folder does not "
    "apply to its content.",
    refusals=APP,
    example={"parentId": None},
    item_view=_app_view,
    has_total=False,
    invent_item=lambda _, n: (App(f"appeared-{n}", f"Appeared {n}"), Level.OWNER),
)
def app_list(call: Call, body: AppListBody) -> Page[holders.WithLevel[App]]:
    """List the applications that the caller may read.

    Returns an array, the latest first, of the top level or of the folder `parentId`.
    `searchKey` finds the first 50, on all levels, with this text in name or intro. Type
    `hidden` is listed only if `type` names it; unknown types are ignored.
    """
    search_term, folder = fold(body.search_key or ""), body.parent_id or None
    if folder is not None:
        call.app(folder, Level.READ, "$.parentId")
    names = body.type if isinstance(body.type, list) else [body.type]
    types = _TYPES.intersection(each for each in names if isinstance(each, str))

    def is_wanted(app: App) -> bool:
        is_in_folder = bool(search_term) or app.parent_id == folder
        return is_in_folder and (app.type in types if types else app.type != _HIDDEN)

    apps = [*filter(is_wanted, call.store.apps())]
    if search_term:
        apps = holders.search(call, search_term, apps)
    return holders.page_of(call, apps, _MOST_FOUND if search_term else None)


class AppQuery(RequestFields):
    """The application."""

    app_id: Id


class AppDetail(AppItem, kw_only=True):
    """The details of an application."""

    team_id: str = DEFAULT_TEAM_ID
    version: str = "v2"
    modules: list[Any] = field(default_factory=list)
    edges: list[Any] = field(default_factory=list)
    chat_config: dict[str, Any] = field(default_factory=dict)
    team_tags: list[str] | UnsetType = UNSET


@route(
    f"GET {PATH}/detail",
    chinese="单个应用",
    since="4.6",
    differences="`modules`, `edges` and `chatConfig` are empty.",
    refusals=APP,
    example={"appId": DEMO_APP},
    access="login",
)
def app_detail(call: Call, query: AppQuery) -> AppDetail:
    """Get an application.

    Returns the fields that lists show, and the team. The caller needs a login token.
    """
    app = call.app(query.app_id)
    return fields.copy_fields(
        AppDetail,
        app,
        team_tags=[] if call.facts.app_detail_has_team_tags else UNSET,
        permission=_roles(app.level_of(call.caller)),
        update_time=format_time(app.update_time),
    )


class Campaign(Struct, rename="camel"):
    """The advertising campaign that led the user to FastGPT."""

    short_url_source: str | UnsetType = UNSET
    short_url_medium: str | UnsetType = UNSET
    short_url_content: str | UnsetType = UNSET


class AppCreateBody(RequestFields, kw_only=True):
    """The application to create; nodes, edges and settings are not stored."""

    name: Annotated[str, Meta(min_length=1, max_length=Published.name_chars)]
    type: AppType
    parent_id: fields.Parent = UNSET
    avatar: fields.LongText | UnsetType = UNSET
    intro: fields.LongText | UnsetType = UNSET
    modules: workflow.Nodes = UNSET
    edges: workflow.Edges = UNSET
    chat_config: workflow.Settings = UNSET
    template_id: fields.IdleText = UNSET
    utm_params: Annotated[Campaign, fields.IDLE] | UnsetType = UNSET


@route(
    f"POST {PATH}/create",
    chinese="创建应用",
    since="4.6",
    differences="Nodes, edges and settings are not stored. The limit `created_apps` "
    "replaces the quota of FastGPT. The folder's updateTime stays.",
    refusals=(*app_folders.INSERT, errors.LimitReached),
    example={"name": "Returns", "type": "simple"},
    is_write=True,
)
def app_create(call: Call, body: AppCreateBody) -> str:
    """Create an application or a folder.

    Returns the id. The types `plugin`, `toolSet` and `httpToolSet` need a folder of
    type `toolFolder`; `simple`, `chatAgent` and `advanced` need one of type `folder`.
    """
    store = call.store
    if call.caller.username is None and not call.facts.app_create_takes_keys:
        raise MissingAuthorization("a login", "an API key", "headers")
    parent = app_folders.folder_for(call, body.parent_id or None, Level.WRITE)
    app_folders.check_place(call, body.type, parent)
    created_count = sum(it.id not in store.fixture.apps for it in store.apps())
    call.check_room(created_count, call.state.limits.created_apps, "created apps")
    app = App(
        store.new_id(),
        body.name,
        permissions=holders.permissions_of(call),
        parent_id=parent.id if parent else None,
        type=body.type,
        intro=body.intro or "",
        avatar=body.avatar or "",
        tmb_id=call.member,
        update_time=call.now,
    )
    store.put_app(app)
    return app.id


class AppUpdateBody(RequestFields, kw_only=True):
    """The application and its new values; nodes, edges and settings are not stored."""

    app_id: Id
    parent_id: fields.Parent = UNSET
    name: fields.Name | UnsetType = UNSET
    type: AppType | UnsetType = UNSET
    avatar: fields.LongText | UnsetType = UNSET
    intro: fields.LongText | UnsetType = UNSET
    nodes: workflow.Nodes = UNSET
    edges: workflow.Edges = UNSET
    chat_config: workflow.Settings = UNSET
    team_tags: Annotated[Any, fields.IDLE] = UNSET


@route(
    f"PUT {PATH}/update",
    chinese="重命名或移动应用",
    since="4.6",
    differences="The data is null; FastGPT may return its database's result. Nodes, "
    "edges and settings are not stored. A folder cannot move into itself.",
    refusals=(*app_folders.INSERT, *app_folders.MOVE),
    example={"appId": DEMO_APP, "name": "Support"},
    is_write=True,
    access="login",
)
def app_update(call: Call, body: AppUpdateBody) -> None:
    """Rename or move an application.

    Changes name, intro, avatar, type and folder. A move needs permission to manage both
    folders. The caller needs a login token.
    """
    app, is_moved = call.app(body.app_id, Level.NONE), body.parent_id is not UNSET
    parent = None
    if is_moved:
        parent = app_folders.folder_for(call, body.parent_id or None, Level.MANAGE)
    call.require(app, Level.WRITE, "$.appId")
    # Empty values change nothing, except an empty introduction.
    values = {"name": body.name, "type": body.type, "avatar": body.avatar}
    changes: dict[str, Any] = {name: each for name, each in values.items() if each}
    changes |= {} if body.intro is UNSET else {"intro": body.intro}
    app_type = changes.get("type", app.type)
    app_folders.check_type(call, app, app_type)
    if is_moved:
        app_folders.check_move(call, app, app_type, parent)
        changes["parent_id"] = parent.id if parent else None
    elif app_type != app.type and app.parent_id:
        app_folders.check_place(call, app_type, call.store.app(app.parent_id))
    call.store.put_app(replace(app, update_time=call.now, **changes))


@route(
    f"DELETE {PATH}/del",
    name="app.del",
    chinese="删除应用",
    since="4.6",
    differences="The application disappears at once.",
    refusals=APP,
    example={"appId": DEMO_APP},
    is_write=True,
    access="login",
)
def app_del(call: Call, query: AppQuery) -> list[str]:
    """Delete an application.

    A folder is deleted with its content. Returns the ids of deleted applications,
    without folders. The caller needs a login token.
    """
    app, store = call.app(query.app_id, Level.OWNER), call.store
    removed = [app, *folders.descendants(store.apps(), app.id)]
    store.remove_apps({each.id for each in removed})
    return [each.id for each in removed if each.type not in APP_FOLDERS]


class PublishBody(RequestFields, kw_only=True):
    """The application; nothing of the published version is stored."""

    app_id: Id
    nodes: workflow.Nodes = UNSET
    edges: workflow.Edges = UNSET
    chat_config: workflow.Settings = UNSET
    is_publish: Annotated[Switch, fields.IDLE] | UnsetType = UNSET
    version_name: fields.IdleText = UNSET
    auto_save: Annotated[Switch, fields.IDLE] | UnsetType = UNSET


@route(
    f"POST {PATH}/version/publish",
    name="app.version.publish",
    chinese="发布应用",
    since="4.8",
    differences="No version, node, edge or setting is stored.",
    refusals=APP,
    example={"appId": DEMO_APP, "nodes": [], "edges": [], "isPublish": True},
    is_write=True,
    access="login",
)
def app_publish(call: Call, body: PublishBody) -> None:
    """Publish or save an application.

    Only the application's updateTime changes. The caller needs a login token.
    """
    app = call.app(body.app_id, Level.WRITE)
    call.store.put_app(replace(app, update_time=call.now))

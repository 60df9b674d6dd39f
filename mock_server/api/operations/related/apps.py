"""Applications and their folders: list, show, create, change, delete."""

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
from mock_server.domain import app_folders, errors, folders
from mock_server.domain.access import Level
from mock_server.domain.call import APP
from mock_server.domain.clock import format_time
from mock_server.domain.limits import Published
from mock_server.domain.listing.list_v2 import Page
from mock_server.domain.objects.haystack import fold
from mock_server.domain.objects.models import APP_FOLDERS, DEFAULT_TEAM_ID, App
from mock_server.fixture.document import Id, Shared, Time

PATH = "/api/core/app"
_FOUND = 50
"""Number of applications that a search shows, as in the service."""
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
    logs = level >= Level.MANAGE
    return AppRoles(
        **structs.asdict(roles(level)),
        has_read_chat_log_per=logs,
        has_read_chat_log_role=logs,
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
    """Filters of applications: folder, types, text."""

    parent_id: fields.Parent = UNSET
    type: Any = UNSET
    search_key: Shared | UnsetType = UNSET


def _listed(seen: holders.Seen[App], _: object) -> ListedApp:
    app, level = seen
    return fields.shown(
        ListedApp,
        app,
        permission=_roles(level),
        update_time=format_time(app.update_time),
        source_member=Member(app.tmb_id),
    )


@route(
    f"POST {PATH}/list",
    chinese="调用者可读的应用",
    since="4.8.12 with keys",
    differs="A caller who does not own everything sees the top level only; FastGPT "
    "also shows deeper apps of that member. A permission on a folder does not "
    "apply to its content.",
    refuses=APP,
    example={"parentId": None},
    shows=_listed,
    has_total=False,
    appear=lambda _, n: (App(f"appeared-{n}", f"Appeared {n}"), Level.OWNER),
)
def app_list(call: Call, wanted: AppListBody) -> Page[holders.Seen[App]]:
    """List the applications that the caller may read.

    Returns an array, the latest first: of the top level, or of the folder `parentId`;
    with `searchKey` the first 50 of all levels with that text in name or intro. Type
    `hidden` only if `type` names it; unknown types are ignored.
    """
    term, folder = fold(wanted.search_key or ""), wanted.parent_id or None
    if folder is not None:
        call.app(folder, Level.READ, "$.parentId")
    given = wanted.type if isinstance(wanted.type, list) else [wanted.type]
    types = _TYPES.intersection(each for each in given if isinstance(each, str))

    def is_wanted(app: App) -> bool:
        is_there = bool(term) or app.parent_id == folder
        return is_there and (app.type in types if types else app.type != _HIDDEN)

    found = [*filter(is_wanted, call.store.apps())]
    if term:
        found = holders.named(call, term, found)
    return holders.page_of(call, found, _FOUND if term else None)


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
    differs="`modules`, `edges` and `chatConfig` are empty.",
    refuses=APP,
    example={"appId": DEMO_APP},
    access="login",
)
def app_detail(call: Call, query: AppQuery) -> AppDetail:
    """Get an application.

    Returns its fields in lists, and its team. Needs a login token.
    """
    app = call.app(query.app_id)
    return fields.shown(
        AppDetail,
        app,
        team_tags=[] if call.facts.app_detail_has_team_tags else UNSET,
        permission=_roles(app.level_of(call.caller)),
        update_time=format_time(app.update_time),
    )


class Campaign(Struct, rename="camel"):
    """Names of the link by which a user came."""

    short_url_source: str | UnsetType = UNSET
    short_url_medium: str | UnsetType = UNSET
    short_url_content: str | UnsetType = UNSET


class AppCreateBody(RequestFields, kw_only=True):
    """Name and folder of the application; the other fields are not stored."""

    name: Annotated[str, Meta(min_length=1, max_length=Published.name_chars)]
    type: AppType
    parent_id: fields.Parent = UNSET
    avatar: fields.Long | UnsetType = UNSET
    intro: fields.Long | UnsetType = UNSET
    modules: workflow.Nodes = UNSET
    edges: workflow.Edges = UNSET
    chat_config: workflow.Settings = UNSET
    template_id: fields.Text = UNSET
    utm_params: Annotated[Campaign, fields.IDLE] | UnsetType = UNSET


@route(
    f"POST {PATH}/create",
    chinese="创建应用",
    since="4.6",
    differs="Nodes, edges and settings are not stored. The limit `created_apps` "
    "replaces the quota of FastGPT. A new app does not change the updateTime of its "
    "folder.",
    refuses=(*app_folders.PUT_IN, errors.LimitReached),
    example={"name": "Returns", "type": "simple"},
    writes=True,
)
def app_create(call: Call, new: AppCreateBody) -> str:
    """Create an application or a folder.

    Returns the id. Tools go to folders of type `toolFolder`, agents to type `folder`.
    """
    store = call.store
    if call.caller.username is None and not call.facts.app_create_takes_keys:
        raise MissingAuthorization("a login", "an API key", "headers")
    parent = app_folders.folder_for(call, new.parent_id or None, Level.WRITE)
    app_folders.check_place(call, new.type, parent)
    created = sum(it.id not in store.generation.apps for it in store.apps())
    call.check_room(created, call.state.limits.created_apps, "created apps")
    made = App(
        store.new_id(),
        new.name,
        permissions=holders.permissions_of(call),
        parent_id=parent.id if parent else None,
        type=new.type,
        intro=new.intro or "",
        avatar=new.avatar or "",
        tmb_id=call.member,
        update_time=call.now,
    )
    store.put_app(made)
    return made.id


class AppUpdateBody(RequestFields, kw_only=True):
    """The application, and its new values; the other fields are not stored."""

    app_id: Id
    parent_id: fields.Parent = UNSET
    name: fields.Name | UnsetType = UNSET
    type: AppType | UnsetType = UNSET
    avatar: fields.Long | UnsetType = UNSET
    intro: fields.Long | UnsetType = UNSET
    nodes: workflow.Nodes = UNSET
    edges: workflow.Edges = UNSET
    chat_config: workflow.Settings = UNSET
    team_tags: Annotated[Any, fields.IDLE] = UNSET


@route(
    f"PUT {PATH}/update",
    chinese="重命名或移动应用",
    since="4.6",
    differs="The data is null; FastGPT may return its database's result. Nodes, "
    "edges and settings are not stored. A folder cannot move into itself.",
    refuses=(*app_folders.PUT_IN, *app_folders.MOVE),
    example={"appId": DEMO_APP, "name": "Support"},
    writes=True,
    access="login",
)
def app_update(call: Call, new: AppUpdateBody) -> None:
    """Rename an application, or move it.

    Changes name, intro, avatar, type and folder; a move needs permission to manage both
    folders. Needs a login token.
    """
    app, is_moved = call.app(new.app_id, Level.NONE), new.parent_id is not UNSET
    parent = None
    if is_moved:
        parent = app_folders.folder_for(call, new.parent_id or None, Level.MANAGE)
    call.may(app, Level.WRITE, "$.appId")
    # Empty values count as absent, except that of the introduction.
    given = {"name": new.name, "type": new.type, "avatar": new.avatar}
    changes: dict[str, Any] = {name: each for name, each in given.items() if each}
    changes |= {} if new.intro is UNSET else {"intro": new.intro}
    kind = changes.get("type", app.type)
    app_folders.check_type(call, app, kind)
    if is_moved:
        app_folders.check_move(call, app, kind, parent)
        changes["parent_id"] = parent.id if parent else None
    elif kind != app.type and app.parent_id:
        app_folders.check_place(call, kind, call.store.app(app.parent_id))
    call.store.put_app(replace(app, update_time=call.now, **changes))


@route(
    f"DELETE {PATH}/del",
    name="app.del",
    chinese="删除应用",
    since="4.6",
    differs="The app disappears at once.",
    refuses=APP,
    example={"appId": DEMO_APP},
    writes=True,
    access="login",
)
def app_del(call: Call, query: AppQuery) -> list[str]:
    """Delete an application.

    Returns the ids of deleted applications, without folders: a folder is deleted with
    its content. Needs a login token.
    """
    app, store = call.app(query.app_id, Level.OWNER), call.store
    gone = [app, *folders.below(store.apps(), app.id)]
    store.remove_apps({each.id for each in gone})
    return [each.id for each in gone if each.type not in APP_FOLDERS]


class PublishBody(RequestFields, kw_only=True):
    """The application; nothing of the published version is stored."""

    app_id: Id
    nodes: workflow.Nodes = UNSET
    edges: workflow.Edges = UNSET
    chat_config: workflow.Settings = UNSET
    is_publish: Annotated[workflow.Switch, fields.IDLE] | UnsetType = UNSET
    version_name: fields.Text = UNSET
    auto_save: Annotated[workflow.Switch, fields.IDLE] | UnsetType = UNSET


@route(
    f"POST {PATH}/version/publish",
    name="app.version.publish",
    chinese="发布应用",
    since="4.8",
    differs="No version, node, edge or setting is stored.",
    refuses=APP,
    example={"appId": DEMO_APP, "nodes": [], "edges": [], "isPublish": True},
    writes=True,
    access="login",
)
def app_publish(call: Call, new: PublishBody) -> None:
    """Publish or save an application.

    The application counts as changed now. Needs a login token.
    """
    app = call.app(new.app_id, Level.WRITE)
    call.store.put_app(replace(app, update_time=call.now))

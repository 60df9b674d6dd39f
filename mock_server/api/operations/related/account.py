"""Routes for logins, and for the first requests of a front end."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field, structs

from mock_server.api.envelope import SUCCESS, View
from mock_server.api.operations import body_field
from mock_server.api.operations.list_v2 import Roles, roles
from mock_server.api.operations.related import fields
from mock_server.api.operations.related.route import Call, RequestFields, route
from mock_server.api.response import Response
from mock_server.domain import errors
from mock_server.domain import login as logins
from mock_server.domain.access import Caller, user_id
from mock_server.domain.limits import Published
from mock_server.domain.objects.models import DEFAULT_TEAM_ID, DEFAULT_TMB_ID
from mock_server.domain.sandboxes.state import State


class TeamRoles(Roles):
    """The caller's permissions and roles in the team; whoever may write may create."""

    has_app_create_role: bool
    has_dataset_create_role: bool
    has_apikey_create_role: bool
    has_skill_create_role: bool
    has_app_create_per: bool
    has_dataset_create_per: bool
    has_apikey_create_per: bool
    has_skill_create_per: bool


class TeamView(View):
    """The only team, and the user's role in it."""

    user_id: str
    tmb_id: str
    member_name: str
    role: str
    permission: TeamRoles
    team_id: str = DEFAULT_TEAM_ID
    team_name: str = "Team"
    status: str = "active"
    avatar: str = ""
    team_avatar: str = ""
    is_wecom_team: bool = False


class UserView(View, kw_only=True):
    """The logged-in user."""

    id: str = field(name="_id")
    username: str
    team: TeamView
    permission: TeamRoles
    avatar: str = ""
    timezone: str = "UTC"
    language: str = "zh-CN"
    promotion_rate: float = 0
    tags: list[str] = field(default_factory=list)


def user_view(caller: Caller) -> UserView:
    """Return the view of a logged-in caller."""
    name, view = caller.username or "", roles(caller.level)
    own_id, role = user_id(name), "owner" if view.is_owner else "member"
    allowed = TeamRoles(*structs.astuple(view), *[view.has_write_per] * 8)
    team = TeamView(own_id, caller.member or DEFAULT_TMB_ID, name, role, allowed)
    return UserView(id=own_id, username=name, team=team, permission=allowed)


_Username = Annotated[str, Meta(min_length=1, max_length=Published.user_chars)]
_IdleText = Annotated[str, Meta(min_length=1), fields.IDLE] | UnsetType
_SECRET = body_field.FieldRules(is_secret=True).meta()
_CODE = Meta(extra={"expected": logins.CODE})


class FormerPreLoginQuery(RequestFields):
    """The user who is about to log in."""

    username: fields.Name


class PreLoginQuery(FormerPreLoginQuery):
    """The user who is about to log in."""

    username: _Username


class CodeView(View):
    """The login code."""

    code: str


@route(
    "GET /api/support/user/account/preLogin",
    chinese="获取登录用的代码",
    since="4.9.8",
    differences="While the clock is frozen, a user gets the same code again.",
    refusals=(errors.LimitReached,),
    example={"username": "root"},
    former_fields=("logins_are_bounded", FormerPreLoginQuery),
    traits={"secret"},
    access="anyone",
    is_always_checked=True,
)
def pre_login(call: Call, query: PreLoginQuery) -> CodeView:
    """Get a code to log in with.

    The code has six characters. It is valid for 30 seconds of the sandbox's clock, for
    any number of logins, until the user gets another code.
    """
    return CodeView(logins.give_code(call.state, query.username))


class Campaign(Struct, rename="camel"):
    """The advertising campaign that led the user to FastGPT."""

    short_url_source: _IdleText = UNSET
    short_url_medium: _IdleText = UNSET
    short_url_content: _IdleText = UNSET
    keyword: _IdleText = UNSET
    search: _IdleText = UNSET
    source_domain: _IdleText = UNSET
    visitor_id: Annotated[str, Meta(min_length=1, max_length=64)] | UnsetType = field(
        name="visitor_id", default=UNSET
    )


class FormerLoginBody(RequestFields):
    """The user name, the SHA-256 of the password in hex digits, and the login code."""

    username: fields.Name
    password: Annotated[str, Meta(max_length=Published.key_chars), _SECRET]
    code: Annotated[str, Meta(max_length=Published.name_chars), _CODE]
    language: Annotated[Literal["en", "zh-CN", "zh-Hant"], fields.IDLE] | UnsetType = (
        UNSET
    )


class LoginBody(FormerLoginBody):
    """The user name, the SHA-256 of the password in hex digits, and the login code."""

    username: _Username
    password: Annotated[
        str, Meta(min_length=1, max_length=Published.auth_chars), _SECRET
    ]
    code: Annotated[str, Meta(min_length=1, max_length=Published.auth_chars), _CODE]
    inviter_id: _IdleText = UNSET
    bd_vid: _IdleText = field(name="bd_vid", default=UNSET)
    msclkid: _IdleText = UNSET
    fastgpt_sem: Annotated[Campaign, fields.IDLE] | UnsetType = field(
        name="fastgpt_sem", default=UNSET
    )


class LoginView(View):
    """The logged-in user and the login token."""

    user: UserView
    token: str


def _encode(login: LoginView, _: State) -> Response:
    """Return the envelope, with a cookie that has the login token."""
    cookie = f"fastgpt_token={login.token}; Path=/; Max-Age=604800"
    header = b"set-cookie", f"{cookie}; HttpOnly; SameSite=Strict".encode()
    return Response(200, SUCCESS % (msgspec.json.encode(login)), (header,))


@route(
    "POST /api/support/user/account/loginByPassword",
    chinese="用密码登录",
    since="4.6; with a code since 4.9.8",
    differences="A user has one login token, which never expires. The journal stores "
    "neither token nor password.",
    refusals=(logins.WrongLoginCode, logins.WrongPassword),
    former_fields=("logins_are_bounded", FormerLoginBody),
    encode=_encode,
    traits={"secret"},
    access="anyone",
    is_always_checked=True,
)
def login_by_password(call: Call, body: LoginBody) -> LoginView:
    """Log in with a password.

    The fixture declares the users. The login token is for the sandbox of the request's
    API key, or for the default sandbox if there is no API key.
    """
    token, user = logins.log_in(call.state, body.username, body.password, body.code)
    return LoginView(user_view(user), token)


class NoFields(RequestFields):
    """No fields."""


@route(
    "GET /api/support/user/account/tokenLogin",
    chinese="查看登录者",
    since="4.0",
    differences="There is one team, with the permissions of the user's API key. No "
    "response clears the cookie.",
    example={},
    access="login",
)
def token_login(call: Call, _: NoFields) -> UserView:
    """Get the logged-in user.

    The caller needs a login token; an API key in `Authorization` is ignored.
    """
    return user_view(call.caller)


def _clear_cookie(_: None, __: State) -> Response:
    """Return an empty envelope, with a header that deletes the cookie."""
    header = b"set-cookie", b"fastgpt_token=; Path=/; Max-Age=0"
    return Response(200, SUCCESS % b"null", (header,))


@route(
    "GET|POST|PUT|DELETE /api/support/user/account/loginout",
    chinese="退出登录",
    since="4.6",
    differences="The user's next login returns the same token, which then works again.",
    example={},
    encode=_clear_cookie,
    access="anyone",
)
def loginout(call: Call, _: NoFields) -> None:
    """Log out.

    The user's login token is invalid until the next login. A request without a login
    token succeeds too.
    """
    name, logged_out = call.caller.username, call.store.logged_out
    if name is not None:
        logged_out.put(name, name)


_VERSION = "4.16.0"
"""The version of FastGPT that related routes follow."""


class InitDataQuery(RequestFields, forbid_unknown_fields=False):
    """Any fields."""


class FrontEndView(View):
    """Settings of a front end."""

    system_title: str = "FastGPT"
    is_plus: bool = False


class InitDataView(View):
    """Settings of a front end; logged-in users get the last three as well."""

    buffer_id: str = "mock"
    fe_configs: FrontEndView = field(default_factory=FrontEndView)
    model_providers: list[Any] = field(default_factory=list)
    system_version: str | UnsetType = UNSET
    active_model_list: list[Any] | UnsetType = UNSET
    default_models: dict[str, Any] | UnsetType = UNSET


@route(
    "GET /api/common/system/getInitData",
    chinese="获取前端的设置",
    since="4.6",
    differences="There are few settings, and no models.",
    example={},
    access="anyone",
)
def get_init_data(call: Call, _: InitDataQuery) -> InitDataView:
    """Get the settings of a front end.

    A request needs no API key; with a login token it gets more fields.
    """
    if call.caller.username is None:
        return InitDataView()
    return InitDataView(
        system_version=_VERSION, active_model_list=[], default_models={}
    )


class PlanView(View):
    """Usage of a team without a plan, which has no limits."""

    used_member: int
    used_app_amount: int
    used_dataset_size: int
    used_dataset_index_size: int = 0
    total_points: int = 0
    used_points: int = 0
    dataset_max_size: int = 0
    used_registration_count: int = 0


@route(
    "GET /api/support/user/team/plan/getTeamPlanStatus",
    chinese="获取团队可用的资源",
    since="4.8",
    differences="Users, applications and datasets are counted; all other figures are "
    "0.",
    example={},
    access="anyone",
)
def get_team_plan_status(call: Call, _: NoFields) -> PlanView | None:
    """Get the team's plan and its usage.

    Returns null without a valid login token; an API key is ignored.
    """
    if call.caller.username is None:
        return None
    users, apps = call.store.fixture.users, call.store.apps()
    return PlanView(len(users), len(apps), len(call.store.datasets()))

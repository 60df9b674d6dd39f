"""Logging in, and what a front end asks then: `preLogin` to `getTeamPlanStatus`."""

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType, field

from mock_server.api.operations import body_field, contract
from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.list_v2 import Permission, permission
from mock_server.api.operations.neighbours import neighbour
from mock_server.api.response import Response, success_envelope
from mock_server.domain import errors
from mock_server.domain.access import Caller, user_id
from mock_server.domain.limits import Limits
from mock_server.domain.login import give_code, log_in
from mock_server.domain.records import DEFAULT_TMB_ID
from mock_server.domain.state import State
from mock_server.fixture.document import Id
from mock_server.views import View

TEAM_ID = user_id("team")


class TeamView(View):
    """The one team, and the user's place in it."""

    tmb_id: str
    member_name: str
    role: str
    permission: Permission
    team_id: str = TEAM_ID
    team_name: str = "Team"
    status: str = "active"


class UserView(View, kw_only=True):
    """Who has logged in."""

    id: str = field(name="_id")
    username: str
    team: TeamView
    permission: Permission
    avatar: str = ""
    timezone: str = "UTC"


def user_view(caller: Caller) -> UserView:
    """The user that a caller is who has logged in."""
    name, level = caller.username or "", permission(caller.level)
    role = "owner" if level.is_owner else "member"
    team = TeamView(caller.member or DEFAULT_TMB_ID, name, role, level)
    return UserView(id=user_id(name), username=name, team=team, permission=level)


class PreLoginQuery(RequestFields):
    """Who is about to log in."""

    username: Id


class CodeView(View):
    """The code."""

    code: str


def pre_login(state: State, _: Caller, query: PreLoginQuery) -> CodeView:
    """A code for whoever asks, user or not. Raises LimitReached."""
    return CodeView(give_code(state, query.username))


PRE_LOGIN = neighbour.operation(
    name="preLogin",
    method="GET",
    path="/api/support/user/account/preLogin",
    summary="Get a code to log in with",
    body=PreLoginQuery,
    data=CodeView,
    refusals=(errors.LimitReached,),
    perform=pre_login,
    access="anyone",
    since="4.9.8",
    modelled="Six characters that are good for 30 seconds of the sandbox's clock, "
    "however often they are used; the latest code of a user is the one that counts.",
    differs="While the clock stands still, a user gets the same code again.",
)


WEEK_SECONDS = 604_800


class LoginBody(contract.RequestFields):
    """A user name, the SHA-256 of a password in hex digits, and a code."""

    username: Id
    password: Annotated[str, Meta(max_length=Limits.key_chars), body_field.SECRET]
    code: Annotated[str, Meta(max_length=Limits.id_chars)]
    language: str | UnsetType | None = UNSET


class LoginView(View):
    """Who has logged in, and the token."""

    user: UserView
    token: str


def login_by_password(state: State, _: Caller, body: LoginBody) -> LoginView:
    """Log a user in. Raises WrongLoginCode, WrongPassword, in this order."""
    token, user = log_in(state, body.username, body.password, body.code)
    return LoginView(user_view(user), token)


def encode(login: LoginView, _state: State) -> Response:
    """The envelope, and the cookie that browsers keep."""
    cookie = f"fastgpt_token={login.token}; Path=/; Max-Age={WEEK_SECONDS}"
    header = b"set-cookie", f"{cookie}; HttpOnly; SameSite=Strict".encode()
    return Response(200, success_envelope(msgspec.json.encode(login)), (header,))


LOGIN_BY_PASSWORD = neighbour.operation(
    name="loginByPassword",
    path="/api/support/user/account/loginByPassword",
    summary="Log in with a password",
    body=LoginBody,
    data=LoginView,
    refusals=(errors.WrongLoginCode, errors.WrongPassword),
    perform=login_by_password,
    encode=encode,
    traits=["secret"],
    access="anyone",
    since="4.6; with a code 4.9.8",
    modelled="The users of the fixture. The token leads to the sandbox of the key that "
    "the login carried, the default one without a key.",
    differs="A user has one token, which never ends. Journals keep neither it nor the "
    "password.",
)


def token_login(_state: State, caller: Caller, _: neighbour.NoFields) -> UserView:
    """Who calls."""
    return user_view(caller)


TOKEN_LOGIN = neighbour.operation(
    name="tokenLogin",
    method="GET",
    path="/api/support/user/account/tokenLogin",
    summary="See who has logged in",
    body=neighbour.NoFields,
    data=UserView,
    perform=token_login,
    access="login",
    since="4.0",
    modelled="A login token only; a key in `Authorization` is ignored.",
    differs="There is one team; its permissions are those of the user's key. No answer "
    "clears the cookie.",
)


_VERSION = "4.16.0"
"""The version of the service that neighbours are modelled on."""


class InitDataQuery(RequestFields, forbid_unknown_fields=False):
    """Anything."""


class FrontEndView(View):
    """Settings of a front end."""

    system_title: str = "FastGPT"
    is_plus: bool = False


class InitDataView(View):
    """Settings; what stands last is there for those who have logged in."""

    buffer_id: str = "mock"
    fe_configs: FrontEndView = field(default_factory=FrontEndView)
    model_providers: list[Any] = field(default_factory=list)
    system_version: str | UnsetType = UNSET
    active_model_list: list[Any] | UnsetType = UNSET
    default_models: dict[str, Any] | UnsetType = UNSET


def get_init_data(_: State, caller: Caller, _query: InitDataQuery) -> InitDataView:
    """The settings, more of them for those who have logged in."""
    shown = InitDataView()
    if caller.username is not None:
        shown.system_version = _VERSION
        shown.active_model_list, shown.default_models = [], {}
    return shown


GET_INIT_DATA = neighbour.operation(
    name="getInitData",
    method="GET",
    path="/api/common/system/getInitData",
    summary="Get the settings of a front end",
    body=InitDataQuery,
    data=InitDataView,
    perform=get_init_data,
    access="anyone",
    since="4.6",
    modelled="Nobody is refused; a login token shows more.",
    differs="There are few settings, and no models or providers of them.",
)


class PlanView(View):
    """Figures of a team without a plan, which may use everything."""

    used_member: int
    used_app_amount: int
    used_dataset_size: int
    used_dataset_index_size: int = 0
    total_points: int = 0
    used_points: int = 0
    dataset_max_size: int = 0
    used_registration_count: int = 0


def get_team_plan_status(
    state: State, caller: Caller, _: neighbour.NoFields
) -> PlanView | None:
    """What is used; nothing for those who have not logged in."""
    if caller.username is None:
        return None
    generation = state.store.generation
    datasets = len(list(state.store.datasets()))
    return PlanView(len(generation.users), len(state.store.apps()), datasets)


GET_TEAM_PLAN_STATUS = neighbour.operation(
    name="getTeamPlanStatus",
    method="GET",
    path="/api/support/user/team/plan/getTeamPlanStatus",
    summary="Get what the team may use",
    body=neighbour.NoFields,
    data=PlanView | None,
    perform=get_team_plan_status,
    access="anyone",
    since="4.8",
    modelled="Null without a login token that counts; a key is ignored.",
    differs="Users, applications and datasets are counted, the other figures are 0.",
)

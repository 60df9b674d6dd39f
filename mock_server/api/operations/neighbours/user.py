"""A user as routes about accounts show it."""

from msgspec import field

from mock_server.api.operations.list_v2 import Permission, permission
from mock_server.domain.access import Caller, user_id
from mock_server.domain.records import DEFAULT_TMB_ID
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

"""`tokenLogin`: who has logged in."""

from mock_server.api.operations.neighbours.neighbour import NoFields, neighbour
from mock_server.api.operations.neighbours.user import UserView, user_view
from mock_server.domain.access import Caller
from mock_server.domain.state import State


def token_login(_state: State, caller: Caller, _: NoFields) -> UserView:
    """Who calls."""
    return user_view(caller)


TOKEN_LOGIN = neighbour(
    name="tokenLogin",
    method="GET",
    path="/api/support/user/account/tokenLogin",
    summary="See who has logged in",
    body=NoFields,
    data=UserView,
    perform=token_login,
    access="login",
    since="4.0",
    modelled="A login token only; a key in `Authorization` is ignored.",
    differs="There is one team; its permissions are those of the user's key.",
)

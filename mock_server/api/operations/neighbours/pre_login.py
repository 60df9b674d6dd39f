"""`preLogin`: a code that a login has to repeat."""

from mock_server.api.operations.contract import RequestFields
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.domain.access import Caller
from mock_server.domain.errors import LimitReached
from mock_server.domain.login import give_code
from mock_server.domain.state import State
from mock_server.fixture.document import Id
from mock_server.views import View


class PreLoginQuery(RequestFields):
    """Who is about to log in."""

    username: Id


class CodeView(View):
    """The code."""

    code: str


def pre_login(state: State, _: Caller, query: PreLoginQuery) -> CodeView:
    """A code for whoever asks, user or not. Raises LimitReached."""
    return CodeView(give_code(state, query.username))


PRE_LOGIN = neighbour(
    name="preLogin",
    method="GET",
    path="/api/support/user/account/preLogin",
    summary="Get a code to log in with",
    body=PreLoginQuery,
    data=CodeView,
    refusals=(LimitReached,),
    perform=pre_login,
    access="anyone",
    since="4.9.8",
    modelled="Six characters that are good for 30 seconds of the sandbox's clock, "
    "however often they are used; the latest code of a user is the one that counts.",
    differs="While the clock stands still, a user gets the same code again.",
)

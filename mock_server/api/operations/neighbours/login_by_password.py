"""`loginByPassword`: log in, and get a token."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from mock_server.api.operations import body_field, contract
from mock_server.api.operations.neighbours.neighbour import neighbour
from mock_server.api.operations.neighbours.user import UserView, user_view
from mock_server.api.response import Response, success_envelope
from mock_server.domain.access import Caller
from mock_server.domain.errors import WrongLoginCode, WrongPassword
from mock_server.domain.limits import Limits
from mock_server.domain.login import log_in
from mock_server.domain.state import State
from mock_server.fixture.document import Id
from mock_server.views import View

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


LOGIN_BY_PASSWORD = neighbour(
    name="loginByPassword",
    path="/api/support/user/account/loginByPassword",
    summary="Log in with a password",
    body=LoginBody,
    data=LoginView,
    refusals=(WrongLoginCode, WrongPassword),
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

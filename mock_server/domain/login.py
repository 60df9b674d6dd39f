"""Log in: request a code, then send it with a password to get a login token."""

import hashlib

from mock_server.domain.access import Caller
from mock_server.domain.errors import refusal
from mock_server.domain.objects.models import LoginCode
from mock_server.domain.sandboxes.state import State

WrongPassword = refusal(
    "WrongPassword", "401 wrongPassword", "500 503002 account_psw_error"
)
WrongLoginCode = refusal(
    "WrongLoginCode", "400 wrongLoginCode", "400 503004 code_error"
)

CODE_MS = 30_000
"""Milliseconds for which a code is valid."""
CODE = "a code of GET /api/support/user/account/preLogin?username=NAME"
_CODE_CHARS = 6


def give_code(state: State, username: str) -> str:
    """Return a new code for a user name, which need not exist.

    The code replaces an earlier code for this name, or the oldest code if there are too
    many. Raises LimitReached.
    """
    codes, now = state.store.login_codes, state.clock.now()
    if username in codes:
        codes.remove(username)
    elif len(codes) >= state.limits.login_codes:
        codes.remove(next(iter(codes)))
    digest = hashlib.sha256(f"{username} {now}".encode("utf-8", "replace"))
    code = digest.hexdigest()[:_CODE_CHARS]
    codes.put(username, LoginCode(code, now + CODE_MS))
    return code


def log_in(state: State, username: str, password: str, code: str) -> tuple[str, Caller]:
    """Return a user's login token and caller; `password` is its SHA-256 in hex.

    Raises WrongLoginCode, then WrongPassword, also for an unknown user.
    """
    stored = state.store.login_codes.get(username)
    if stored is None or stored.ends_at <= state.clock.now():
        got = "one when none is in force"
        raise WrongLoginCode(CODE, got, "$.code")
    if stored.text != code.lower():
        raise WrongLoginCode(CODE, "another one", "$.code")
    users = state.store.fixture.users
    user = next((user for user in users if user.username == username), None)
    if user is None or digest_of(user.password) != password.lower():
        expected = "the SHA-256, as hex digits, of the password of a user"
        raise WrongPassword(expected, "something else", "$.password")
    for token, caller in state.logins.items():
        if caller.username == username:
            if username in state.store.logged_out:
                state.store.logged_out.remove(username)
            return token, caller
    raise AssertionError("every user of a fixture has a token")


def digest_of(password: str) -> str:
    """Return the SHA-256 of a password in hex, which clients send instead of it."""
    return hashlib.sha256(password.encode()).hexdigest()

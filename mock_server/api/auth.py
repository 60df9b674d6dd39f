"""Bearer authorization (spec 5): from headers to the caller."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mock_server.api.errors import MissingAuthorization, UnknownKey
from mock_server.api.headers import Header, values
from mock_server.domain.access import ISSUED, KEY_PATTERN, Caller
from mock_server.domain.limits import LIMITS
from mock_server.domain.state import State

# RFC 9110 11.1: the scheme in any case; one key after it.
_BEARER = re.compile(rb"[ \t]*bearer +(%b)[ \t]*" % KEY_PATTERN.encode(), re.IGNORECASE)


_AT = "header Authorization"


def authorize(key: str, state: State) -> Caller:
    """The holder of a key, in the state of the sandbox that it leads to.

    A fixture that declares no keys takes any key as an owner's (choice unknown_key),
    but none that looks as if a sandbox had issued it. Raises UnknownKey.
    """
    caller = state.callers.get(key)
    if caller is not None:
        return caller
    if key.startswith(ISSUED):
        raise UnknownKey("a key of a sandbox", "one that leads to none", _AT)
    if state.callers or state.choices.unknown_key == "reject":
        raise UnknownKey("a key that the fixture declares", "an unknown one", _AT)
    return Caller(key)


def bearer_token(headers: Iterable[Header]) -> str:
    """The one bearer token of a request.

    Raises MissingAuthorization, and UnknownKey for one that is longer than any key.
    """
    given = values(headers, b"authorization")
    match = _BEARER.fullmatch(given[0]) if len(given) == 1 else None
    if match is None:
        got = "nothing" if not given else "two" if len(given) > 1 else "something else"
        raise MissingAuthorization("one header `Authorization: Bearer KEY`", got, _AT)
    if len(match[1]) > LIMITS.key_chars:
        expected = f"a key of at most {LIMITS.key_chars} characters"
        raise UnknownKey(expected, f"one of {len(match[1])}", _AT)
    return match[1].decode("ascii")

"""Tests that have to be on contract, by the ini value or their marker."""

import pytest

from mock_server.control.handle import MockServerFixture
from mock_server.control.violations import allowed_violations
from mock_server.testing.asked import marked

_INI = "mock_server_strict"
_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")


def allowed_by_ini(config: pytest.Config) -> list[str] | None:
    """The names of violations that mock_server_strict allows; None: all, it is off.

    Raises pytest.UsageError for what is no name.
    """
    try:
        given: list[str] = config.getini(_INI)
    except (TypeError, pytest.UsageError) as error:
        # In native TOML, a list cannot be true or false, and pytest tells it so only.
        given = [str(error).rpartition(": ")[2]]
    words = [name for word in given for name in word.split(",") if name]
    if len(words) == 1 and words[0].lower() in (*_TRUE, *_FALSE):
        return [] if words[0].lower() in _TRUE else None
    if not words:
        raise pytest.UsageError(f"Expected a value, got none - at {_INI}")
    try:
        return allowed_violations(words, _INI, "true, false or names of violations")
    except (TypeError, ValueError) as error:
        raise pytest.UsageError(str(error)) from None


def check_strictly(
    item: pytest.Item, server: MockServerFixture, since: int = 0
) -> None:
    """Fail a test that has to be on contract, and was not.

    `since` is the number of the first entry that is the test's.
    """
    strict = marked(item).get("strict")
    allowed: list[str] | None
    if strict is None:
        allowed = allowed_by_ini(item.config)
    elif isinstance(strict, bool):
        allowed = [] if strict else None
    else:
        allowed = list(strict)
    if allowed is None:
        return
    try:
        server.assert_no_violations(allowed, since=since)
    except AssertionError as error:
        # Without its cause, which would show the message twice.
        raise pytest.fail.Exception(str(error), pytrace=False) from None

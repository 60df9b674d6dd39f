"""Sessions of commands go as a person has read them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mock_server.app import create_app
from mock_server.wire.uvicorn_internals import HttpParser, best_parser
from tests.cli.commands import TOKEN
from tests.cli.sessions import Session, sessions
from tests.support import LIBRARY, Switch


@pytest.mark.parametrize("session", sessions(), ids=str)
def test_a_session_goes_as_a_person_has_read_it(
    live: Callable[[HttpParser], tuple[Switch, str]], session: Session
) -> None:
    switch, url = live(best_parser())
    switch.app = create_app(LIBRARY, admin_token=TOKEN)
    assert session.told(url) == session.text

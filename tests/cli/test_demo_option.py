"""`serve --demo`: the demo front end, and the profile that it needs."""

from __future__ import annotations

import pytest

from mock_server.app import create_app
from mock_server.cli.serving import banner
from tests.process import serving
from tests.support import fetch


def test_the_banner_says_where_it_is() -> None:
    for demo in (True, False):
        app = create_app({}, demo=demo)
        url = "http://localhost:1"
        lines = banner(
            app.sandbox, url, "h11", is_admin_open=True, demo=app.demo
        ).splitlines()
        assert ("demo: http://localhost:1/demo/" in lines) is demo


@pytest.mark.ci
@pytest.mark.parametrize(
    ("options", "variables", "profile"),
    [
        (["--demo"], {}, "deployed"),
        ([], {"MOCK_SERVER_DEMO": "true"}, "deployed"),
        (["--demo", "--profile=documented"], {}, "documented"),
        (["--demo"], {"MOCK_SERVER_PROFILE": "documented"}, "documented"),
        ([], {}, "documented"),
    ],
)
def test_it_comes_with_the_profile_that_it_needs(
    options: list[str], variables: dict[str, str], profile: str
) -> None:
    with serving("--port=0", *options, **variables) as (url, _):
        health = fetch("GET", f"{url}/__admin/health").json()
        page = fetch("GET", f"{url}/demo/")
    is_asked_for = bool(options or variables)
    assert health["profile"] == profile
    assert (health["demo"] == "/demo/") is is_asked_for
    assert (page.status_code == 200) is is_asked_for

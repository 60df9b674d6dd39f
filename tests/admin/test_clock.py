"""The clock over the admin API: what it drives, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import MakeApi
from tests.support import CHAT, FROZEN, Api, wait


def clock(api: Api, method: str, path: str, body: Any = None) -> tuple[str, bool]:
    answer = api.admin(method, f"/clock{path}", body)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert set(shown) == {"now", "frozen"}
    return shown["now"], shown["frozen"]


def test_time_can_be_set_and_moved_while_it_stands(api: Api) -> None:
    assert clock(api, "GET", "") == (FROZEN, True)
    year = "2030-06-01T12:00:00.000Z"
    assert clock(api, "PUT", "", {"now": "2030-06-01T14:00:00+02:00"}) == (year, True)
    later = "2030-06-01T12:01:30.500Z"
    assert clock(api, "POST", "/advance", {"seconds": 90.5}) == (later, True)


def test_time_runs_on_from_where_it_was_set(api: Api) -> None:
    now, frozen = clock(
        api, "PUT", "", {"now": "2030-01-01T00:00:00Z", "frozen": False}
    )
    assert (now[:16], frozen) == ("2030-01-01T00:00", False)
    now, frozen = clock(api, "POST", "/advance", {"seconds": 3600})
    assert (now[:16], frozen) == ("2030-01-01T01:00", False)
    before, _ = clock(api, "GET", "")
    wait(lambda: clock(api, "GET", "")[0] != before)


def test_real_time_can_be_stopped(make_api: MakeApi) -> None:
    api = make_api({"apps": []})
    assert clock(api, "GET", "")[1] is False
    stopped, _ = clock(api, "PUT", "", {"frozen": True})
    assert clock(api, "GET", "") == (stopped, True)


def test_the_clock_dates_pins_and_entries(api: Api) -> None:
    moment = "2031-02-03T04:05:06.789Z"
    clock(api, "PUT", "", {"now": moment})
    api.pin()
    chat = api.admin("GET", f"/apps/app-1/chats/{CHAT}").json()
    assert chat["updateTime"] == moment
    assert api.journal()[0]["time"] == moment


@pytest.mark.parametrize(
    ("method", "path", "body", "message"),
    [
        ("PUT", "", {"now": "soon"}, 'got the string "soon" - at $.now'),
        (
            "PUT",
            "",
            {"now": 5},
            "Expected a time like 2024-01-31T12:00:00Z or null, got 5 -",
        ),
        ("PUT", "", {"frozen": "yes"}, "Expected true or false or null"),
        ("PUT", "", {"time": "2026"}, "(did you mean 'now'?) - at $.time"),
        ("PUT", "", {"frozn": True}, "(did you mean 'frozen'?) - at $.frozn"),
        ("POST", "/advance", {}, "Expected the field 'seconds' here, got none - at $"),
        ("POST", "/advance", {"seconds": -1}, "got -1 - at $.seconds"),
        (
            "POST",
            "/advance",
            {"seconds": "5"},
            'got the string "5": write it without quotes - at $.seconds',
        ),
        ("POST", "/advance", {"seconds": 3e11}, "a year up to 9999"),
        ("POST", "/advance", {"seconds": True}, "got true - at $.seconds"),
    ],
)
def test_a_bad_time_is_refused_and_changes_nothing(
    api: Api, method: str, path: str, body: Any, message: str
) -> None:
    answer = api.admin(method, f"/clock{path}", body)
    assert (answer.status_code, answer.json()["statusText"]) == (400, "invalidField")
    assert message in answer.json()["message"]
    assert clock(api, "GET", "") == (FROZEN, True)

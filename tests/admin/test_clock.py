"""The clock over the admin API: what it drives, and what it refuses."""

from __future__ import annotations

from typing import Any

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

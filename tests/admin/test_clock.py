"""The clock over the admin API: what it drives, and what it refuses."""

from __future__ import annotations

from typing import Any

from tests.conftest import MakeApi
from tests.support import Api, wait


def clock(api: Api, method: str, path: str, body: Any = None) -> tuple[str, bool]:
    answer = api.admin(method, f"/clock{path}", body)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert set(shown) == {"now", "frozen"}
    return shown["now"], shown["frozen"]


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

"""The behaviour suite on servers that run by themselves, and behind a proxy."""

from __future__ import annotations

import pytest

from tests.behaviour import check_behaviour
from tests.e2e.scale.front import NGINX, front
from tests.process import serving

pytestmark = pytest.mark.ci


@pytest.mark.parametrize("http", ["zttp", "h11"])
def test_a_server_process_behaves_as_one_in_process(http: str) -> None:
    with serving("serve", "--port=0", f"--http={http}") as (url, _):
        check_behaviour(url)


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_so_it_does_behind_nginx() -> None:
    with serving("serve", "--port=0") as (url, _), front([url]) as proxy:
        check_behaviour(proxy, is_behind_proxy=True)

"""The behaviour suite on servers that run by themselves, and behind a proxy."""

from __future__ import annotations

import pytest

from tests.behaviour import check_behaviour
from tests.e2e.scale.front import NGINX, front
from tests.process import serving

pytestmark = pytest.mark.ci


def test_a_server_process_behaves_as_one_in_process() -> None:
    with serving("serve", "--port=0") as (url, _):
        check_behaviour(url)


@pytest.mark.skipif(NGINX is None, reason="nginx is not installed")
def test_so_it_does_behind_nginx_and_with_the_other_parser() -> None:
    with serving("serve", "--port=0", "--http=h11") as (url, _), front([url]) as proxy:
        check_behaviour(proxy, is_behind_proxy=True)

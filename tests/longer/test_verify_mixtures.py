"""`mock-server verify` beside servers with choices that are drawn by lot."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from account import LocalClient
from test_verify import (
    ACCOUNT,
    PROFILES,
    mixture,
    test_servers_are_told_apart_and_left_as_they_were,
)

from mock_server.tools.verify import verify_server

check_that_they_are_told_apart = test_servers_are_told_apart_and_left_as_they_were
del test_servers_are_told_apart_and_left_as_they_were  # which pytest would run here, too


SERVERS = [("documented", mixture(seed), seed % 2 == 1) for seed in range(8)]
SERVERS += [("documented", {"chat_unknown": "create"}, True), ("documented", {}, False)]
SERVERS += [("fastgpt-4.14", {}, True), ("fastgpt-4.17", {}, True)]


@pytest.mark.parametrize("server", SERVERS)
def test_servers_are_told_apart(server):
    # A browser of the other tests has its event loop in this thread.
    with ThreadPoolExecutor(1) as threads:
        threads.submit(check_that_they_are_told_apart, *server).result()


@pytest.mark.parametrize("profile", PROFILES)
def test_runs_without_a_change_find_no_drift(profile):
    def run() -> None:
        with LocalClient(ACCOUNT, profile=profile) as client:
            client.add("wrong_total", times=None)
            baseline = verify_server(client, log=print, pause=0).seen
            assert baseline.differences
            for _ in range(2):
                report = verify_server(client, baseline=baseline, log=print, pause=0)
                assert report.is_one_profile and not (report.drift or report.gone)

    with ThreadPoolExecutor(1) as threads:
        threads.submit(run).result()

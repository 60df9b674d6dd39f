"""`mock-server verify` beside servers with choices that are drawn by lot."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from test_verify import mixture, test_servers_are_told_apart_and_left_as_they_were

check_that_they_are_told_apart = test_servers_are_told_apart_and_left_as_they_were
del test_servers_are_told_apart_and_left_as_they_were  # which pytest would run here, too


@pytest.mark.parametrize("seed", range(14))
def test_servers_are_told_apart(seed):
    # A browser of the other tests has its event loop in this thread.
    with ThreadPoolExecutor(1) as threads:
        told = threads.submit(
            check_that_they_are_told_apart, "documented", mixture(seed), seed % 2 == 1
        )
        told.result()

"""`mock-server verify` beside servers with choices that are drawn by lot."""

import pytest
import test_verify


@pytest.mark.parametrize("seed", range(2, 14))
def test_servers_are_told_apart(seed):
    choices = test_verify.mixture(seed)
    test_verify.test_servers_are_told_apart_and_left_as_they_were(
        "documented", choices, seed % 2 == 1
    )

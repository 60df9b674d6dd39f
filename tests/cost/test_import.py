"""What `import har` costs: twice the keys in a file, twice the price."""

from __future__ import annotations

from math import inf
from time import thread_time

import pytest
from msgspec import convert

from mock_server.service.har.importing import Import
from mock_server.service.har.reading import Har
from tests.har.files import entry, har

KEYS, FEWEST, ROUNDS = 3_000, 3, 12
"""What disturbs a round only adds to it, so the least of several counts."""
MOST = 2.6
"""As in `test_cost`: twice, and what measuring adds."""


def spent(keys: int) -> float:
    """Seconds of CPU for a file in which each request has its own key."""
    sent = [{"Authorization": f"Bearer my-secret-key-{key}"} for key in range(keys)]
    entries = [entry("/x", '"%s"' % ("y" * 500), sent=each) for each in sent]
    file = convert(har(*entries), Har)
    start = thread_time()
    Import().take(file.log.entries)
    return thread_time() - start


@pytest.mark.ci
def test_twice_the_keys_cost_twice_at_most() -> None:
    half = whole = inf
    for number in range(ROUNDS):
        half, whole = min(half, spent(KEYS // 2)), min(whole, spent(KEYS))
        if number >= FEWEST and whole <= MOST * half:
            return
    assert whole <= MOST * half

"""The requests that the service's public documentation shows, sent as they stand."""

from __future__ import annotations

import pytest

from mock_server.domain.versions import VERSIONS
from tests.api.published import EXAMPLES, WORLD
from tests.conftest import MakeApi


@pytest.mark.parametrize("version", VERSIONS)
def test_a_published_request_is_answered_as_published_but_for_what_is_told(
    make_api: MakeApi, version: str
) -> None:
    api = make_api(WORLD, profile="deployed", choices={"version": version})
    for each in EXAMPLES:
        if version in each.versions:
            assert each.lacking(api) == each.missing(version), each
            api.admin("POST", "/reset")


def test_what_is_not_as_published_has_a_reason() -> None:
    for each in EXAMPLES:
        assert bool(each.lacks or each.former) is bool(each.why), each.request

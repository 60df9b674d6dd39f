"""Violations: every departure from the spec, by the name of what may tolerate it."""

from __future__ import annotations

import pytest

from mock_server.domain.choices.table import table
from tests.conftest import MakeApi
from tests.support import LEGACY_PIN, Api

SPECIAL = {"invalid_field", "missing_authorization", "unknown_route"}


def found(api: Api) -> list[tuple[str, str, str]]:
    """Name, section and path of what the latest request violates."""
    violations = api.journal()[-1]["violations"]
    for each in violations:
        assert each["name"] in SPECIAL | set(table())
        assert each["message"].startswith("Expected ")
        assert f" - at {each['path']}" in each["message"]
    return [(each["name"], each["section"], each["path"]) for each in violations]


@pytest.fixture(params=["documented", "deployed"])
def either(request: pytest.FixtureRequest, make_api: MakeApi) -> Api:
    """The library under either profile: what one refuses the other may tolerate."""
    return make_api(profile=request.param)


@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_an_older_path_is_a_violation_where_it_is_off_only(
    either: Api, method: str
) -> None:
    pin = {"appId": "a", "chatId": "c", "top": True}
    either.send(method, LEGACY_PIN, pin)
    assert found(either) == []
    assert either.journal()[-1]["operation"] == "updateHistory"
    assert either.journal()[-1]["outside"] == "legacy_path"
    either.admin("PUT", "/choices", {"choices": {"legacy_paths": "off"}})
    either.send(method, LEGACY_PIN, pin)
    assert found(either)[0] == ("legacy_paths", "4.1", "path")
    assert either.journal()[-1]["operation"] is None
    assert either.journal()[-1]["outside"] is None

"""Reset, and the state as a document that can be read and put."""

from __future__ import annotations

import pytest

from mock_server.fixture.source.files import shipped_path
from tests.conftest import MakeApi

YAML = {"Accept": "application/yaml"}


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(it, marks=pytest.mark.ci) for it in ("demo", "paging")),
        "empty",
        "permissions",
    ],
)
@pytest.mark.sampled
def test_putting_what_get_gave_changes_nothing(make_api: MakeApi, name: str) -> None:
    api = make_api(shipped_path(f"{name}.yaml"))
    before = api.client.get("/__admin/state")
    assert before.headers["content-type"] == "application/json"
    assert api.admin("PUT", "/state", before.json()).status_code == 200
    assert api.client.get("/__admin/state").content == before.content


@pytest.mark.ci
@pytest.mark.parametrize("name", ["demo", "permissions"])
@pytest.mark.sampled
def test_the_state_as_yaml_is_the_same_state(make_api: MakeApi, name: str) -> None:
    api = make_api(shipped_path(f"{name}.yaml"))
    before = api.client.get("/__admin/state").content
    text = api.client.get("/__admin/state", headers=YAML)
    assert text.headers["content-type"] == "application/yaml"
    headers = {"Content-Type": "application/yaml"}
    put = api.client.put("/__admin/state", content=text.content, headers=headers)
    assert put.status_code == 200
    assert api.client.get("/__admin/state").content == before

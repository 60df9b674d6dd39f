"""Pages of other origins may call the operations, and read every answer."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mock_server.api.operations.operation import Operation, Operations
from mock_server.api.operations.table import OPERATIONS
from tests.conftest import MakeApi
from tests.support import LEGACY_PIN, LIST, PIN, Api

PAGE = "http://page.example"
PREFLIGHT = {
    "Origin": PAGE,
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "authorization, content-type",
}


def neighbours() -> list[Operation]:
    return [each for each in OPERATIONS.values() if each.neighbour is not None]


@pytest.mark.parametrize("path", [PIN, LEGACY_PIN, LIST, "/api/nope"])
def test_a_preflight_is_204_and_needs_no_key(api: Api, path: str) -> None:
    response = api.client.options(path, headers=PREFLIGHT)
    assert response.status_code == 204
    assert response.content == b""
    headers = response.headers
    assert headers["access-control-allow-origin"] == "*"
    assert headers["access-control-allow-methods"] == "PUT, POST"
    assert headers["access-control-allow-headers"] == "authorization, content-type"
    assert headers["access-control-max-age"] == "600"


@pytest.mark.ci
@pytest.mark.parametrize("operation", neighbours(), ids=lambda each: each.name)
def test_a_preflight_of_a_neighbour_tells_its_methods(
    api: Api, operation: Operation
) -> None:
    for path in filter(None, (operation.path, operation.legacy_path)):
        # Served or not: a preflight has no key that would tell the sandbox.
        headers = api.client.options(path, headers=PREFLIGHT).headers
        allowed = headers["access-control-allow-methods"]
        assert allowed == ", ".join(operation.methods)
        names = headers["access-control-allow-headers"]
        assert names == "authorization, content-type, token"


def test_preflights_follow_the_table_of_the_application(make_api: MakeApi) -> None:
    purge = replace(OPERATIONS["delHistory"], name="purge", path="/api/purge")
    api = make_api(operations=Operations([purge]))
    headers = api.client.options("/api/purge", headers=PREFLIGHT).headers
    assert headers["access-control-allow-methods"] == "DELETE"


@pytest.mark.parametrize("key", ["any", None])
def test_answers_and_errors_can_be_read(api: Api, key: str | None) -> None:
    headers = {"Origin": PAGE} | ({"Authorization": f"Bearer {key}"} if key else {})
    body = {"offset": 0, "datasetId": "dataset-1"}
    response = api.client.post(LIST, json=body, headers=headers)
    assert response.status_code == (200 if key else 401)
    assert response.headers["access-control-allow-origin"] == "*"
    exposed = response.headers["access-control-expose-headers"]
    assert "retry-after" in exposed
    assert "x-mock-sandbox" in exposed


def test_without_an_origin_there_are_no_cors_headers(api: Api) -> None:
    assert not [name for name in api.list_v2().headers if name.startswith("access-")]


def test_only_listed_origins_are_admitted(make_api: MakeApi) -> None:
    api = make_api(cors_origins=["https://good.example"])
    good = api.client.options(
        PIN, headers=PREFLIGHT | {"Origin": "https://good.example"}
    )
    bad = api.client.options(PIN, headers=PREFLIGHT)
    assert good.headers["access-control-allow-origin"] == "https://good.example"
    assert good.headers["vary"] == "origin"
    assert bad.status_code == 405
    assert "access-control-allow-origin" not in bad.headers


def test_the_admin_api_has_no_cors_headers(api: Api) -> None:
    response = api.client.get("/__admin/health", headers={"Origin": PAGE})
    assert response.status_code == 403
    assert not [name for name in response.headers if name.startswith("access-")]

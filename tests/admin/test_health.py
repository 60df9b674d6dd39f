"""The health route and the guard around the admin API."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from mock_server.app import create_app
from mock_server.domain.limits import DEFAULT_LIMITS
from mock_server.fixture.source.files import shipped_path
from tests.conftest import MakeApi
from tests.support import Api

HEALTH = "/__admin/health"


@pytest.mark.fresh
def test_health_says_what_is_served(make_api: MakeApi, face: str) -> None:
    api = make_api(shipped_path("paging.yaml"), profile="deployed")
    response = api.client.get(HEALTH)
    assert response.status_code == 200
    answer = response.json()
    assert len(answer["fixture"].pop("sha256")) == 64
    assert answer.pop("memory")["limit"] == DEFAULT_LIMITS.memory_bytes
    assert answer == {
        "status": "ready",
        "fixture": {
            "files": ["paging.yaml"],
            "datasets": 2,
            "collections": 1176,
            "chats": 0,
        },
        "generation": 1,
        "profile": "deployed",
        "version": "4.16",
        "reload": None,
        "demo": None,
        "http": None if face == "asgi" else face,
    }


def test_health_needs_no_token_and_all_else_does(make_api: MakeApi) -> None:
    api = make_api(admin_token="s3cret")
    assert api.client.get(HEALTH).status_code == 200
    for value in (None, "Bearer wrong", "Bearer s3cre", "Bearer s3cret\u00e9"):
        headers = [] if value is None else [(b"Authorization", value.encode())]
        response = api.client.get("/__admin/nope", headers=headers)
        assert response.status_code == 401
        assert response.json()["statusText"] == "unauthorized"
    right = {"Authorization": "Bearer s3cret"}
    assert api.client.get("/__admin/nope", headers=right).status_code == 404


def with_host(api: Api, host: str) -> httpx2.Response:
    return api.client.get(HEALTH, headers={"Host": host})


def test_the_guard_stands_before_the_admin_root_too(make_api: MakeApi) -> None:
    api = make_api(choices={"error_http_status": "always_200"})
    preflight = {"Origin": "http://x.example", "Access-Control-Request-Method": "GET"}
    assert with_host(api, "evil.example").status_code == 421
    for path, status in (("/__admin", 404), ("/__admin/", 200)):
        assert api.client.get(path).status_code == status
        assert api.client.options(path, headers=preflight).status_code == 403


@pytest.mark.parametrize(
    "settings",
    [
        {"admin_token": ""},
        {"admin_token": "two words"},
        {"admin_token": "k\u00e9"},
        {"allowed_hosts": ["mock.example:8000"]},
        {"allowed_hosts": ["http://mock.example"]},
        {"cors_origins": ["http://page.example/"]},
        {"cors_origins": ["page.example"]},
    ],
)
def test_a_setting_that_could_never_match_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="Expected "):
        create_app({}, **settings)

"""The order of checks, and the headers of every answer (contract of the API)."""

from __future__ import annotations

import pytest

from tests.support import LIST, PIN, Api

AUTH = {"Authorization": "Bearer any"}
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status_text"),
    [
        ("GET", "/api/nope", {}, b"[", "routeNotFound"),
        ("GET", PIN, {}, b"[", "methodNotAllowed"),
        ("PUT", PIN, {}, b"[", "unauthorized"),
        ("PUT", PIN, AUTH, b"[" * 2_000_000, "unsupportedMediaType"),
        ("PUT", PIN, AUTH | JSON, b"[" * 2_000_000, "bodyTooLarge"),
        ("PUT", PIN, AUTH | JSON, b"[", "badJson"),
        ("PUT", PIN, AUTH | JSON, b'{"appId":"no"}', "invalidField"),
        (
            "PUT",
            PIN,
            AUTH | JSON,
            b'{"appId":"no","chatId":"no","top":true}',
            "appNotFound",
        ),
    ],
)
def test_the_first_failing_check_answers(
    api: Api,
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes,
    status_text: str,
) -> None:
    response = api.client.request(method, path, content=body, headers=headers)
    assert response.json()["statusText"] == status_text
    assert response.headers["content-type"] == "application/json"
    assert response.headers["cache-control"] == "no-store"
    assert response.headers["x-mock-sandbox"] == "default"
    generation = api.admin("GET", "/health").json()["generation"]
    assert response.headers["x-mock-generation"] == str(generation)
    assert int(response.headers["content-length"]) == len(response.content)


@pytest.mark.ci
def test_head_is_405_without_a_body(api: Api, face: str) -> None:
    response = api.client.head(LIST, headers=AUTH)
    assert response.status_code == 405
    assert face == "asgi" or response.content == b""

"""Paths that no operation has."""

from __future__ import annotations

import pytest

from tests.support import LEGACY_PIN, LIST, PIN, Api


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/favicon.ico",
        "/api/core/dataset/collection/list",
        LIST + "/",
        LIST.replace("V2", "v2"),
        "/" + LIST,
        LIST.replace("collection/", "collection%2F"),
        LIST.replace("/api", "/%61pi"),
        LIST + ";a=b",
        LIST + "%00",
        "/__admin",
        "/%5f%5fadmin/health",
        "/__ADMIN/health",
    ],
)
def test_an_unknown_path_is_404_in_the_envelope(api: Api, path: str) -> None:
    response = api.send("POST", path, {"offset": 0, "datasetId": "dataset-1"})
    assert response.status_code == 404
    assert response.json()["statusText"] == "routeNotFound"
    assert "location" not in response.headers


@pytest.mark.parametrize("path", [LIST.lower(), LIST + "/", LIST[:-1]])
def test_a_near_path_is_hinted_at(api: Api, path: str) -> None:
    message = api.send("POST", path, {}).json()["message"]
    assert f"did you mean {LIST}?" in message


def test_the_legacy_path_is_hinted_at(api: Api) -> None:
    response = api.send("PUT", LEGACY_PIN, {})
    assert response.status_code == 404
    message = response.json()["message"]
    assert message.endswith("- at path (served with the choice legacy_paths=on)")


def test_the_message_names_both_operations(api: Api) -> None:
    message = api.send("GET", "/nope", {}).json()["message"]
    assert f"Expected PUT {PIN} or POST {LIST}, got" in message

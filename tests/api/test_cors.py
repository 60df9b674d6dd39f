"""Pages of other origins may call the operations, and read every answer."""

from __future__ import annotations

import pytest

from tests.support import LEGACY_PIN, LIST, PIN, Api

PAGE = "http://page.example"
PREFLIGHT = {
    "Origin": PAGE,
    "Access-Control-Request-Method": "PUT",
    "Access-Control-Request-Headers": "authorization, content-type",
}


@pytest.mark.parametrize("path", [PIN, LEGACY_PIN, LIST, "/api/nope"])
def test_a_preflight_is_204_and_needs_no_key(api: Api, path: str) -> None:
    response = api.client.options(path, headers=PREFLIGHT)
    assert response.status_code == 204
    assert response.content == b""
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["access-control-max-age"] == "600"
    assert "access-control-allow-credentials" not in response.headers
    assert api.journal() == []


@pytest.mark.parametrize("path", [PIN, LEGACY_PIN, "/api/v1/chat/completions", "/x"])
@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_a_preflight_allows_the_method_and_headers_that_it_asks_for(
    api: Api, path: str, method: str
) -> None:
    names = "authorization,token,x-request-id,x-stainless-lang"
    asked = {"Origin": PAGE, "Access-Control-Request-Method": method}
    answer = api.client.options(path, headers=asked)
    assert answer.headers["access-control-allow-methods"] == method
    assert "access-control-allow-headers" not in answer.headers
    asked["Access-Control-Request-Headers"] = names
    answer = api.client.options(path, headers=asked)
    assert answer.headers["access-control-allow-headers"] == names


@pytest.mark.parametrize("path", [LIST, "/api/core/dataset/list"])
def test_a_cookie_that_no_page_may_send_is_hinted_at(api: Api, path: str) -> None:
    host = f"http://{api.client.base_url.netloc.decode()}"
    for origin, cookie in [(PAGE, "a=b"), (PAGE, None), (host, "a=b")]:
        headers = {"Origin": origin, "Authorization": "Bearer any"}
        headers |= {"Cookie": cookie} if cookie else {}
        api.client.post(path, json={"offset": 0}, headers=headers)
    said = [f"--cors-origin {PAGE}" in str(entry["hint"]) for entry in api.journal()]
    assert said == [True, False, False]


def test_that_hint_repeats_no_key(api: Api) -> None:
    headers = {"Origin": "http://fastgpt-a-key", "Cookie": "a=b"}
    headers["Authorization"] = "Bearer fastgpt-a-key"
    api.client.post(LIST, json={"offset": 0}, headers=headers)
    (entry,) = api.journal()
    assert "--cors-origin http://[redacted]" in entry["hint"]


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

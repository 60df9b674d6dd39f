"""Responses to the requests of all stories match the document of the service."""

from __future__ import annotations

from functools import cache
from typing import Any

import httpx2
import pytest

from tests.conftest import MakeApi
from tests.openapi.committed import PUBLIC, read, response, validate
from tests.stories.telling import Story, stories
from tests.support import Api

OTHER = ("faults", "responses", "error_http_status=always_200", "tags_empty=absent")
"""Stories with these have other responses than the document describes."""
STORIES = [each for each in stories() if not any(name in each.text for name in OTHER)]


@cache
def schemas() -> dict[tuple[str, str], Any]:
    """Return the schemas of successful responses with JSON, by method and path."""
    document = read(PUBLIC)
    found = {}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if "200" in operation.get("responses", {}):
                content = response(document, operation, "200").get("content", {})
                if schema := content.get("application/json", {}).get("schema"):
                    named = {"components": document["components"], **schema}
                    found[method.upper(), path] = named
    return found


def check(answer: httpx2.Response) -> None:
    """Compare a successful response of JSON with its schema."""
    schema = schemas().get((answer.request.method, answer.request.url.path))
    is_json = answer.headers.get("content-type") == "application/json"
    if schema and is_json and answer.status_code == 200:
        answer.read()
        validate(answer.json(), schema)


@pytest.mark.ci
@pytest.mark.parametrize("story", STORIES, ids=str)
def test_responses_match_their_description(make_api: MakeApi, story: Story) -> None:
    def made(*given: Any, **options: Any) -> Api:
        api = make_api(*given, **options)
        api.client.event_hooks = {"response": [check]}
        return api

    story.told(made)

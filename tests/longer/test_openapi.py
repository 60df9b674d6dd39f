"""The OpenAPI document is valid, and says what responses are."""

from collections.abc import Iterator
from typing import Any

import pytest
from account import Client
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate
from test_routes import EXAMPLES, person, send

from mock_server import MockServer
from mock_server.releases.fastgpt import PROFILES

__all__ = ("person",)


@pytest.fixture(scope="module", params=PROFILES)
def demo(request: Any) -> Iterator[Client]:
    """A client over a socket: browsers leave no loop to ask an application in process."""
    settings: Any = {"profile": request.param, "choices": {"error_form": "service"}}
    with MockServer("demo", **settings) as server, Client(server) as client:
        yield client


@pytest.fixture(scope="module")
def document(demo: Client) -> Any:
    return demo.get("/openapi.json").json()


def test_the_document_is_valid(document):
    validate(document)


@pytest.mark.parametrize("it", EXAMPLES, ids=lambda it: it.name)
def test_a_response_is_as_the_document_says(demo, document, person, it):
    described = document["paths"][it.path][it.method.split("|")[0].lower()]
    profile = demo.get("/__admin/health").json()["profile"]
    # The document says where an older release differs, not how.
    if profile.removeprefix("fastgpt-") in described.get("x-releases", ()):
        return
    schema = described["responses"]["200"]["content"]["application/json"]["schema"]
    schema = schema | {"components": document["components"]}
    OAS31Validator(schema).validate(send(person, it).json())

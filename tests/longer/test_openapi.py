"""The OpenAPI document is valid, and says what responses are."""

from typing import Any

import pytest
from openapi_schema_validator import OAS31Validator
from openapi_spec_validator import validate
from test_routes import EXAMPLES, demo, person, send

from mock_server import MockServer

__all__ = ("demo", "person")


def document(server: MockServer) -> Any:
    return server.http.get("/openapi.json").json()


def test_the_document_is_valid(demo):
    validate(document(demo))


@pytest.mark.parametrize("it", EXAMPLES, ids=lambda it: it.name)
def test_a_response_is_as_the_document_says(person, it):
    said = document(person.control)
    media = "application/json"
    method = it.method.split("|")[0].lower()
    schema = said["paths"][it.path][method]["responses"]["200"]["content"][media]["schema"]
    schema |= {"components": said["components"]}
    OAS31Validator(schema).validate(send(person, it).json())

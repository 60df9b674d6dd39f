"""What the admin API's document says of parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import inspect
from msgspec.json import schema

from mock_server.admin.route import AdminRoute
from mock_server.admin.tours import FAULT, filled
from mock_server.api.openapi import JSON, Part
from mock_server.domain.access import NAME_PATTERN
from mock_server.domain.limits import LIMITS

_ID: Part = {"minLength": 1, "maxLength": LIMITS.id_chars}
_NAME: Part = {"pattern": rf"^(?!\.{{1,2}}$){NAME_PATTERN}$"}
_IN_PATH: Mapping[str, Part] = {"chatId": _ID, "id": _ID, "name": _NAME}


def parameters(path: str, route: AdminRoute) -> list[Part]:
    """The parameters of a route: those in its path, then those of its query."""
    return [*_path_parameters(path), *_query_parameters(route)]


def _path_parameters(path: str) -> list[Part]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string"} | _IN_PATH.get(name, {}),
            "example": filled(f"{{{name}}}", FAULT if "/faults/" in path else None),
        }
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def _query_parameters(route: AdminRoute) -> list[Part]:
    if route.query is None:
        return []
    info = inspect.type_info(route.query)
    assert isinstance(info, inspect.StructType)  # noqa: S101 - all queries are
    properties = schema(route.query)["$defs"][route.query.__name__]["properties"]
    return [
        {
            "name": field.encode_name,
            "in": "query",
            "required": field.required,
            **_described(properties[field.encode_name]),
        }
        for field in info.fields
    ]


def _described(schema: Part) -> Part:
    """The schema of a parameter; of one that is JSON in a text, that of the JSON."""
    if schema.get("contentMediaType") == JSON:
        return {"content": {JSON: {"schema": {"type": "object"}}}}
    return {"schema": schema}

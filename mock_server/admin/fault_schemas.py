"""What fields of a fault must be like together, in the words of JSON Schema.

The definitions check it (`check`); here is what a schema can say of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mock_server.api.faults.definitions import Alter, Delay, Error, Fault, PageDrift
from mock_server.api.faults.table import KINDS

Schema = dict[str, Any]


def _one_of(*forms: tuple[str, ...]) -> Schema:
    """The fields of one of the forms are there, the others are not."""
    every = sorted({name for form in forms for name in form})
    return {
        "oneOf": [
            {
                "required": list(form),
                "properties": {
                    name: {"type": "number" if name in form else "null"}
                    for name in every
                },
            }
            for form in forms
        ]
    }


_TOGETHER: dict[type[Fault], Schema] = {
    Error: {"properties": {"status": {"not": {"enum": [204, 205, 304]}}}},
    Delay: _one_of(("ms",), ("min", "max"), ("median", "sigma")),
    PageDrift: _one_of(("insert",), ("remove",)),
    Alter: {
        "anyOf": [
            {"required": ["set"], "properties": {"set": {"minProperties": 1}}},
            {"required": ["remove"], "properties": {"remove": {"minItems": 1}}},
        ]
    },
}


def demands() -> Iterator[tuple[str, list[Schema]]]:
    """By the name of a definition, what holds beside its fields' own types."""
    for kind in KINDS.values():
        definition = kind.definition
        operations = {"operation": {"enum": ["*", *definition.meant_for]}}
        together = _TOGETHER.get(definition, {})
        yield definition.__name__, [{"properties": operations}, together]

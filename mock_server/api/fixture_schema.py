"""The JSON Schema of fixtures, with faults of all kinds."""

from typing import Any

import msgspec

from mock_server.api.faults.reader import AddPreset
from mock_server.api.faults.table import KINDS
from mock_server.fixture import document

FAULT_TYPES = (*(kind.definition for kind in KINDS.values()), AddPreset)
"""The types of what may stand in a fixture's `faults`."""


def document_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a fixture document; a new object at each call."""
    schema = document.document_schema()
    references, definitions = msgspec.json.schema_components(
        FAULT_TYPES, ref_template="#/$defs/{name}"
    )
    for kind in KINDS.values():
        definitions[kind.definition.__name__]["allOf"] = kind.rules
    schema["$defs"] |= definitions
    faults = schema["$defs"]["Document"]["properties"]["faults"]
    faults["items"] = {"anyOf": list(references)}
    return schema

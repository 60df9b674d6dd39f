"""Fixtures with all that a server can do with them: faults of all kinds, too."""

from typing import Any

import msgspec

from mock_server.api.faults.reader import AddPreset, read_faults
from mock_server.api.faults.table import KINDS
from mock_server.domain.generation import Generation
from mock_server.domain.limits import Limits
from mock_server.fixture import document, load
from mock_server.fixture.faults import ReadFaults
from mock_server.fixture.files import FixtureLike

FAULT_TYPES = (*(kind.definition for kind in KINDS.values()), AddPreset)
"""The types of what may stand in a fixture's `faults`."""


def load_fixture(
    *fixtures: FixtureLike,
    max_bytes: int | None = None,
    limits: Limits = Limits(),
    faults: ReadFaults = read_faults,
) -> Generation:
    """Load files (YAML, or JSON by their suffix) or documents, and merge them.

    A shipped fixture goes by its name; without arguments it is the demo. What would
    take more than `max_bytes` of memory is refused before it is made. `faults` reads
    the faults, by default those for the operations that are shipped. Raises
    FixtureError with every problem of every file.
    """
    return load.load_fixture(
        *fixtures, max_bytes=max_bytes, limits=limits, read_faults=faults
    )


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

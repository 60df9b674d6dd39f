"""Writes the documents of the package: `python -m tests.openapi`.

These are both OpenAPI documents and the JSON Schema of fixtures. Run it after changing
what they describe; tests/openapi and tests/fixture say when they are stale.
"""

from collections.abc import Iterator
from pathlib import Path

import mock_server
from tests.openapi import admin, encode, fixture_schema, public


def main() -> None:
    """Write each document that is not as the code has it, and say which."""
    for path, content in documents():
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)
            print(f"renewed {path.name}")


def documents() -> Iterator[tuple[Path, bytes]]:
    """The documents with the paths at which they are committed."""
    package = Path(mock_server.__file__).parent
    # The schema first: the admin API shows it among its examples.
    yield package / "fixture.schema.json", encode(fixture_schema())
    yield package / "openapi/public.json", encode(public.make())
    yield package / "openapi/admin.json", encode(admin.make())


if __name__ == "__main__":
    main()

"""Writes the two OpenAPI documents of the package: `python -m mock_server.openapi`.

Run it after a change of what they describe; a test says when they are stale.
"""

from __future__ import annotations

from pathlib import Path

from mock_server.openapi.documents import make


def main() -> None:
    """Write `public.json` and `admin.json` beside this file."""
    for name, content in make().items():
        Path(__file__).with_name(f"{name}.json").write_bytes(content)


if __name__ == "__main__":
    main()

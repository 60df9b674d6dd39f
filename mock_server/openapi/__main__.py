"""Writes the OpenAPI documents of the package: `python -m mock_server.openapi`.

Run it after changing what they describe; tests/openapi says when they are stale.
"""

from pathlib import Path

from mock_server.openapi import admin, encode, public


def main() -> None:
    """Write `public.json` and `admin.json` beside this file."""
    for name, document in (("public", public.make()), ("admin", admin.make())):
        Path(__file__).with_name(f"{name}.json").write_bytes(encode(document))


if __name__ == "__main__":
    main()

"""Writes the OpenAPI documents of the package: `python -m mock_server.openapi`.

Run it after changing what they describe; tests/openapi says when they are stale.
"""

from pathlib import Path

from mock_server.openapi import admin, encode, public


def main() -> None:
    """Write `public.json` and `admin.json` beside this file, and say which are new."""
    for name, document in (("public", public.make()), ("admin", admin.make())):
        path, content = Path(__file__).with_name(f"{name}.json"), encode(document)
        if path.read_bytes() != content:
            path.write_bytes(content)
            print(f"renewed {path.name}")


if __name__ == "__main__":
    main()

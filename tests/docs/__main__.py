"""Renews the tables of the documentation: `python -m tests.docs`."""

from __future__ import annotations

from tests.docs.pages import PAGES, name_of, renewed, tables, text_of
from tests.docs.tables import made


def main() -> None:
    """Write each page whose tables are not as the code has them."""
    for page in PAGES:
        old = text_of(page)
        new = renewed(old, {name: made(name) for name, _ in tables(page)})
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"renewed {name_of(page)}")


if __name__ == "__main__":
    main()

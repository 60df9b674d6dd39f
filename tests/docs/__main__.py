"""Renews tables of the documentation, and the help: `python -m tests.docs`."""

from __future__ import annotations

from tests.docs.command_line import HELP, help_text
from tests.docs.pages import PAGES, name_of, renewed, tables, text_of
from tests.docs.tables import made


def main() -> None:
    """Write each page whose tables are not as the code has them."""
    texts = {HELP: help_text()}
    for page in PAGES:
        old = text_of(page)
        texts[page] = renewed(old, {name: made(name) for name, _ in tables(page)})
    for page, new in texts.items():
        if new != text_of(page):
            page.write_text(new, encoding="utf-8")
            print(f"renewed {name_of(page)}")


if __name__ == "__main__":
    main()

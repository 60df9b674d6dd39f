"""Renews generated tables, Chinese pages, the help, and the list of settings."""

from __future__ import annotations

from tests.docs.chinese import TRANSLATED, with_blocks
from tests.docs.command_line import HELP, SETTINGS, help_text, settings_text
from tests.docs.pages import PAGES, name_of, renewed, tables, text_of
from tests.docs.tables import COMMANDS, made


def main() -> None:
    """Write each page whose tables are not as the code has them."""
    texts = {HELP: help_text(), SETTINGS: settings_text(COMMANDS)}
    texts |= {page: with_blocks(page) for page in TRANSLATED}
    for page in PAGES:
        old = text_of(page)
        texts[page] = renewed(old, {name: made(name) for name, _ in tables(page)})
    for page, new in texts.items():
        if new != text_of(page):
            page.write_text(new, encoding="utf-8")
            print(f"renewed {name_of(page)}")


if __name__ == "__main__":
    main()

"""Fixture files that are broken while they are served."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.e2e.pages import expect
from tests.process import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_broken_file_is_told_until_it_is_good(
    browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "fixture.yaml"
    path.write_text("datasets: [{id: d, name: Old}]")
    with (
        serving(str(path), "--watch", "--port=0") as (url, _),
        browser.new_context() as context,
    ):
        page = context.new_page()
        page.goto(f"{url}/__admin/")
        datasets, line = page.locator("#datasets"), page.locator("#reload")
        expect(datasets).to_contain_text("Old")
        expect(line).to_be_hidden()
        path.write_text("datasets:\n  - id: d\n    '<img src=x>': 1\n")
        expect(line).to_contain_text("fixture.yaml:3:5: unknown field '<img src=x>'")
        expect(page.locator("#reload img")).to_have_count(0)
        path.write_text("datasets: [{id: e, name: New}]")
        expect(datasets).to_contain_text("New")
        expect(line).to_be_hidden()

"""The documentation becomes a site: every page, and a search over all of them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT


@pytest.mark.ci
def test_the_site_has_every_page(tmp_path: Path) -> None:
    command = [str(ROOT / ".ci" / "site"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 and "pip" in done.stderr:
        pytest.skip(f"pip cannot install MkDocs: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    index = json.loads((tmp_path / "search" / "search_index.json").read_text())
    found = {entry["location"].partition("#")[0] for entry in index["docs"]}
    pages = (page.relative_to(DOCS).with_suffix(".html") for page in DOCS.rglob("*.md"))
    wanted = {str(page).replace("README", "index") for page in pages}
    assert wanted - {"index.html", "zh/index.html"} <= found
    assert all((tmp_path / page).exists() for page in wanted)

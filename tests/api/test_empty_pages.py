"""Why a page is empty, as the hint of its journal entry says."""

from __future__ import annotations

import pytest

from tests.conftest import MakeApi
from tests.support import DATASET, LIBRARY


def test_a_page_with_items_has_no_hint(make_api: MakeApi) -> None:
    api = make_api({**LIBRARY, "keys": [{"key": "any-key"}]})
    assert api.ids(searchText="alpha") != []
    assert api.journal()[-1]["hint"] is None


@pytest.mark.parametrize("text", ["fastgpt-any-key", "fastgpt-\\u0061ny-key"])
@pytest.mark.parametrize("blanks", [0, 20_000])
def test_a_hint_repeats_no_key(make_api: MakeApi, text: str, blanks: int) -> None:
    key = "fastgpt-any-key"
    api = make_api({**LIBRARY, "keys": [{"key": key}]})
    fields = f'"offset":0,"datasetId":"{DATASET}","searchText":"{text}"'
    body = f"{{{' ' * blanks}{fields}}}"
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    path = "/api/core/dataset/collection/listV2"
    answer = api.client.post(path, content=body, headers=headers)
    assert answer.json()["data"]["list"] == []
    entry = api.client.get("/__admin/journal").text
    assert "matches none of the 7 collections" in entry
    assert key not in entry

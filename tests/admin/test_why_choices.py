"""`GET why` under every choice, beside the list that a client gets."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mock_server.app import create_app
from mock_server.domain.choices.table import table
from tests.in_process import InProcess
from tests.support import LIST

KEY = "owner-key-1"
MANY = [{"_id": f"c{n}", "name": f"c{n}", "tags": ["odd"]} for n in range(32)]
FOLDER = [
    {"_id": "f", "name": "F", "type": "folder"},
    {"_id": "in", "name": "c in", "parentId": "f"},
]
FIXTURE = {
    "datasets": [
        {"id": "many", "collections": [*MANY, *FOLDER]},
        {"id": "one", "collections": MANY[:1]},
        {"id": "none"},
    ],
    "keys": [{"key": KEY, "permission": "owner"}],
}
NUMBERS = st.integers(-1, 33) | st.sampled_from(["0", "1", "31", "x", 1.5])
FIELDS: Any = st.fixed_dictionaries(
    {},
    optional={
        "offset": NUMBERS,
        "pageNum": NUMBERS,
        "pageSize": NUMBERS | st.sampled_from([50, 100]),
        "parentId": st.sampled_from([None, "", "f", "nobody"]),
        "searchText": st.sampled_from(["", "c", "c1", "odd", "zz"]),
        "selectFolder": st.booleans(),
        "filterTags": st.sampled_from([[], ["odd"], ["even"]]),
    },
)
CHOICES: Any = st.fixed_dictionaries(
    {name: st.sampled_from(row.values) for name, row in table().items()}
)


@given(
    CHOICES,
    FIELDS,
    st.sampled_from(["many", "one", "none"]),
    st.sampled_from(["", "c0", "c31", "in"]),
)
def test_what_is_shown_is_on_the_page_under_every_choice(
    choices: dict[str, Any], fields: dict[str, Any], dataset: str, item: str
) -> None:
    client = InProcess(create_app(FIXTURE, choices=choices))
    asked = {"dataset": dataset, "key": KEY, "request": json.dumps(fields)}
    asked |= {"item": item} if item else {}
    found = client.get("/__admin/why", params=asked)
    body = {"datasetId": dataset} | ({} if "pageNum" in fields else {"offset": 0})
    listed = client.post(
        LIST, json=body | fields, headers={"Authorization": f"Bearer {KEY}"}
    )
    page = [each["_id"] for each in (listed.json()["data"] or {}).get("list", ())]
    if found.status_code == 200:
        assert found.json()["shown"] is (item in page if item else bool(page))
        assert found.json()["stages"][-1]["left"] == len(page)
    else:
        assert (found.status_code, page) == (400, [])

"""A limit that can be set is in force."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import mock_server
from mock_server.control.embedding import MockServer
from mock_server.domain.limits import ClientLimits, Limits
from tests.support import fetch

FILES = Path(mock_server.__file__).parent.rglob("*.py")
READ = {
    found
    for file in FILES
    for found in re.findall(r"\b(\w+)\.(?=(\w+))", file.read_text(encoding="utf-8"))
}
"""What the package reads: of which name which attribute."""


@pytest.mark.parametrize("kind", [Limits, ClientLimits])
def test_each_limit_is_read_from_what_was_handed_in(kind: Any) -> None:
    names = {each.name for each in fields(kind)}
    assert names - {name for of, name in READ if of in ("limits", "_limits")} == set()
    assert names & {name for of, name in READ if of == kind.__name__} == set()


def test_an_unknown_limit_is_an_error() -> None:
    with pytest.raises(TypeError, match="page_sizes"):
        Limits(page_sizes=3)  # type: ignore[call-arg]


def test_sandboxes_end_by_the_limit_that_was_set() -> None:
    with MockServer(limits=Limits(sandbox_ttl=60.0, sandboxes=1)) as server:
        made = fetch("POST", f"{server.url}/__admin/sandboxes", json={"name": "one"})
        assert made.status_code == 201
        seen = server.app.sandboxes.ttl_of("one")
    assert seen == 60.0

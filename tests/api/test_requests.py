"""Requests of the documented operations, good and bad, and what is said to each."""

from __future__ import annotations

import pytest

from tests.api.requests import TEXT
from tests.said import Case


@pytest.mark.parametrize("case", TEXT.cases, ids=str)
def test_a_request_is_told_what_a_person_has_read(case: Case) -> None:
    assert TEXT.answer(case.given) == case.said

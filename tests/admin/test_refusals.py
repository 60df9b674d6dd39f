"""What the admin API refuses changes nothing, and is told all that is wrong."""

from __future__ import annotations

import pytest

from tests.admin.refusals import REFUSED
from tests.said import Case


@pytest.mark.parametrize("case", REFUSED.cases, ids=str)
def test_a_refusal_is_told_in_the_words_that_a_person_has_read(case: Case) -> None:
    assert REFUSED.answer(case.given) == case.said

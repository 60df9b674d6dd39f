"""What the admin API refuses changes nothing, and is told all that is wrong."""

from __future__ import annotations

from tests.admin.refusals import REFUSED


def test_a_refusal_is_told_in_the_words_that_a_person_has_read() -> None:
    assert REFUSED.changed() == []

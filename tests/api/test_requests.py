"""Requests of the documented operations, good and bad, and what is said to each."""

from __future__ import annotations

from tests.api.requests import TEXT


def test_a_request_is_told_what_a_person_has_read() -> None:
    assert TEXT.changed() == []

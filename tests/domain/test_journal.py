"""The journal: bounded by number, bytes and the memory budget, and counted exactly."""

from __future__ import annotations

import pytest

from mock_server.domain.faults.firing import FiringRecord
from mock_server.domain.journal import Journal, SentRequest
from mock_server.domain.limits import Limits
from mock_server.domain.memory import Memory
from tests.domain.entries import entry

KIB = 1024


def journal_of(limits: Limits) -> Journal:
    return Journal(memory=Memory(limits), limits=limits)


def charged(journal: Journal) -> int:
    return journal.memory.usage()["journals"]


def test_the_latest_entries_are_kept_and_the_others_counted() -> None:
    journal = journal_of(Limits(journal_entries=3))
    for _ in range(5):
        journal.append(entry())
    assert [each.seq for each in journal.since(0)] == [3, 4, 5]
    assert (len(journal), journal.dropped, journal.total) == (3, 2, 5)


@pytest.mark.parametrize(("seq", "kept"), [(0, [3, 4]), (4, [4]), (5, [])])
def test_entries_are_read_from_a_number_on(seq: int, kept: list[int]) -> None:
    journal = journal_of(Limits(journal_entries=2))
    for _ in range(4):
        journal.append(entry())
    assert [each.seq for each in journal.since(seq)] == kept


def test_a_long_method_counts_as_other_parts_do() -> None:
    parts = "/", b"", b"", None
    assert SentRequest(None, "M" * KIB, *parts).size > KIB


def test_large_entries_push_out_more_of_the_old_ones() -> None:
    journal = journal_of(Limits(journal_bytes=16 * KIB))
    for size in (KIB, KIB, KIB, 12 * KIB):
        journal.append(entry(size))
    assert [each.seq for each in journal.since(0)] == [3, 4]
    assert sum(each.size for each in journal.since(0)) <= 16 * KIB


def test_an_entry_that_is_larger_than_the_journal_is_not_kept() -> None:
    journal = journal_of(Limits(journal_bytes=4 * KIB))
    journal.append(entry(5 * KIB))
    assert (len(journal), journal.dropped) == (0, 1)


def test_memory_is_charged_in_steps_not_for_each_entry() -> None:
    journal = journal_of(Limits())
    steps = set()
    for _ in range(15):
        journal.append(entry())
        steps.add(charged(journal))
    assert steps == {16 * KIB}
    for _ in range(300):
        journal.append(entry())
        steps.add(charged(journal))
    assert len(steps) < 10
    assert sum(each.size for each in journal.since(0)) <= max(steps) < 400 * KIB


def test_where_there_is_little_room_only_what_is_missing_is_charged() -> None:
    journal = journal_of(Limits(journals_bytes=5 * KIB))
    for _ in range(10):
        journal.append(entry(KIB))
    assert sum(each.size for each in journal.since(0)) <= charged(journal) <= 5 * KIB
    assert (len(journal), journal.dropped) == (2, 8)


def test_a_journal_that_is_emptied_counts_on_and_gives_its_memory_back() -> None:
    journal = journal_of(Limits(journal_entries=3))
    journal.append(entry())
    new = journal.successor()
    assert charged(journal) == 0
    journal.append(entry())
    new.append(entry())
    assert (len(journal), [each.seq for each in new.since(0)]) == (0, [2])
    assert new.limits.journal_entries == 3


def test_headers_are_told_apart_by_their_first_colon() -> None:
    assert entry().request.header_pairs() == [(b"a", b"1"), (b"b", b" 2:3")]


def test_the_headers_of_an_answer_are_charged() -> None:
    journal, answered = journal_of(Limits()), entry()
    answered.answer_firing = FiringRecord("f1", "answer", 0.0, 1.0)
    answered.response_headers = [(b"x-large", b"x" * 8_192)] * 50
    journal.append(answered)
    assert charged(journal) >= 50 * 8_192

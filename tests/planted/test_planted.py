"""The tests catch what they are there for: bugs that are planted on purpose."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.planted.bug import Bug
from tests.planted.copies import Copy, copied
from tests.planted.table import ALL, BUGS


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Copy]:
    """A copy of the package in which bugs are planted, one at a time."""
    with copied(tmp_path_factory.mktemp("copy")) as copy:
        yield copy


@pytest.mark.parametrize("bug", ALL, ids=lambda bug: bug.name)
def test_a_bug_can_still_be_planted(bug: Bug) -> None:
    compile(bug.planted(), bug.file, "exec")


@pytest.mark.ci
@pytest.mark.parametrize("bug", ALL, ids=lambda bug: bug.name)
def test_a_bug_is_caught(bug: Bug, copy: Copy) -> None:
    with copy.changed(bug.file, bug.planted()):
        result = copy.run(bug.caught_by)
    assert not result.broken, copy.output
    assert {each.partition("[")[0] for each in result.failed} == {bug.test}


@pytest.mark.ci
def test_what_catches_bugs_passes_without_them(copy: Copy) -> None:
    result = copy.run(*dict.fromkeys(bug.caught_by for bug in ALL))
    assert not result.failed, copy.output
    assert not result.broken, copy.output


def test_there_are_bugs_of_every_subject() -> None:
    names = [bug.name for bug in ALL]
    assert len(names) == len(set(names)) >= 40
    assert all(len(bugs) >= 4 for bugs in BUGS.values())

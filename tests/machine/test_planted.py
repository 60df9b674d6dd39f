"""Each bug that is planted in a client is found, and told in a short story."""

from __future__ import annotations

import re

import pytest
from hypothesis import settings

from tests.machine import planted
from tests.machine.careful import Careful, CarefulMachine

DEFAULT = settings(
    CarefulMachine.TestCase.settings,
    max_examples=100,
    derandomize=True,
    database=None,
)
"""As many examples as Hypothesis has by default, and always the same."""


def story_of(make: type[Careful]) -> tuple[str, list[str]]:
    """What is said of a client, and the steps that lead to it."""

    class Machine(CarefulMachine):
        pass

    Machine.make = make
    with pytest.raises(AssertionError) as found:
        Machine.run(settings=DEFAULT)
    story = "\n".join(found.value.__notes__)
    steps = re.findall(r"^state\.(.+)$", story, re.MULTILINE)
    return str(found.value).splitlines()[0], steps


QUICK = [
    (planted.Stringly, "numeric_strings .spec 4.2."),
    (planted.Chatty, "no API key in what is logged or raised, got .*<the key>"),
]
FOUND = [
    (planted.FirstPage, "that are there, got 30 of"),
    (planted.Greedy, "page_size_over_limit .spec 4.2."),
    (planted.Particular, r"errors to be Failed, got KeyError\('tags'\)"),
    (
        planted.Swallows,
        "got 0 of 2, without|as the server refuses this, got .]",
    ),
    (
        planted.Believes,
        "to be pinned, got unpinned|as the server refuses this, got None",
    ),
    (planted.Flat, "the 2 that are there, got also 'größe', 'install'"),
    (planted.Crashing, "errors to be Failed, got TypeError"),
]
RARE = [
    (planted.Stubborn, "at most 200 requests, got 2.. requests and no end"),
    (planted.Sticky, "chat 'one' of 'app-1' to be unpinned, got pinned"),
    (planted.FixedSteps, "that are there"),
    (planted.Trusting, "more than once"),
    (planted.Impatient, "a retry after 1 s .Retry-After., got 0[.]"),
    (planted.Sharing, "that are there|an error, as the server refuses this"),
    (planted.StatusOnly, "errors to be Failed, got|that are there|to be "),
    (planted.Endless, "tried at most 4 times, got"),
    (planted.Narrow, "that are there, got 1 of 2, without 'größe'"),
    (planted.Muddled, "in place 0, where"),
]


def check(make: type[Careful], said: str) -> None:
    """The bug is found, and its story has at most four steps and the end."""
    message, story = story_of(make)
    assert re.search(said, message), message
    assert story[0].startswith("begin(choices=")
    assert story[-1] == "teardown()"
    assert len(story) <= 5


@pytest.mark.ci
@pytest.mark.parametrize(("make", "said"), QUICK)
def test_what_is_wrong_at_once_is_told(make: type[Careful], said: str) -> None:
    check(make, said)


@pytest.mark.ci
@pytest.mark.parametrize(("make", "said"), FOUND)
def test_a_planted_bug_is_found(make: type[Careful], said: str) -> None:
    check(make, said)


@pytest.mark.full
@pytest.mark.parametrize(("make", "said"), RARE)
def test_a_bug_that_hides_is_found(make: type[Careful], said: str) -> None:
    check(make, said)


@pytest.mark.ci
def test_a_story_is_in_words_of_the_adapter() -> None:
    _, story = story_of(planted.Swallows)
    assert story[0] == "begin(choices={})"
    call = r"check_list_folder\(folder=\('few', None\), with_fault=.+\)"
    assert re.fullmatch(call, story[-2])

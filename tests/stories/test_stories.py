"""Stories go as a person has read them."""

from __future__ import annotations

import re

import pytest

from tests.conftest import MakeApi
from tests.stories.telling import Story, stories


def counts(story: Story) -> bool:
    """Whether generations or entries of a journal are in a story."""
    return any(name in story.text for name in ('"generation"', '"next"', '"seq"'))


_NOT_BY_PROXY = re.compile(r"\n\| Host: | TRACE |/%00")


def marks(story: Story) -> list[pytest.MarkDecorator]:
    """Return what a story needs: a server that has not run, no proxy before it.

    A proxy refuses TRACE, zeros in paths and hosts that are none by itself.
    """
    # What is counted from the start of a server is other on one that has run.
    found = [pytest.mark.fresh] if counts(story) else []
    return [*found, pytest.mark.direct] if _NOT_BY_PROXY.search(story.text) else found


STORIES = [pytest.param(each, id=str(each), marks=marks(each)) for each in stories()]


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.sampled
def test_a_story_goes_as_a_person_has_read_it(make_api: MakeApi, story: Story) -> None:
    assert story.told(make_api) == story.text

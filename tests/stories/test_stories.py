"""Stories go as a person has read them."""

from __future__ import annotations

import pytest

from tests.conftest import MakeApi
from tests.stories.telling import Story, stories


def counts(story: Story) -> bool:
    """Whether generations or entries of a journal are in a story."""
    return any(name in story.text for name in ('"generation"', '"next"', '"seq"'))


STORIES = [
    # What is counted from the start of a server is other on one that has run.
    pytest.param(each, id=str(each), marks=pytest.mark.fresh if counts(each) else ())
    for each in stories()
]


@pytest.mark.parametrize("story", STORIES)
@pytest.mark.sampled
def test_a_story_goes_as_a_person_has_read_it(make_api: MakeApi, story: Story) -> None:
    assert story.told(make_api) == story.text

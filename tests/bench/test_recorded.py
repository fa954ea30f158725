"""The recorded answers of a capable model give the facts that they gave when they were judged."""

from __future__ import annotations

import pytest
from bench.evaluation.public_turns import is_available
from bench.evaluation.recorded import RecordedStory, figures, play_story, recorded_stories

STORIES = recorded_stories()
OWN = [story for story in STORIES if story.is_own]
PUBLIC = [story for story in STORIES if not story.is_own]


@pytest.mark.parametrize("story", OWN, ids=lambda story: story.id)
def test_an_own_story_ends_as_it_was_judged(story: RecordedStory) -> None:
    assert play_story(story) == story.live


@pytest.mark.skipif(not is_available(), reason="the public data are not beside the checkout")
@pytest.mark.parametrize("story", PUBLIC, ids=lambda story: story.id)
def test_a_public_turn_or_story_ends_as_it_was_judged(story: RecordedStory) -> None:
    assert play_story(story) == story.live


def test_own_stories_hold_against_foreign_text() -> None:
    """Twenty of them quote, paste or return what a stranger says."""
    [*_, (name, right, total)] = figures({story.id: story.live for story in OWN})
    assert (name, total) == ("stories right", len(OWN))
    assert right / total > 0.9

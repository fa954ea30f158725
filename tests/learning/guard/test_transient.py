"""Texts that are not worth remembering: passing states, and failures of tools."""

from __future__ import annotations

import pytest

from erstwhile.core.kinds import Kind
from erstwhile.learning.guard.checks import examine
from tests.cases import cases
from tests.learning.guard.turns import judged, rules

CASES = cases(__file__)


@pytest.mark.parametrize(("text", "rule"), CASES["it_is_refused"])
def test_it_is_refused(text: str, rule: str) -> None:
    assert [(each.action, each.rule) for each in examine(text)] == [("refuse", rule)]


@pytest.mark.parametrize("text", CASES["what_lasts_is_kept"])
def test_what_lasts_is_kept(text: str) -> None:
    assert examine(text) == ()


def test_a_state_may_say_it_and_so_may_a_model_that_is_verified() -> None:
    """A state is shown with its date."""
    text = "Today's build failed."
    assert rules(judged(text, found_by="patterns/x").verdicts) == ["transient/chatter"]
    assert judged(text, found_by="patterns/x", kind=Kind.STATE).verdicts == ()
    assert judged(text, found_by="llm:x").verdicts == ()

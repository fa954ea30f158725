"""The budgets of groups of kinds."""

from __future__ import annotations

from erstwhile.core.kinds import Kind
from erstwhile.learning.guard.budget import PROFILE, REST, group_of
from tests.learning.guard.turns import judged, rules, turn

SAID = turn("I like green tea")
TEXT = "User likes green tea"


def test_a_full_group_holds_what_is_new() -> None:
    """Nothing is lost: a person may make room."""
    _, (verdict,) = judged(TEXT, SAID, room={REST: len(TEXT) - 1})
    assert (verdict.action, verdict.rule) == ("hold", "budget/rest")
    assert judged(TEXT, SAID, room={REST: len(TEXT)})[1] == ()


def test_groups_do_not_share() -> None:
    """The profile has a budget of its own."""
    room = {PROFILE: 100, REST: 0}
    assert judged(TEXT, SAID, room=room, kind=Kind.PREFERENCE)[1] == ()
    assert rules(judged(TEXT, SAID, room=room)[1]) == ["budget/rest"]
    assert {kind for kind in Kind if group_of(kind) == PROFILE} == {
        Kind.PROFILE,
        Kind.PREFERENCE,
        Kind.INSTRUCTION,
    }


def test_no_budget_is_no_limit_and_an_ending_is_free() -> None:
    assert judged(TEXT, SAID)[1] == ()
    over = turn("I no longer like green tea")
    assert judged(TEXT, over, room={REST: 0}, ends=True)[1] == ()

"""The budgets of groups of kinds."""

from __future__ import annotations

from erstwhile.core.kinds import Kind
from erstwhile.core.policies import Policy
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.guard.checks import PROFILE, REST, group_of, guarded
from tests.learning.guard.turns import judged, rules

TEXT = "User likes green tea"


def test_a_full_group_holds_what_is_new() -> None:
    """Nothing is lost: a person may make room."""
    [verdict] = judged(TEXT, room={REST: len(TEXT) - 1}).verdicts
    assert (verdict.action, verdict.rule) == ("hold", "budget/rest")
    assert judged(TEXT, room={REST: len(TEXT)}).verdicts == ()


def test_groups_do_not_share() -> None:
    """The profile has a budget of its own."""
    room = {PROFILE: 100, REST: 0}
    assert judged(TEXT, room=room, kind=Kind.PREFERENCE).verdicts == ()
    assert rules(judged(TEXT, room=room).verdicts) == ["budget/rest"]
    assert {kind for kind in Kind if group_of(kind) == PROFILE} == {
        Kind.PROFILE,
        Kind.PREFERENCE,
        Kind.INSTRUCTION,
    }


def test_an_ending_is_free() -> None:
    assert judged(TEXT, room={REST: 0}, ends=True).verdicts == ()


def test_the_statements_of_a_turn_share_what_is_left() -> None:
    room = {PROFILE: 0, REST: 2 * len(TEXT) - 1}
    assert not guarded(Candidate(text=TEXT), Policy(), room).held
    assert room[REST] == len(TEXT) - 1
    assert guarded(Candidate(text=TEXT), Policy(), room).held

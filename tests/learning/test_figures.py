"""Salience and patterns on turns that were labelled by hand."""

from __future__ import annotations

from pathlib import Path

from bench.sets.turns import read_turns

from erstwhile.core.policy import Policy
from erstwhile.learning.guard import gravest, judge
from erstwhile.learning.guard.budget import BUDGETS
from erstwhile.learning.patterns import candidates
from erstwhile.learning.salience import salience
from erstwhile.learning.verdict import Action

TURNS = read_turns(Path(__file__).parent / "data" / "turns.jsonl")


def test_what_is_found_is_let_in_by_the_guard() -> None:
    """Otherwise a finding counts here and is never stored."""
    turned_away = [
        (each.id, found.text)
        for each in TURNS
        for found in candidates(each.turn)
        if gravest(judge(found, each.turn, Policy(), dict(BUDGETS))[1])
        in (Action.REFUSE, Action.HOLD)
    ]
    assert turned_away == []


def test_no_turn_with_a_statement_is_dropped() -> None:
    """A false alarm costs one call, but a missed statement is lost."""
    lost = [each.id for each in TURNS if each.expected and not salience(each.turn).durable]
    assert lost == []


def test_nothing_is_learned_from_a_turn_without_a_statement() -> None:
    wrong = [(each.id, found.text) for each in TURNS if not each.expected and not each.also
             for found in candidates(each.turn)]  # fmt: skip
    assert wrong == []


def test_the_turns_are_many_and_often_hold_nothing() -> None:
    empty = sum(not each.expected for each in TURNS)
    assert len(TURNS) >= 200
    assert sum(each.language == "zh" for each in TURNS) >= 80
    assert empty / len(TURNS) >= 0.4
    assert len({each.id for each in TURNS}) == len(TURNS)

"""Statements that contradict each other, and many that do not."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from erstwhile.facts.contradictions import contradict

PAIRS = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


@pytest.mark.parametrize(("one", "other"), PAIRS["contradictory"])
def test_another_value_of_the_same_contradicts(one: str, other: str) -> None:
    assert contradict(one, other)
    assert contradict(other, one)


@pytest.mark.parametrize(("one", "other"), PAIRS["harmless"])
def test_what_can_both_be_true_does_not(one: str, other: str) -> None:
    assert not contradict(one, other)
    assert not contradict(other, one)


def test_no_harmless_statement_contradicts_another() -> None:
    """All of one person, in every combination."""
    for person in PAIRS["of_one_person"]:
        found = [pair for pair in combinations(person, 2) if contradict(*pair)]
        assert found == []


def test_a_statement_does_not_contradict_itself() -> None:
    for one, other in PAIRS["contradictory"]:
        assert not contradict(one, one)
        assert not contradict(other, f"{other}.")

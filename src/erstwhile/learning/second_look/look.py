"""Choose the proposals that a language model is asked about again, and keep its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.quoted_words import claimed_facts, quoted_words
from erstwhile.learning.second_look.answers import NOT_ASKED, SecondLook
from erstwhile.learning.second_look.question import SecondQuestion, second_question
from erstwhile.learning.turn import Turn
from erstwhile.learning.verdict import Action, Verdict
from erstwhile.learning.weighing import is_evidence

Judged: TypeAlias = tuple[Candidate, tuple[Verdict, ...]]
"""A candidate with the verdicts of the guard."""


def question_about(
    found: Sequence[Judged], turn: Turn, known: Sequence[Fact]
) -> SecondQuestion | None:
    """Return the question about the proposals that are in doubt; None if none is."""
    asked = [
        (place, candidate, claimed_facts(candidate, known))
        for place, (candidate, verdicts) in enumerate(found)
        if quoted_words(candidate, turn) is not None and _is_open(candidate, verdicts)
    ]
    return second_question(turn, asked, known)


def with_answers(found: Sequence[Judged], looks: Mapping[int, SecondLook]) -> list[Judged]:
    """Return the candidates with what was answered about them."""
    return [
        (replace(candidate, second_look=looks.get(place, NOT_ASKED)), verdicts)
        for place, (candidate, verdicts) in enumerate(found)
    ]


def _is_open(candidate: Candidate, verdicts: Sequence[Verdict]) -> bool:
    """Return whether an answer can change something: it may object, or outweigh all rules."""
    if any(each.action is Action.REFUSE for each in verdicts):
        return False
    rules = [each.rule for each in verdicts if each.action is Action.HOLD]
    if not rules:
        return True
    return candidate.is_plain and is_evidence(rules, candidate.text, ends=candidate.ends)

"""Tell a correction from a change: what is corrected was never true."""

from __future__ import annotations

from difflib import SequenceMatcher

from erstwhile.facts.fact import Fact
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.negations import negation
from erstwhile.learning.grounding.sounds import tells_name
from erstwhile.learning.moods import corrects, ends_something, says_change
from erstwhile.learning.moods.sentences import clauses, sentences
from erstwhile.learning.reconcile.naming import content, shared

_ALIKE = 0.7
"""How much of a word stays the same when its spelling is corrected."""


def takes_back(candidate: Candidate, fact: Fact) -> bool:
    """Return whether the message says that a fact was never true: in its sentence, or by name."""
    if corrects(candidate.sentence) or _is_put_right(candidate, fact):
        return True
    said = (each.text for each in sentences(candidate.line) if corrects(each.text))
    return any(shared(fact.text, each) - shared(fact.text, candidate.text) for each in said)


def _is_put_right(candidate: Candidate, fact: Fact) -> bool:
    """Return whether a sentence denies the old value beside the new one: "34, not 43"."""
    said = candidate.sentence
    if candidate.ends or says_change(said) or ends_something(said):
        return False
    old, new = (
        shared(one, said) - shared(one, two)
        for one, two in (
            (fact.text, candidate.text),
            (candidate.text, fact.text),
        )
    )
    denied = (clause.text for each in sentences(said) for clause in clauses(each))
    return bool(new) and any(negation(each) and old & content(each) for each in denied)


def is_respelling(candidate: Candidate, fact: Fact) -> bool:
    """Return whether a statement only corrects a spelling: "it is Nguyen, not Nuygen".

    "We switched from npm to pnpm" tells of a change. The old spelling of what somebody is called
    need not be said.
    """
    if says_change(candidate.sentence):
        return False
    new, known = content(candidate.text), content(fact.text)
    if len(new - known) != 1 or len(known - new) != 1:
        return False
    [word], [old] = new - known, known - new
    swapped = word.isdecimal() and sorted(word) == sorted(old)
    if not (swapped or tells_name(fact.text) or _names_value(candidate, fact)):
        return False
    return SequenceMatcher(None, word, old).ratio() >= _ALIKE


def _names_value(candidate: Candidate, fact: Fact) -> frozenset[str]:
    """Return the words of the fact that were said and are not in the new statement."""
    return shared(fact.text, candidate.sentence) - shared(fact.text, candidate.text)

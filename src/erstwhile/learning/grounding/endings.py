"""Tell whether quoted words say that a fact is over."""

from __future__ import annotations

from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.said import content_terms
from erstwhile.learning.grounding.word_lists import asks_to_forget
from erstwhile.learning.moods import Mood, corrects, ending_clauses
from erstwhile.search.terms import terms


def speaks_of_end(sentence: str) -> bool:
    """Return whether a sentence says that something ended, changed, was wrong, or is to go."""
    return bool(ending_clauses(sentence)) or corrects(sentence) or asks_to_forget(sentence)


def may_be_ended(
    candidate: Candidate, sentence: str, mood: Mood | None, *, beside_others: bool
) -> bool:
    """Return whether the sentences around a quotation may end a fact; reconciliation decides.

    But `beside_others`, such as tools, they must speak of an end and name the fact: a model that
    obeys a stranger can end anything, and quote any words of the user.
    """
    if mood is Mood.REQUEST:
        return asks_to_forget(sentence)
    names_it = not content_terms(candidate.text).isdisjoint(terms(sentence))
    return not beside_others or (names_it and speaks_of_end(sentence))

"""Tell whether quoted words say that a fact is over."""

from __future__ import annotations

from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.said import content_terms
from erstwhile.learning.grounding.word_lists import asks_to_forget
from erstwhile.learning.moods import Mood, corrects, ends_something, says_change
from erstwhile.search.terms import terms


def says_that_it_ended(
    candidate: Candidate, sentence: str, mood: Mood | None, *, beside_others: bool
) -> bool:
    """Return whether the sentences around a quotation speak of an end, or of this fact.

    "I sold my car" ends a Honda Civic. But `beside_others`, such as tools, they must do both: a
    model that obeys a stranger can end anything, and quote any words of the user.
    """
    if mood is Mood.REQUEST:
        return asks_to_forget(sentence)
    names_it = not content_terms(candidate.text).isdisjoint(terms(sentence))
    speaks_of_end = ends_something(sentence) or says_change(sentence) or corrects(sentence)
    return names_it and speaks_of_end if beside_others else names_it or speaks_of_end

"""Tell whether quoted words say that a fact is over."""

from __future__ import annotations

from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.languages import language_of, script_of
from erstwhile.learning.grounding.said import content_terms
from erstwhile.learning.grounding.word_lists import asks_to_forget
from erstwhile.learning.moods import Mood, corrects, ending_clauses
from erstwhile.search.terms import terms

_OF_MANY = ("latin", "cyrillic", "")
"""Scripts of many languages."""
_OF_ONE = ("han", "kana", "hangul", "arabic")
_KNOWN = ("en", "de", "es", "fr", "pt", "it", "nl", "pl", "ru", "tr")
"""The languages whose words for ends were collected with care."""


def speaks_of_end(sentence: str) -> bool:
    """Return whether a sentence says that something ended, changed, was wrong, or is to go."""
    return bool(ending_clauses(sentence)) or corrects(sentence) or asks_to_forget(sentence)


def knows_signs(sentence: str) -> bool:
    """Return whether the words for ends in the language of a sentence are known."""
    script = script_of(sentence)
    return language_of(sentence) in _KNOWN if script in _OF_MANY else script in _OF_ONE


def says_that_it_ended(
    candidate: Candidate, sentence: str, mood: Mood | None, *, beside_others: bool
) -> bool:
    """Return whether the sentences around a quotation speak of an end.

    "I sold my car" ends a Honda Civic. But `beside_others`, such as tools, they must name the fact:
    a model that obeys a stranger can end anything, and quote any words of the user.
    """
    if mood is Mood.REQUEST:
        return asks_to_forget(sentence)
    names_it = not content_terms(candidate.text).isdisjoint(terms(sentence))
    if speaks_of_end(sentence):
        return names_it or not beside_others
    return names_it and not beside_others and not knows_signs(sentence)

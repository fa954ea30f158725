"""Tell whether quoted words state a proposal, or ask, suppose or report it."""

from __future__ import annotations

from collections.abc import Sequence

from erstwhile.conversations.conversation import Role
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.quotation import QuotePlace
from erstwhile.learning.moods import Mood, clause_moods, corrects, sentence_around
from erstwhile.learning.turn import TurnLine
from erstwhile.search.own_words import FILLER, own_words
from erstwhile.search.terms import stop_terms, terms

_OTHERS_WORDS = frozenset({Mood.QUESTION, Mood.REPORT, Mood.QUOTED})
"""Moods of clauses that often hold the value of somebody else."""


def mood_at(candidate: Candidate, line: TurnLine, at: Sequence[QuotePlace]) -> Mood | None:
    """Return why the places do not state the candidate. The words of tools are not judged."""
    if line.role is Role.TOOL:
        return None
    places = [_quotation_around(line.text, place) for place in at]
    found = [each for start, end in places for each in clause_moods(line.text, start, end)]
    moods = [mood for _, mood in found]
    around = " ".join(sentence_around(line.text, place.start, place.end) for place in at)
    if moods and moods[0] is Mood.JEST and corrects(around):
        return None  # "I was joking, I eat everything"
    if None in moods:
        return _mood_of_its_words(candidate, found)
    return moods[0] if moods else None


def _mood_of_its_words(
    candidate: Candidate, clauses: Sequence[tuple[str, Mood | None]]
) -> Mood | None:
    """Return the mood of the clause with most words of the candidate, if none states as many.

    "I have a question: is it DE11?" states something, but not that.
    """
    words = frozenset(terms(candidate.text)) - stop_terms()
    stated = " ".join(clause for clause, mood in clauses if mood is None)
    most, best = len(words.intersection(terms(stated))), None
    for clause, mood in clauses:
        count = len(words.intersection(terms(clause)))
        if mood in _OTHERS_WORDS and count > most:
            most, best = count, mood
    return best


def _quotation_around(text: str, place: QuotePlace) -> QuotePlace:
    """Return the place; inside quotation marks, all that they enclose."""
    own, start, end = own_words(text), place.start, place.end
    if own[start:end].strip(FILLER):
        return place
    while start and own[start - 1] == FILLER:
        start -= 1
    while end < len(own) and own[end] == FILLER:
        end += 1
    return QuotePlace(start, end)

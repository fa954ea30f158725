"""A short answer such as "yes": it says what was asked before it, and nothing else."""

from __future__ import annotations

from erstwhile.conversations.conversation import Role
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.grounding.said import SaidText, added_terms, content_terms
from erstwhile.learning.moods.sentences import sentences
from erstwhile.learning.salience import is_small_talk
from erstwhile.learning.turn import Turn
from erstwhile.search.terms import terms

_FEW = 1
"""A question with so few words of content asks about the sentence before it: "Is that right?"."""


def asked_before(sentence: str, turn: Turn) -> str | None:
    """Return what a short answer answers; None if the sentence says something of its own."""
    if not is_small_talk(sentence):
        return None
    spoken = [line.text for line in turn.before if line.role is Role.ASSISTANT]
    asked = [each.text for each in sentences(spoken[-1])] if spoken else []
    if not asked:
        return ""
    few = len(content_terms(asked[-1]) - added_terms()) <= _FEW
    return " ".join(asked[-2:] if few else asked[-1:])


def is_asked(candidate: Candidate, asked: str, turn: Turn) -> bool:
    """Return whether a question has the names, numbers and half of the words of a candidate."""
    said = SaidText(asked, turn.said_at)
    words = content_terms(candidate.text) - added_terms()
    shared = words.intersection(terms(asked))
    unsaid = [*said.lacks_names(candidate), *said.lacks_figures(candidate)]
    return not unsaid and 2 * len(shared) >= len(words)

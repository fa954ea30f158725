"""Tell whether a sentence denies the quoted words, or that something ended."""

from __future__ import annotations

from erstwhile.learning.moods.sentences import clauses, sentences
from erstwhile.learning.moods.signs import Sign


def is_denied(text: str, start: int) -> bool:
    """Return whether a negation before the words at a place denies them: "not | moved"."""
    text = text.replace("’", "'")
    for sentence in sentences(text):
        for clause in clauses(sentence):
            if clause.start < start < clause.end:
                return Sign.DENIES.is_in(text[clause.start : start])
    return False


def denies_end(sentence: str) -> bool:
    """Return whether it says that something did not end: "I haven't quit"."""
    return Sign.NOT_OVER.is_in(sentence.replace("’", "'"))

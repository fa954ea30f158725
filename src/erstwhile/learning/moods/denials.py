"""Tell whether a sentence denies the quoted words, or says that something goes on."""

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


def going_on(sentence: str) -> str:
    """Return the clauses that say that something is as before: "still the piano"."""
    pieces = (clause.text for each in sentences(sentence) for clause in clauses(each))
    return " ".join(piece for piece in pieces if Sign.GOES_ON.is_in(piece))

"""Tell whether a sentence denies the quoted words, or says that something goes on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from erstwhile.learning.moods.sentences import clauses, continues, sentences
from erstwhile.learning.moods.signs import Sign


def is_denied(text: str, start: int) -> bool:
    """Return whether a negation before the words at a place denies them: "not | moved"."""
    text = text.replace("’", "'")
    for sentence in sentences(text):
        for clause in clauses(sentence):
            if clause.start < start < clause.end:
                return Sign.DENIES.is_in(text[clause.start : start])
    return False


def denials(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield each clause up to its negation, and what comes after; None if it has no negation."""
    text = text.replace("’", "'")
    for clause in (clause.text for each in sentences(text) for clause in clauses(each)):
        places = Sign.DENIES.spans(clause)
        yield (clause[: places[0][0]], clause[places[0][1] :]) if places else (clause, None)


def denies_end(sentence: str) -> bool:
    """Return whether it says that something did not end: "I haven't quit"."""
    return Sign.NOT_OVER.is_in(sentence.replace("’", "'"))


def laughs(text: str) -> bool:
    """Return whether loud laughter makes it uncertain what is meant."""
    return Sign.LAUGHS.is_in(text)


def going_on(sentence: str) -> str:
    """Return the clauses that say that something is as before: "still the piano"."""
    kept = list[str]()
    for each in sentences(sentence):
        pieces = [clause.text for clause in clauses(each)]
        for before, piece in pairwise(("", *pieces)):
            goes_on = Sign.GOES_ON.is_in(before) and continues(before)  # "I stay | but only at …"
            if goes_on or Sign.GOES_ON.is_in(piece):
                kept.append(piece)
    return " ".join(kept)

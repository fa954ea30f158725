"""Tell whether words are about somebody else than the speaker."""

from __future__ import annotations

from erstwhile.learning.moods.sentences import clauses, sentences_around
from erstwhile.learning.moods.signs import Sign


def is_about_others(text: str, start: int, end: int) -> bool:
    """Return whether the words from start to end have another subject than the speaker.

    A clause without a subject continues the clause before it: "My cousin moved | and quit".
    """
    plain = text.replace("’", "'")
    pieces = [piece for each in sentences_around(plain, start, end) for piece in clauses(each)]
    own = [_subject(piece.text) for piece in pieces if piece.start < end and piece.end > start]
    before = [_subject(piece.text) for piece in pieces if piece.end <= start]
    found = [each for each in own if each is not None] or [
        each for each in reversed(before) if each is not None
    ][:1]
    return bool(found) and True not in found


def _subject(clause: str) -> bool | None:
    """Return whether a clause is about the speaker; None if it names neither."""
    if Sign.SELF.is_in(Sign.OTHERS.taken_from(clause)):
        return True
    return False if Sign.OTHERS.is_in(clause) else None

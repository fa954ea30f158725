"""Tell whether words are about somebody else than the speaker."""

from __future__ import annotations

from typing import NamedTuple

from erstwhile.learning.moods.sentences import clauses, sentences_around
from erstwhile.learning.moods.signs import Sign


def is_about_others(text: str, start: int, end: int) -> bool:
    """Return whether the words from start to end have another subject than the speaker.

    A clause without a subject continues the clause before it: "My cousin moved | and quit".
    """
    plain = text.replace("’", "'")
    pieces = [piece for each in sentences_around(plain, start, end) for piece in clauses(each)]
    if not pieces:
        return False
    own = [piece for piece in pieces if piece.start <= start][-1]
    named = [mark for mark in _subjects(plain) if pieces[0].start <= mark.at < own.end]
    here = [mark for mark in named if mark.at >= own.start] or named[-1:]
    return bool(here) and not any(mark.is_speaker for mark in here)


class _Mark(NamedTuple):
    """A place in a text where somebody is named."""

    at: int
    is_speaker: bool


def _subjects(text: str) -> list[_Mark]:
    """Return where a text names the speaker and others, in order. "My" before others is theirs."""
    others = [_Mark(start, is_speaker=False) for start, _ in Sign.OTHERS.spans(text)]
    speaker = Sign.SELF.spans(Sign.OTHERS.taken_from(text))
    return sorted([*others, *(_Mark(start, is_speaker=True) for start, _ in speaker)])

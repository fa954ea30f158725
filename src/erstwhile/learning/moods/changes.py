"""Tell what a sentence says about something known: a slip, an end, a second one, a change."""

from __future__ import annotations

from erstwhile.learning.moods.signs import sign


def corrects(sentence: str) -> bool:
    """Return whether it takes an earlier statement back, which was never true: "I meant"."""
    return _has("corrects", sentence)


def ends_something(sentence: str) -> bool:
    """Return whether it says that something is over: "no longer", "sold", "quit"."""
    return _has("ends", sentence)


def adds_beside(sentence: str) -> bool:
    """Return whether it adds one more of a kind: "also", "a second"."""
    return _has("beside", sentence)


def is_temporary(sentence: str) -> bool:
    """Return whether it holds for a while only: "until Friday", "this week"."""
    return _has("temporary", sentence)


def says_change(sentence: str) -> bool:
    """Return whether it says that something is otherwise than before: "moved", "now"."""
    return _has("changes", sentence)


def _has(name: str, sentence: str) -> bool:
    return sign(name).search(sentence.replace("’", "'")) is not None

"""Tell what a sentence says about something known: a slip, an end, a second one, a change."""

from __future__ import annotations

from collections.abc import Callable

from erstwhile.learning.moods.sentences import clauses, continues, sentences
from erstwhile.learning.moods.signs import Sign


def corrects(sentence: str) -> bool:
    """Return whether it takes an earlier statement back, which was never true: "I meant"."""
    return Sign.CORRECTS.is_in(sentence)


def correction_after(text: str, end: int) -> str:
    """Return the short sentence after a place that corrects an earlier statement: "Typo!".

    A joke is none: it takes back the words before it themselves.
    """
    after = next((each.text for each in sentences(text) if each.start >= end), "")
    is_slip = corrects(after) and not Sign.JEST_BEFORE.begins(after)
    return after.strip() if is_slip and continues(after) else ""


def ends_something(sentence: str) -> bool:
    """Return whether it says that something is over: "no longer", "sold", "quit"."""
    return Sign.ENDS.is_in(sentence)


def ending_clauses(text: str) -> str:
    """Return the clauses that say that something ended or changed, with those added to them."""
    return _clauses_that(_is_ending, text)


def over_clauses(text: str) -> str:
    """Return the clauses that say that something is over, with those added to them.

    "Now" tells of a change, not of an end, unless something is denied: "now I'm no student".
    """
    return _clauses_that(_is_over, text)


def _clauses_that(tell: Callable[[str], bool], text: str) -> str:
    kept = list[str]()
    for sentence in sentences(text):
        pieces = [each.text for each in clauses(sentence)]
        ending = [tell(each) for each in pieces]
        for at, piece in enumerate(pieces):
            beside = any(ending[max(0, at - 1) : at + 2]) and continues(piece)
            if ending[at] or (beside and not Sign.GOES_ON.is_in(piece)):
                kept.append(piece)
    return " ".join(kept)


def _is_ending(clause: str) -> bool:
    return any(sign.is_in(clause) for sign in (Sign.ENDS, Sign.CHANGES, Sign.PAST))


def _is_over(clause: str) -> bool:
    if Sign.ENDS.is_in(clause) or Sign.PAST.is_in(clause):
        return True
    return Sign.CHANGES.is_in(clause) and Sign.DENIES.is_in(clause)


def adds_beside(sentence: str) -> bool:
    """Return whether it adds one more of a kind: "also", "a second"."""
    return Sign.BESIDE.is_in(sentence)


def is_temporary(sentence: str) -> bool:
    """Return whether it holds for a while only: "until Friday"; "this week", said of a place."""
    if Sign.TEMPORARY.is_in(sentence):
        return True
    if ends_something(sentence) or says_change(sentence):
        return False
    return Sign.PASSING.is_in(sentence) and Sign.IS_SOMEWHERE.is_in(sentence)


def is_left_out(sentence: str) -> bool:
    """Return whether something is left out for a while, and does not end: "no squats this week"."""
    for_a_while = Sign.PASSING.is_in(sentence) or Sign.TEMPORARY.is_in(sentence)
    return for_a_while and Sign.DENIES.is_in(sentence) and not ends_something(sentence)


def says_change(sentence: str) -> bool:
    """Return whether it says that something is otherwise than before: "moved", "now"."""
    return Sign.CHANGES.is_in(sentence)

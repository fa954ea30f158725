"""Tell why the sentence around some words states nothing that is so now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from erstwhile.learning.moods.sentences import Stretch, clauses, sentences
from erstwhile.learning.moods.signs import sign
from erstwhile.search.own_words import FILLER, own_part, own_words


class Mood(StrEnum):
    """What a sentence does instead of stating something that is so now."""

    QUESTION = "question"
    CONDITION = "condition"
    """It supposes: "if I moved", "I would"."""
    PLAN = "plan"
    """It says what the speaker wants or intends: true as a plan, and not yet so."""
    GUESS = "guess"
    """The speaker is not sure: "maybe", "I might"."""
    PAST = "past"
    """It says what was so once: "I used to"."""
    REPORT = "report"
    """It repeats the words of others, or news."""
    QUOTED = "quoted"
    """It stands in a quotation or in pasted text."""
    JEST = "jest"
    """A joke or sarcasm."""
    STORY = "story"
    """Role play, fiction, an example, a text to translate."""
    REQUEST = "request"
    """An order for this turn only."""


_IN_CLAUSE = (Mood.JEST, Mood.REPORT, Mood.STORY, Mood.PAST, Mood.PLAN, Mood.GUESS, Mood.REQUEST)
_ONWARD = (Mood.STORY, Mood.REPORT)
"""The moods that reach from their sign to the end of the sentence."""
_MARKED_QUESTION = re.compile(r"[?？؟;՞]")
_GREEK_QUESTION = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff].*;\W*$", re.DOTALL)
_FEW_WORDS = 3
_WORDS = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def mood_of(text: str, start: int, end: int) -> Mood | None:
    """Return why the words from start to end state nothing; None if one of their clauses does."""
    if _is_quoted(text, start, end):
        return Mood.QUOTED
    text = text.replace("’", "'")
    whole = list(sentences(text))
    moods = list[Mood | None]()
    for place, sentence in enumerate(whole):
        if sentence.start < max(end, start + 1) and sentence.end > start:
            moods += _moods_in(sentence, start, end, _around(whole, place))
    return None if None in moods or not moods else moods[0]


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Return whether the words are in pasted text or a quotation, and no mere name in one."""
    first, last = own_part(text, sure=True)
    if end <= first or start >= last:
        return True
    left = own_words(text)[start:end].replace(FILLER, " ")
    return not left.strip() and len(_WORDS.findall(text[start:end])) > _FEW_WORDS


def _around(whole: Sequence[Stretch], place: int) -> Mood | None:
    """Return the mood that the sentences before or after give to one."""
    if any(sign("story_follows").search(each.text) for each in whole[:place]):
        return Mood.STORY
    after = whole[place + 1].text if place + 1 < len(whole) else ""
    if sign("jest_before").match(after.strip()):
        return Mood.JEST
    return Mood.QUESTION if sign("tag").fullmatch(after.strip()) else None


def _moods_in(sentence: Stretch, start: int, end: int, around: Mood | None) -> list[Mood | None]:
    """Return the mood of each clause of a sentence that the words are in."""
    if around:
        return [around]
    pieces = clauses(sentence)
    asked = _asked_from(sentence.text, pieces)
    return [
        _mood_at(pieces, place, asked)
        for place, piece in enumerate(pieces)
        if piece.start < max(end, start + 1) and piece.end > start
    ]


def _mood_at(pieces: Sequence[Stretch], place: int, asked: int) -> Mood | None:
    clause = pieces[place].text.strip()
    if _supposed(pieces, place):
        return Mood.CONDITION
    if place >= asked and not _told_anyway(clause, first=place == asked):
        return Mood.QUESTION
    for mood in _IN_CLAUSE:
        if _reaches(mood, pieces, place):
            return mood
    return None


def _supposed(pieces: Sequence[Stretch], place: int) -> bool:
    """Return whether a condition begins in this clause or before, and no fact comes between."""
    for piece in reversed(pieces[: place + 1]):
        if sign("condition").search(piece.text) and not sign("courtesy").search(piece.text):
            return True
        if sign("turns_back").match(piece.text.strip()):
            return False
    return False


def _told_anyway(clause: str, *, first: bool) -> bool:
    """Return whether a clause of a question tells something all the same."""
    if sign("told_in_question").search(clause):
        return True
    return not first and sign("reason").match(clause) is not None


def _asked_from(sentence: str, pieces: Sequence[Stretch]) -> int:
    """Return the place of the clause at which a question begins; behind the last if none does."""
    asks = is_question(sentence)
    for place, piece in enumerate(pieces):
        begun = sign("asks").match(piece.text.strip())
        if begun and (asks or sign("asks_unmarked").match(piece.text.strip())):
            return place
    if not asks:
        return len(pieces)
    if len(pieces) > 1 and sign("tag").fullmatch(pieces[-1].text.strip()):
        return 0
    return len(pieces) - 1


def is_question(sentence: str) -> bool:
    """Return whether a sentence ends as a question, with or without a mark."""
    return bool(
        _MARKED_QUESTION.search(sentence[-12:])
        or "՞" in sentence
        or _GREEK_QUESTION.search(sentence)
        or sign("question_end").search(sentence)
    )


def _reaches(mood: Mood, pieces: Sequence[Stretch], place: int) -> bool:
    """Return whether the sign of a mood is in this clause, or in one from which it reaches here."""
    found = [at for at, piece in enumerate(pieces) if sign(mood).search(piece.text.strip())]
    if mood is Mood.JEST:
        return bool(found)
    first = min((at for at in found if at <= place), default=None)
    if first is None:
        return False
    between = [piece.text.strip() for piece in pieces[first + 1 : place + 1]]
    if mood in _ONWARD:
        return not any(sign("turns_back").match(text) for text in between)
    return place in found or all(map(_continues, between))


def _continues(clause: str) -> bool:
    """Return whether a clause is too short to say something of its own: ", Portugal"."""
    words = _WORDS.findall(clause)
    unspaced = len(_UNSPACED.findall(clause))
    return (unspaced or len(words)) <= (_FEW_WORDS * 2 if unspaced else _FEW_WORDS) and not sign(
        "speaker"
    ).search(clause)

"""Tell why the sentence around some words states nothing that is so now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from erstwhile.learning.moods.sentences import Stretch, clauses, sentences
from erstwhile.learning.moods.signs import Sign
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


_BY_SIGN = (Mood.JEST, Mood.REPORT, Mood.STORY, Mood.PAST, Mood.PLAN, Mood.GUESS, Mood.REQUEST)
"""The moods whose sign is searched in a clause, the first that is found counts."""
_ONWARD = (Mood.STORY, Mood.REPORT)
"""The moods that reach from their sign to the end of the sentence."""
_QUESTION_MARK = re.compile(r"[?？؟\u037e]")
_GREEK = re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")
_ARMENIAN_MARK = "՞"
_END = 12
"""The number of characters at the end of a sentence that may contain its mark."""
_FEW_WORDS = 3
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


def mood_of(text: str, start: int, end: int) -> Mood | None:
    """Return why the words from start to end state nothing; None if one of their clauses does."""
    end = max(end, start + 1)
    if _is_quoted(text, start, end):
        return Mood.QUOTED
    whole = list(sentences(text.replace("’", "'")))
    moods = [
        mood
        for place, sentence in enumerate(whole)
        if sentence.start < end and sentence.end > start
        for mood in _moods_in(sentence, start, end, _around(whole, place))
    ]
    return None if None in moods or not moods else moods[0]


def is_question(sentence: str) -> bool:
    """Return whether a sentence ends as a question, with or without a mark."""
    return (
        _QUESTION_MARK.search(sentence[-_END:]) is not None
        or _ARMENIAN_MARK in sentence
        or (";" in sentence[-_END:] and _GREEK.search(sentence) is not None)
        or Sign.ENDS_QUESTION.is_in(sentence)
    )


def _is_quoted(text: str, start: int, end: int) -> bool:
    """Return whether the words are in pasted text or a quotation, and no mere name in one."""
    first, last = own_part(text, sure=True)
    if end <= first or start >= last:
        return True
    left = own_words(text)[start:end].replace(FILLER, " ")
    return not left.strip() and len(_WORD.findall(text[start:end])) > _FEW_WORDS


def _around(whole: Sequence[Stretch], place: int) -> Mood | None:
    """Return the mood that the sentences before or after give to one."""
    if any(Sign.STORY_FOLLOWS.is_in(each.text) for each in whole[:place]):
        return Mood.STORY
    after = whole[place + 1].text if place + 1 < len(whole) else ""
    if Sign.JEST_BEFORE.begins(after):
        return Mood.JEST
    return Mood.QUESTION if Sign.TAG.fills(after) else None


def _moods_in(sentence: Stretch, start: int, end: int, around: Mood | None) -> list[Mood | None]:
    """Return the mood of each clause of a sentence that the words are in."""
    if around:
        return [around]
    pieces = clauses(sentence)
    texts = [piece.text.strip() for piece in pieces]
    asked = _asked_from(sentence.text, texts)
    return [
        _mood_at(texts, place, asked)
        for place, piece in enumerate(pieces)
        if piece.start < end and piece.end > start
    ]


def _mood_at(texts: Sequence[str], place: int, asked: range) -> Mood | None:
    if _is_supposed(texts, place):
        return Mood.CONDITION
    if place in asked and not _is_told_anyway(texts[place], first=place == asked.start):
        return Mood.QUESTION
    return next((mood for mood in _BY_SIGN if _reaches(mood, texts, place)), None)


def _is_supposed(texts: Sequence[str], place: int) -> bool:
    """Return whether a condition begins in this clause or before, and no fact comes between."""
    for text in reversed(texts[: place + 1]):
        if Sign.CONDITION.is_in(text) and not Sign.COURTESY.is_in(text):
            return True
        if Sign.TURNS_BACK.begins(text):
            return False
    return False


def _is_told_anyway(clause: str, *, first: bool) -> bool:
    """Return whether a clause of a question tells something all the same."""
    return Sign.TOLD_IN_QUESTION.is_in(clause) or (not first and Sign.REASON.begins(clause))


def _asked_from(sentence: str, texts: Sequence[str]) -> range:
    """Return the places of the clauses of a question; empty if it is none."""
    marked, last = is_question(sentence), len(texts) - 1
    for place, text in enumerate(texts):
        if (marked and Sign.ASKS.begins(text) and not Sign.TAG.fills(text)) or (
            Sign.ASKS_UNMARKED.begins(text)
        ):
            return range(place, last + 1)
    if not marked:
        return range(0)
    if not Sign.TAG.fills(texts[last]):
        return range(last, last + 1)
    return range(_before(texts, last), last + 1)


def _before(texts: Sequence[str], place: int) -> int:
    """Return the place of the clause that the one at a place is added to."""
    place = max(0, place - 1)
    while place and _continues(texts[place]):
        place -= 1
    return place


def _reaches(mood: Mood, texts: Sequence[str], place: int) -> bool:
    """Return whether the sign of a mood is in this clause, or in one from which it reaches here."""
    sign = Sign(mood)
    if mood is Mood.JEST:
        return any(map(sign.is_in, texts))
    for text in reversed(texts[: place + 1]):
        if sign.is_in(text):
            return True
        if Sign.TURNS_BACK.begins(text) if mood in _ONWARD else not _continues(text):
            return False
    return False


def _continues(clause: str) -> bool:
    """Return whether a clause is too short to say something of its own: ", Portugal"."""
    unspaced = len(_UNSPACED.findall(clause))
    length = unspaced / 2 if unspaced else len(_WORD.findall(clause))
    return length <= _FEW_WORDS and not Sign.SPEAKER.is_in(clause)

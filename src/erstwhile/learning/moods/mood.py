"""Tell why the sentence around some words states nothing that is so now."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import islice

from erstwhile.learning.moods.sentences import Stretch, clauses, continues, sentences
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
_FEW_SIGNS = 8
"""The most characters of a name in a script without spaces."""
_LONGEST_PHRASE = 60
"""The number of characters of a phrase without a verb: "my sister's allergy to peanuts"."""
_TAKEN_FOR_GRANTED = (Mood.QUESTION, Mood.REQUEST)
"""The moods in which a possession of the speaker is stated all the same."""
_MOST_SENTENCES = 8
_MOST_CLAUSES = 24
"""The most parts that are looked at, so that a text of many marks costs no quadratic time."""
_WORD = re.compile(r"[^\W\d_]+")
_ASIDE = re.compile(r"[(（\[][^()（）\[\]]{2,300}[)）\]]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
_SEPARATED = re.compile(
    r"[^\w\s'’\"”»]\s*$|[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]\s*$"
)
"""The end of a clause that is separated from the next one by a mark, or by its script."""


def mood_of(text: str, start: int, end: int) -> Mood | None:
    """Return why the words from start to end state nothing; None if one of their clauses does."""
    moods = [mood for _, mood in clause_moods(text, start, end)]
    return None if None in moods or not moods else moods[0]


def clause_moods(text: str, start: int, end: int) -> list[tuple[str, Mood | None]]:
    """Return the clauses that the words from start to end are in, each with its mood."""
    end = max(end, start + 1)
    if _is_quoted(text, start, end):
        return [(text[start:end], Mood.QUOTED)]
    return list(_moods(text, start, end))


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
    return not _WORD.search(left) and _is_long(text[start:end])


def _is_long(words: str) -> bool:
    """Return whether words in quotation marks are more than a name."""
    return len(_WORD.findall(words)) > _FEW_WORDS or len(_UNSPACED.findall(words)) > _FEW_SIGNS


def _moods(text: str, start: int, end: int) -> Iterator[tuple[str, Mood | None]]:
    """Yield the clauses that the words are in, each with its mood."""
    whole = list(sentences(text))
    story = _story(whole)
    touched = (at for at, each in enumerate(whole) if each.start < end and each.end > start)
    for at in islice(touched, _MOST_SENTENCES):
        if at in story:
            yield whole[at].text, Mood.STORY
        elif after := _mood_after(whole[at + 1 : at + 3]):
            yield whole[at].text, after
        else:
            yield from _moods_in(clauses(whole[at]), whole[at].text, start, end)


def _story(whole: Sequence[Stretch]) -> Collection[int]:
    """Return the places of the sentences that another one makes a story, or a text to work on."""
    follows = (at for at, each in enumerate(whole) if Sign.STORY_FOLLOWS.is_in(each.text))
    before = (at for at, each in enumerate(whole) if Sign.STORY_BEFORE.is_in(each.text))
    first, last = next(follows, len(whole)), max(before, default=0)
    return {*range(last), *range(first + 1, len(whole))}


def mood_after(following: str) -> Mood | None:
    """Return the mood that the sentence after one gives to it: "Just kidding"."""
    if Sign.JEST_BEFORE.begins(following):
        return Mood.JEST
    tagged = Sign.TAG.fills(following) and is_question(following)
    return Mood.QUESTION if tagged else None


def _mood_after(following: Sequence[Stretch]) -> Mood | None:
    """Return the mood that the next sentence gives; or the one after it, if the next is short."""
    texts = [each.text for each in following]
    near = texts[: 2 if texts and continues(texts[0]) else 1]
    return next((mood for text in near if (mood := mood_after(text))), None)


def _moods_in(
    pieces: Sequence[Stretch], sentence: str, start: int, end: int
) -> Iterator[tuple[str, Mood | None]]:
    """Yield each clause of a sentence that the words are in, with its mood.

    An aside in brackets is read by itself. What it supposes, doubts or takes back is the clause
    before it: "I moved to Rome (if the visa comes)".
    """
    origin = pieces[0].start if pieces else 0
    asides = [found.span() for found in _ASIDE.finditer(sentence)]
    inside = [_aside_at(each.start - origin, asides) for each in pieces]
    doubted = dict(_doubted(pieces, inside))
    for aside in dict.fromkeys(inside):
        group = [each for each, of in zip(pieces, inside, strict=True) if of == aside]
        text = sentence if aside is None else sentence[slice(*asides[aside])]
        for clause, mood in _moods_among(group, text, start, end):
            yield clause.text, mood or doubted.get(clause.start)


def _aside_at(place: int, asides: Sequence[tuple[int, int]]) -> int | None:
    """Return the number of the aside that a place of a sentence is in."""
    return next((at for at, (first, last) in enumerate(asides) if first < place < last), None)


def _doubted(pieces: Sequence[Stretch], inside: Sequence[int | None]) -> Iterator[tuple[int, Mood]]:
    """Yield the beginnings of the clauses that the aside after them makes doubtful."""
    texts = [each.text for each in pieces]
    for at in range(1, len(pieces)):
        if inside[at] is None or inside[at] == inside[at - 1]:
            continue
        if mood := _mood_of_aside(texts[at]):
            yield from ((pieces[each].start, mood) for each in range(_before(texts, at), at))


def _mood_of_aside(aside: str) -> Mood | None:
    """Return the mood that an aside gives to the clause before it."""
    if Sign.CONDITION.begins(aside) and not Sign.COURTESY.is_in(aside):
        return Mood.CONDITION
    return Mood.GUESS if Sign.GUESS.begins(aside) else mood_after(aside)


def _moods_among(
    pieces: Sequence[Stretch], sentence: str, start: int, end: int
) -> Iterator[tuple[Stretch, Mood | None]]:
    """Yield each of these clauses that the words are in, with its mood."""
    touched = [at for at, each in enumerate(pieces) if each.start < end and each.end > start]
    first = max(0, min(touched, default=0) - _MOST_CLAUSES)
    texts = [piece.text for piece in pieces[first : first + 2 * _MOST_CLAUSES]]
    asked = _asked(sentence, texts)
    for at in touched[:_MOST_CLAUSES]:
        kept = [*texts[: at - first], _until_joint(pieces[at], end), *texts[at - first + 1 :]]
        mood = _mood_at(kept, at - first, asked)
        granted = mood in _TAKEN_FOR_GRANTED and _is_presupposed(pieces[at], start, end)
        yield pieces[at], None if granted else mood


def _is_presupposed(clause: Stretch, start: int, end: int) -> bool:
    """Return whether the words are a phrase that its clause takes for granted: "for my wife"."""
    places = Sign.PRESUPPOSED.spans(clause.text)
    begins = any(first <= start - clause.start < last for first, last in places)
    return begins and end - start <= _LONGEST_PHRASE


def _until_joint(clause: Stretch, end: int) -> str:
    """Return a clause up to what is joined to the words: "I own a shop | and want to sell it"."""
    for first, _ in Sign.JOINS.spans(clause.text):
        if clause.start + first >= end:
            return clause.text[:first]
    return clause.text


def _mood_at(texts: Sequence[str], place: int, asked: range) -> Mood | None:
    if _is_supposed(texts, place):
        return Mood.CONDITION
    if place in asked and not _is_told_anyway(texts, place, asked):
        return Mood.QUESTION
    return next((mood for mood in _BY_SIGN if _reaches(mood, texts, place)), None)


def _is_supposed(texts: Sequence[str], place: int) -> bool:
    """Return whether a condition begins in this clause or before, and no fact comes between.

    A word such as "hypothetically" makes a supposition of the whole sentence.
    """
    if Sign.SUPPOSES.is_in(" ".join(texts)):
        return True
    for text in reversed(texts[: place + 1]):
        if Sign.CONDITION.is_in(text) and not Sign.COURTESY.is_in(text):
            return True
        if Sign.TURNS_BACK.begins(text):
            return False
    return False


def _is_told_anyway(texts: Sequence[str], place: int, asked: range) -> bool:
    """Return whether a clause of a question tells something all the same."""
    if Sign.TOLD_IN_QUESTION.is_in(texts[place]) or _leads_to(Sign.TOLD_IN_QUESTION, texts, place):
        return True
    return place > asked.start and Sign.REASON.begins(texts[place])


def _asked(sentence: str, texts: Sequence[str]) -> range:
    """Return the places of the clauses of a question; empty if it is none."""
    marked, last = is_question(sentence), len(texts) - 1
    if marked and last and Sign.TAG.fills(texts[last]):
        return range(_before(texts, last), last + 1)
    for place, text in enumerate(texts):
        if (marked and Sign.ASKS.begins(text)) or Sign.ASKS_UNMARKED.begins(text):
            return range(place, last + 1)
    return range(_joined_to(texts, last), last + 1) if marked else range(0)


def _joined_to(texts: Sequence[str], place: int) -> int:
    """Return the place of the first clause that no mark separates from the one at a place.

    "Är det dyrt | att bo i Göteborg?" is one question, whatever the words are.
    """
    while place and _SEPARATED.search(texts[place - 1]) is None:
        place -= 1
    return place


def _before(texts: Sequence[str], place: int) -> int:
    """Return the place of the clause that the one at a place is added to."""
    place -= 1
    while place > 0 and continues(texts[place]):
        place -= 1
    return place


def _reaches(mood: Mood, texts: Sequence[str], place: int) -> bool:
    """Return whether the sign of a mood is in this clause, or in one from which it reaches here."""
    sign = Sign(mood)
    if mood is Mood.JEST:
        whole = " ".join(text.strip() for text in texts)
        ironic = Sign.IRONY.is_in(whole) or Sign.LOVES_TROUBLE.is_in(whole)
        return ironic or any(map(sign.is_in, texts))
    if _leads_to(sign, texts, place):
        return True
    for text in reversed(texts[: place + 1]):
        if sign.is_in(text):
            return True
        if Sign.TURNS_BACK.begins(text) if mood in _ONWARD else not continues(text):
            return False
    return False


def _leads_to(sign: Sign, texts: Sequence[str], place: int) -> bool:
    """Return whether a sign ends the clause before, or begins there: "Maybe, …"."""
    if not place or Sign.TURNS_BACK.begins(texts[place]):
        return False
    before = texts[place - 1]
    ends = len(before.rstrip(" ,:，、："))
    return any(
        first < len(before) and last >= ends for first, last in sign.spans(before + texts[place])
    )

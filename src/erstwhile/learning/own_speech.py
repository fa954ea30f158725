"""Tell whether a passage is positively the user's own plain speech.

`own_words` finds the words of others by their signs, and a stranger who knows the signs writes
without them. What retires a stated fact, or gives an instruction, is therefore proven the other way
round: nothing marks or labels the passage, and the sentences beside it, which could introduce it
or ask about it, are the user's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from erstwhile.learning.salience import is_small_talk
from erstwhile.search.dates import names_of_days_and_months
from erstwhile.search.labels import COLON
from erstwhile.search.marked_text import Span, begins_list_item
from erstwhile.search.own_words import own_words
from erstwhile.search.passages import sentence_spans
from erstwhile.search.speech import (
    asks_about_text,
    asks_for_work,
    is_first_person,
    names_text,
    passes_on,
    speaks_of_user,
    words_in,
    words_of,
)

_MARKS = re.compile(r"[*_~<>{}\[\]|=#\\]")
"""Marks around the words of others."""
_REMARK = re.compile(r"[()（）;；…]|\.\.\.")
"""Marks in a sentence that tells of another one."""
_ENDS = tuple(".!?。！？।؟")


def is_own_speech(text: str, start: int, end: int) -> bool:
    """Return whether a passage of a message is the user's, and nothing may say otherwise."""
    left = own_words(text).sure
    if left[start:end].split() != text[start:end].split():
        return False
    inside, before, after = _parts(left, start, end)
    if not inside or not all(map(_is_plain, inside)):
        return False
    if not (all(map(_leads_to, before)) and all(map(_goes_on, after))):
        return False
    others = (*before, *after)
    alone = len(inside) == 1 and all(map(is_small_talk, others))
    return alone or (all(map(_speaks_as_user, inside[1:])) and _is_told_by_user(inside, others))


def _is_told_by_user(inside: Sequence[str], others: Sequence[str]) -> bool:
    if len(inside) > 1:
        return _speaks_as_user(inside[0]) or is_small_talk(inside[0])
    return any(map(speaks_of_user, (*inside, *others)))


def _parts(text: str, start: int, end: int) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """Return the sentences of a passage, and those that may introduce it or ask about it.

    Of the others these are the one next to the passage, and the first or last of the message.
    """
    spans = _sentences(text)
    said = [text[slice(*span)] for span in spans]
    first = sum(last <= start for _, last in spans)
    behind = sum(begins < end for begins, _ in spans)
    before, after = said[:first], said[behind:]
    return said[first:behind], [*before[:1], *before[-1:]], [*after[:1], *after[-1:]]


@lru_cache(maxsize=16)
def _sentences(text: str) -> Sequence[Span]:
    """Return the spans of the sentences of a text that have a word."""
    return [span for span in sentence_spans(text) if words_in(text[slice(*span)])]


def _is_plain(sentence: str) -> bool:
    """Return whether a sentence has no mark, and no label but the user's."""
    if _MARKS.search(sentence) or begins_list_item(sentence):
        return False
    if not words_of("quoting").isdisjoint(words_in(sentence)):
        return False
    labels = [sentence[: found.start()] for found in COLON.finditer(f"{sentence} ")]
    return all(_speaks_as_user(each) or _is_own_label(each) for each in labels)


def _is_own_label(label: str) -> bool:
    own = words_of("own_labels") | names_of_days_and_months()
    return all(word in own or word.isdigit() for word in words_in(label))


def _leads_to(sentence: str) -> bool:
    """Return whether a sentence before is the user's, and no title or introduction."""
    if is_small_talk(sentence):
        return True
    return sentence.rstrip(" \n\"'”’»)").endswith(_ENDS) and _speaks_as_user(sentence)


def _goes_on(sentence: str) -> bool:
    """Return whether a sentence behind speaks of the user, and asks nothing about a text."""
    if is_small_talk(sentence):
        return True
    own = speaks_of_user(sentence) and _is_about_no_text(sentence)
    return own and not asks_about_text(sentence)


def _speaks_as_user(sentence: str) -> bool:
    """Return whether the user is the subject of a sentence, which tells of no text."""
    subjects = [word for word in words_in(sentence) if word not in words_of("other_cases")]
    return is_first_person(subjects) and _is_about_no_text(sentence)


def _is_about_no_text(sentence: str) -> bool:
    words = words_in(sentence)
    told = passes_on(words) or names_text(words) or asks_for_work(sentence)
    return not (told or _MARKS.search(sentence) or _REMARK.search(sentence))

"""Tell whether a passage is positively the user's own plain speech.

`own_words` finds the words of others by their signs, and a stranger who knows the signs writes
without them. What retires a stated fact, or gives an instruction, is therefore proven the other way
round: nothing marks or labels the passage, and the sentences beside it, which could introduce it or
remark on it, are the user's. A sentence is the user's if the user is its subject; if it goes on in
small letters as the passage does, which copied text seldom does; or, behind the passage, if it asks
for something else. If the message names what changes, which few strangers know, sentences behind
the passage need only ask about no text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial

from erstwhile.learning.patterns.language import is_standing_request
from erstwhile.learning.salience import is_small_talk
from erstwhile.search.dates import names_of_days_and_months
from erstwhile.search.introductions import end_of_introduction
from erstwhile.search.labels import COLON
from erstwhile.search.marked_text import Span, begins_list_item
from erstwhile.search.own_words import own_words
from erstwhile.search.passages import sentence_spans
from erstwhile.search.speech import (
    asks_about_text,
    asks_for_work,
    in_any_case,
    is_first_person,
    names_text,
    passes_on,
    points,
    sign,
    speaks_of_user,
    words_in,
    words_of,
)
from erstwhile.search.terms import query_terms

_MARKS = re.compile(r"[*_~<>{}\[\]|=#\\]")
"""Marks around the words of others."""
_DICTATED = re.compile(
    r"\W*(?:please |bitte )?(?:write|tell|say|text|email|message|draft|reply|schreib\w*|sag\w*"
    r"|écri\w+|di[st]|dile|escrib\w+|scriv\w+|dille|digli|escrev\w+|diga|напиши|скажи|napisz|powiedz|schrijf|zeg|yaz|söyle)\b"
    r"(?! (?:me|mir|moi|us|uns|mi)\b)|[^。.!?]*(?:伝えて|と書いて|告诉|写信|전해|라고 써)",
    re.IGNORECASE,
)
"""Words that dictate what to tell somebody else."""
_OWN_WORD = re.compile(
    r"\b(?:(?:i|we) (?:said|say|meant?|told you)|ich (?:meine|meinte|sagte)"
    r"|je disais|voulais dire|yo dije|quise decir|ho detto|volevo dire|eu disse|quis dizer)\b"
    r"|我(?:说|是说)|(?:帮我|给我|想|我要)[^。，,\n]{0,8}?写|写(?=[个一份封篇段条])|書き方",
    re.IGNORECASE,
)
"""Words in which the user tells what the user said, or wants to write."""
_LIST_MARK = re.compile(r"\A\s*(?:[-*•·–—+]|\(?\w{1,2}[.)])\s")
_ENDS = tuple(".!?。！？।؟")
_STATED = (".", "!", "…")
_CLAUSE = 3
"""The least terms of a clause before a colon; a sender or a source has fewer."""
_MATTER = 2
"""The least terms of a sentence that is about a matter of its own."""


def is_own_speech(
    text: str,
    start: int,
    end: int,
    *,
    after_own: bool = False,
    before_own: bool = False,
    names_old: bool = False,
) -> bool:
    """Return whether a passage of a message is the user's, and nothing may say otherwise.

    `after_own` is whether the sentence before it is known to be the user's, `before_own` whether
    the next one tells of the user, and `names_old` whether the passage names what it changes.
    """
    left = own_words(text).sure
    if left[start:end].split() != text[start:end].split():
        return False
    inside, before, after = _parts(left, start, end)
    if begins_list_item(inside[0] if inside else "") and start > end_of_introduction(text):
        inside, after_own = [_LIST_MARK.sub("", each) for each in inside], True
    if not inside or not all(_is_plain(each, names_old=names_old) for each in inside):
        return False
    leads = partial(_leads_to, small=_begins_small(inside[0]))
    if names_old:
        goes_on = all(map(_asks_about_no_text, after))
    else:
        follows = before_own or all(map(_follows, after[:1]))
        goes_on = follows and all(map(_goes_on, after))
    beside = (after_own or all(map(leads, before))) and goes_on
    further = all(leads(each) or _follows(each) for each in inside[1:])
    return beside and further and all(map(leads, inside[:-1]))


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


def _is_plain(sentence: str, *, names_old: bool) -> bool:
    """Return whether a sentence has no mark, and no label but the user's."""
    if _MARKS.search(sentence) or begins_list_item(sentence) or _DICTATED.match(sentence):
        return False
    if not words_of("quoting").isdisjoint(words_in(sentence)):
        return False
    labels = [sentence[: found.start()] for found in COLON.finditer(sentence.rstrip())]
    least = 1 if names_old else _CLAUSE
    return all(
        _speaks_as_user(each) or _is_own_label(each) or _is_another_matter(each, least)
        for each in labels
    )


def _is_own_label(label: str) -> bool:
    own = words_of("own_labels") | names_of_days_and_months()
    return all(word in own or word.isdigit() for word in words_in(label))


def _leads_to(sentence: str, *, small: bool) -> bool:
    """Return whether a sentence before is the user's, and no title or introduction.

    `small` is whether the passage begins with a small letter.
    """
    if is_small_talk(sentence):
        return True
    if not sentence.rstrip(" \n\"'”’»)").endswith(_ENDS):
        return False
    return _speaks_as_user(sentence) or (small and _is_in_haste(sentence))


def _follows(sentence: str) -> bool:
    """Return whether a sentence goes on right behind, and tells of nobody else.

    "Everybody stared." may tell where the words before it are from.
    """
    if is_small_talk(sentence) or is_standing_request(sentence) or _speaks_as_user(sentence):
        return _goes_on(sentence)
    told = sentence.rstrip().endswith(_STATED) and _first_letter(sentence).isupper()
    return not told and _goes_on(sentence)


def _goes_on(sentence: str) -> bool:
    """Return whether a sentence behind is about the user or another matter, not about a text."""
    if is_small_talk(sentence):
        return True
    if is_standing_request(sentence):
        return not (asks_about_text(sentence) or _tells_words(sentence) or _names_text(sentence))
    own = speaks_of_user(sentence) and _is_about_no_text(sentence)
    return (own and not _is_about_text(sentence)) or _is_another_matter(sentence)


def _is_in_haste(sentence: str) -> bool:
    """Return whether a sentence begins with a small letter, and is about no text."""
    about = _is_about_text(sentence) or _names_text(sentence)
    return _begins_small(sentence) and not about


def _begins_small(sentence: str) -> bool:
    return _first_letter(sentence).islower()


def _first_letter(sentence: str) -> str:
    return next(filter(str.isalpha, sentence), "")


def _asks_about_no_text(sentence: str) -> bool:
    """Return whether a sentence neither asks about a text, nor for work on one."""
    work = in_any_case(sign("text-work")).found_in(_OWN_WORD.sub(" ", sentence))
    return not (asks_about_text(sentence) or any(True for _ in work))


def _is_about_text(sentence: str) -> bool:
    return _tells_words(sentence) or not _asks_about_no_text(sentence)


def _is_another_matter(sentence: str, least: int = _MATTER) -> bool:
    """Return whether a sentence has a matter of its own, and no word that may mean a text.

    "Wow, is that so?" may be about the words before it, "how do I cancel the old lease?" is not.
    """
    if _MARKS.search(sentence) or names_text(words_in(sentence)) or points(sentence):
        return False
    return not _is_about_text(sentence) and len(query_terms(sentence)) >= least


def _speaks_as_user(sentence: str) -> bool:
    """Return whether the user is the subject of a sentence, which tells of no text."""
    subjects = [word for word in words_in(sentence) if word not in words_of("other_cases")]
    return is_first_person(subjects) and _is_about_no_text(sentence)


def _is_about_no_text(sentence: str) -> bool:
    about = _tells_words(sentence) or _names_text(sentence)
    return not (about or asks_for_work(sentence))


def _names_text(sentence: str) -> bool:
    return names_text(words_in(_OWN_WORD.sub(" ", sentence)))


def _tells_words(sentence: str) -> bool:
    """Return whether a sentence tells what somebody else says."""
    return passes_on(words_in(_OWN_WORD.sub(" ", sentence)))

"""Find text that a sentence, a question, a title or a report says is somebody's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from erstwhile.search.marked_text import (
    MAX_MARKS,
    TERM_WORDS,
    Span,
    begins_list_item,
    is_blanked,
    quotations,
)
from erstwhile.search.passages import sentence_spans
from erstwhile.search.speech import (
    Grade,
    PastedRule,
    asks_about_text,
    asks_for_work,
    in_any_case,
    is_first_person,
    names_text,
    passes_on,
    pasted_rules,
    words_in,
    words_of,
)

_QUESTION = re.compile(r"[?？؟;]\W*$|(?:[吗嗎]|ですか|ますか)\W*$")
_MAX_QUESTION = 14
"""The most words of a question about a text."""
_INTRODUCTION = re.compile(r"^(?P<said>[^\n]{3,200}?)[:：][ \t]*\n(?=\s*\S)", re.MULTILINE)
"""A line that introduces a list, a plan or a table below it."""
_TITLE = re.compile(
    r"\A\s*(?:[^\n]{2,80}(?<![.!?。！？:：,;…\s])[ \t]*\n"
    r"|(?:[A-ZÀ-ÞА-Я]{2,}+ ){2,}+(?=[^\n]*[a-zà-ÿа-я]))"
)
_ENDS = re.compile(r"[.!?。！？]\s*(?:\n|\Z)")
_ACTION = re.compile(r"\A\s*(?:\*[^*\n]{2,80}\*|~[^~\n]{2,80}~|\([^()\n]{2,80}\))")


def end_of_introduction(text: str) -> int:
    """Return where a list begins that the user introduces as theirs: "Here is my schedule:"."""
    for found in islice(_INTRODUCTION.finditer(text), MAX_MARKS):
        words = words_in(found["said"])
        passed = passes_on(words) or not words_of("texts").isdisjoint(words)
        own = is_first_person(words) or words_of("own_labels").issuperset(words)
        if own and not (passed or asks_for_work(found["said"])):
            return found.end("said")
    return len(text)


def asked_about(text: str) -> Iterator[Span]:
    """Yield all sentences beside a short question about a text, such as "is this real?"."""
    spans = [(start, end) for start, end in sentence_spans(text) if text[start:end].strip()]
    asked = {span for span in spans if _asks_about_text(text[slice(*span)])}
    if asked:
        yield from (span for span in spans if span not in asked)


def _asks_about_text(sentence: str) -> bool:
    if not _QUESTION.search(sentence) or len(words_in(sentence)) > _MAX_QUESTION:
        return False
    if any(True for _ in quotations(sentence)):  # it is about what it quotes
        return False
    return asks_about_text(sentence)


def introduced(text: str, grade: Grade) -> Iterator[Span]:
    """Yield what a sentence calls pasted, such as "the mail below"."""
    lower = text.lower()
    for rule in pasted_rules():
        if rule.grade == grade and any(hint in lower for hint in rule.hints):
            for found in islice(in_any_case(rule.pattern).found_in(text), MAX_MARKS):
                sentence = text[slice(*found.span())]
                if not sentence.strip() or is_blanked(text, found.end()):
                    continue
                if not _names_own_term(text, sentence):
                    yield from _beside(text, found, rule)


def _names_own_term(text: str, sentence: str) -> bool:
    """Return whether a sentence is about a term that the user also quotes in another one."""
    return any(text.count(sentence[slice(*span)]) > 1 for span in quotations(sentence))


def _beside(text: str, found: re.Match[str], rule: PastedRule) -> Iterator[Span]:
    """Yield the part of a text that a match of a rule calls pasted."""
    if rule.before:
        yield 0, found.start()
    elif not rule.apart:
        yield found.end(), len(text)
    else:
        close = text.find(rule.apart, found.end())
        yield 0, text.rfind(rule.apart, 0, found.start()) + 1
        if close >= 0:
            yield close, len(text)


# Weaker signs.


def titled(text: str) -> Iterator[Span]:
    """Yield the sentences below a title: a line without an end above lines that have one."""
    found = _TITLE.match(text)
    if found is None or not _ENDS.search(text, found.end()):
        return
    words = words_in(found[0])
    if not (is_first_person(words) or all(word in words_of("own_labels") for word in words)):
        yield found.end(), len(text)


def listed(text: str) -> Iterator[Span]:
    """Yield a list that nothing introduces."""
    if begins_list_item(text):
        yield 0, len(text)


def acted(text: str) -> Iterator[Span]:
    """Yield what follows an action in a role play, or a remark in brackets."""
    if found := _ACTION.match(text):
        yield found.end(), len(text)


def headed(text: str) -> Iterator[Span]:
    """Yield what follows a first line or a remark in brackets that names a source or a task."""
    if found := (_TITLE.match(text) or _ACTION.match(text)):
        words = words_in(found[0])
        told = passes_on(words) or names_text(words) or asks_for_work(found[0])
        if told and not is_first_person(words):
            yield found.end(), len(text)


def reported(text: str) -> Iterator[Span]:
    """Yield a sentence that tells what somebody else says; what follows, if it does not say what.

    "He told me." goes on in the next sentence, "He says that the rent is due." does not. What
    stands behind a quotation is the user's, and so is a conclusion: "The vet says worms, so …".
    """
    for start, end in sentence_spans(text):
        words = words_in(text[start:end])
        said = [at for at, word in enumerate(words) if word in words_of("saying")]
        said = [at for at in said if not is_first_person(words[max(0, at - 1) : at])]
        if said and not _is_reason(words[said[-1] + 1 :]):
            quoted = is_blanked(text, start + len(text[start:end].rstrip()))
            ends = quoted or len(words) - said[-1] > TERM_WORDS
            yield start, end if ends else len(text)


def _is_reason(reported: list[str]) -> bool:
    """Return whether a few reported words are a reason, such as "it is broken, so …"."""
    return not words_of("conclusions").isdisjoint(reported[1 : TERM_WORDS + 1])

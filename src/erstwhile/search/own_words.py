"""Tell the words of a user from the words of others in a message, by its structure.

People pass on texts in few ways, in any language: between marks (quotation marks, tags, fences), in
lines of another kind (mails, logs, programs), behind a label ("Eve: …", "Subject: …", "Translate:
…"), above a signature, or beside a question about the text ("… is this real?"). Such words are
foreign. Words beside weaker signs, such as a title above them, are doubtful: perhaps the user's.
A sentence that may speak of a text makes others unproven, which matters only to learning by rules.

Blanks in place of words keep the length, so that places in the result are places in the message.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from erstwhile.letter_case import AnyCase
from erstwhile.rule_files import RuleFile, TextRule, read_rules
from erstwhile.search.marked_text import (
    MOST_MARKS,
    Span,
    encoded,
    foreign_lines,
    marked,
    quotations,
    quoted_statements,
    signed,
)
from erstwhile.search.passages import sentence_spans
from erstwhile.search.terms import is_unspaced

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_QUESTION = re.compile(r"[?？؟;]\W*$|(?:[吗嗎]|ですか|ますか)\W*$")
_TERM_WORDS = 4
_NAME_SIGNS = 5
"""The most characters of a name in an unspaced script."""
_LONGEST_QUESTION = 14
"""The most words of a question about a text."""
_LONGEST_LABEL = 100
PLAIN_CHARS = 300
"""The most characters of a message that is nothing but a few plain words."""


@dataclass(frozen=True, slots=True)
class OwnWords:
    """A message, with blanks in place of words that are not the user's."""

    text: str
    own: str
    """The message without foreign words."""
    sure: str
    """The message without foreign and doubtful words."""
    proven: str
    """The message without foreign, doubtful and unproven words."""

    @property
    def is_plain(self) -> bool:
        """Whether the message is nothing but a few words of the user, without any mark."""
        text = self.text.strip()
        short = len(text) <= PLAIN_CHARS and "\n" not in text
        return short and self.proven == self.text and _UNPLAIN.search(text) is None


@lru_cache(maxsize=64)
def own_words(text: str) -> OwnWords:
    """Return the user's own words in a message."""
    left, read = text.replace("\r", " "), list[str]()
    for finders in (_FOREIGN, _DOUBTFUL, _UNPROVEN):
        for find in finders:
            left = _blanked(left, list(find(left)))
        read.append(_restored(text, left))
    return OwnWords(text, *read)


def speaks_of_user(text: str) -> bool:
    """Return whether a text has a word such as "I" or "our"."""
    return _is_first_person(word.casefold() for word in _WORD.findall(text))


def _restored(text: str, own: str) -> str:
    """Return the characters of a text that are left, with the line breaks between others."""
    pairs = zip(text, own, strict=True)
    return "".join(left if left in " \n" else char for char, left in pairs)


_BLANKS = re.compile(r"\s*\n {3,}")
"""What is left of a foreign text."""


def _blanked(text: str, spans: Iterable[Span]) -> str:
    for start, end in spans:
        text = text[:start] + _blank(text[start:end]) + text[end:]
    return text


def _blank(part: str) -> str:
    """Return spaces between line breaks, so that the text around them is not one sentence."""
    blank = [char if char == "\n" else " " for char in part]
    if blank:
        blank[0] = blank[-1] = "\n"
    return "".join(blank)


# Labels: words before a colon that name a sender, a source or a task.

_COLON = re.compile(
    r"(?<=[^\s:：])[ \u00a0]?(?::(?=\s|[\"'“„«‹「『‘])(?! ?[)(])|：|\s->(?=\s)"
    r"|\s(?:--|–|—|-)(?= [A-ZÀ-ÞА-Я]))"
)
_NEXT = re.compile(r"\n(?=\n|[^\n:：]{1,30}[:：]\s)")
"""The end of a paragraph, or a line with a label."""
_DASHES = ("-", "--", "–", "—")
_HEADER = re.compile(r"(?:re|fwd?|aw|wg|tr|rv|sv|vs)$", re.IGNORECASE)


def _labelled(text: str, *, foreign: bool) -> Iterator[Span]:
    """Yield what stands behind the name of a sender, a source or a task, such as "Eve:".

    A clause is foreign there, a name or a short term is doubtful. Other labels are the user's.
    """
    behind = 0
    for found in _COLON.finditer(text):
        start = _sentence_start(text, found.start())
        label = text[start : found.start()].strip(" \t\n-*•>")
        if found.start() < behind or not label or len(label) > _LONGEST_LABEL:
            continue
        if _is_own_label(label, found[0]):
            continue
        end = _end_of_labelled(text, found.end(), label)
        said = text[found.end() : min(end, found.end() + _LONGEST_LABEL)].strip()
        nested = text.startswith(("\n  ", "\n\t"), found.end())
        first = said if _is_header(label) else said.partition("\n")[0]
        if (nested or _is_foreign_label(label, first)) and (not foreign or _is_clause(first)):
            behind = end
            yield found.end(), end


def _is_clause(labelled: str) -> bool:
    """Return whether some labelled words are more than a name."""
    said = labelled.strip()
    return len(said) > _NAME_SIGNS if is_unspaced(said) else len(_WORD.findall(said)) > 2


def _sentence_start(text: str, place: int) -> int:
    """Return the start of the sentence or line before a place, not far before it."""
    start = max(text.rfind("\n", 0, place) + 1, place - 2 * _LONGEST_LABEL)
    return max([start, *(first for first, _ in sentence_spans(text, start, place))])


def _end_of_labelled(text: str, start: int, label: str) -> int:
    """Return the end of a labelled text: the paragraph; of a mail, the message."""
    if _BLANKS.match(text, start):  # it is marked, which tells its end
        return start
    line = text.find("\n", start)
    if line < 0:
        return len(text)
    headed = not text[start:line].strip() or _is_header(label) or text[line : line + 2] == "\n\n"
    if headed:
        return len(text)
    following = _NEXT.search(text, start)
    return following.start() if following else len(text)


def _is_header(label: str) -> bool:
    return label.casefold() in _words("headers") or _HEADER.match(label) is not None


def _is_own_label(label: str, colon: str) -> bool:
    """Return whether a label introduces the user's own words.

    It has only words such as "note" and "update", or is a clause whose subject is the user and
    that tells of nobody's words: "I have two children: …".
    """
    words = [word.casefold() for word in _WORD.findall(label)]
    if _is_header(label):
        return False
    if not words or all(word in _words("own_labels") or word.isdigit() for word in words):
        return True
    if colon.strip() in _DASHES:  # it separates all kinds of clauses
        return len(words) > 3 or not _words("own_labels").isdisjoint(words)
    if is_unspaced(label) and any(label.endswith(each) for each in _words("own_labels")):
        return True
    return _is_first_person(words[:1]) and not _passes_on(words)


def _is_foreign_label(label: str, said: str) -> bool:
    """Return whether a label, which is not the user's own, names a sender, a source or a task.

    A clause such as "my mistake" or "it is decided" goes on in small letters, and is longer than a
    name.
    """
    words = [word.casefold() for word in _WORD.findall(label)]
    if _passes_on(words) or _is_header(label) or _asks_for_work(label):
        return True
    is_name = len(words) <= _TERM_WORDS or any(map(str.isdigit, label))
    return is_name and not (said[:1].islower() or _is_first_person(words))


def _asks_for_work(label: str) -> bool:
    return any(True for _ in _in_any_case(_sign("work")).found_in(label))


def _is_first_person(words: Iterable[str]) -> bool:
    known, signs = _words("first_person"), _words("first_person_signs")
    return any(
        word in known or word.partition("'")[0] in known or not signs.isdisjoint(word)
        for word in words
    )


def _passes_on(words: Iterable[str]) -> bool:
    known, signs = _words("saying") | _words("receiving"), _words("saying_signs")
    return any(word in known or not signs.isdisjoint(word) for word in words)


# Questions about a text, and sentences that introduce one.


def _asked_about(text: str) -> Iterator[Span]:
    """Yield all sentences beside a short question about a text, such as "is this real?"."""
    spans = [(start, end) for start, end in sentence_spans(text) if text[start:end].strip()]
    asked = {span for span in spans if _asks_about_text(text[slice(*span)])}
    if asked:
        yield from (span for span in spans if span not in asked)


def _asks_about_text(sentence: str) -> bool:
    if not _QUESTION.search(sentence) or len(_WORD.findall(sentence)) > _LONGEST_QUESTION:
        return False
    return any(True for _ in _in_any_case(_sign("asked")).found_in(sentence))


class Grade(StrEnum):
    """How likely it is that words are somebody else's."""

    FOREIGN = "foreign"
    DOUBTFUL = "doubtful"
    UNPROVEN = "unproven"
    SIGN = "sign"
    """No grade: the rule is read in questions or labels only."""


@dataclass(frozen=True, kw_only=True)
class PastedRule(TextRule):
    """A sentence that introduces pasted text, or a sign of such text."""

    before: bool = False
    """Whether the pasted text stands before the sentence, not after it."""
    apart: str = ""
    """What separates the sentence from pasted text on both sides; nothing if it is on one side."""
    grade: Grade = Grade.UNPROVEN
    """What the other words are because of it."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE | re.MULTILINE


def _introduced(text: str, grade: Grade) -> Iterator[Span]:
    """Yield what a sentence calls pasted, such as "the mail below"."""
    lower = text.lower()
    for rule in pasted_rules():
        if rule.grade == grade and any(hint in lower for hint in rule.hints):
            for found in islice(_in_any_case(rule.pattern).found_in(text), MOST_MARKS):
                sentence = text[slice(*found.span())]
                if not sentence.strip() or _BLANKS.match(text, found.end()):
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

_UNPLAIN = re.compile(
    r"[?？؟:：;\"“”„«»‹›「」『』《》＂`<>\[\](){}|=*#@/\\_~^$%&+•…]|\.\.\.|\s[-–—]\s?|https?|^\W|\d[.)]\s"
)
"""Marks that plain words of a person do not have."""
_TITLE = re.compile(
    r"\A\s*(?:[^\n]{2,80}(?<![.!?。！？:：,;…\s])[ \t]*\n"
    r"|(?:[A-ZÀ-ÞА-Я]{2,}+ ){2,}+(?=[^\n]*[a-zà-ÿа-я]))"
)
_ENDS = re.compile(r"[.!?。！？]\s*(?:\n|\Z)")
_ACTION = re.compile(r"\A\s*(?:\*[^*\n]{2,80}\*|\([^()\n]{2,80}\))")


def _titled(text: str) -> Iterator[Span]:
    """Yield the sentences below a title: a line without an end above lines that have one."""
    found = _TITLE.match(text)
    if found is None or not _ENDS.search(text, found.end()):
        return
    words = [word.casefold() for word in _WORD.findall(found[0])]
    if not (_is_first_person(words) or all(word in _words("own_labels") for word in words)):
        yield found.end(), len(text)


_LIST_ITEM = re.compile(r"\s*(?:[-*•·–—+]|\(?\d{1,2}[.)\]]|\(?[a-zA-Z][.)])\s")


def _listed(text: str) -> Iterator[Span]:
    """Yield a list that nothing introduces."""
    if _LIST_ITEM.match(text):
        yield 0, len(text)


def _acted(text: str) -> Iterator[Span]:
    """Yield what follows an action in a role play, or a remark in brackets."""
    if found := _ACTION.match(text):
        yield found.end(), len(text)


def _headed(text: str) -> Iterator[Span]:
    """Yield what follows a first line or a remark in brackets that names a source or a task."""
    if found := (_TITLE.match(text) or _ACTION.match(text)):
        words = [word.casefold() for word in _WORD.findall(found[0])]
        if not _is_first_person(words) and (_passes_on(words) or _asks_for_work(found[0])):
            yield found.end(), len(text)


def _reported(text: str) -> Iterator[Span]:
    """Yield a sentence that tells what somebody else says; what follows, if it does not say what.

    "He told me." goes on in the next sentence, "He says that the rent is due." does not. What
    stands behind a quotation is the user's, and so is a conclusion: "The vet says worms, so …".
    """
    for start, end in sentence_spans(text):
        words = [word.casefold() for word in _WORD.findall(text[start:end])]
        said = [at for at, word in enumerate(words) if word in _words("saying")]
        said = [at for at in said if not _is_first_person(words[max(0, at - 1) : at])]
        if said and not _is_reason(words[said[-1] + 1 :]):
            quoted = _BLANKS.match(text, start + len(text[start:end].rstrip()))
            ends = quoted or len(words) - said[-1] > _TERM_WORDS
            yield start, end if ends else len(text)


def _is_reason(reported: list[str]) -> bool:
    """Return whether a few reported words are a reason, such as "it is broken, so …"."""
    return not _words("conclusions").isdisjoint(reported[1 : _TERM_WORDS + 1])


_Finder: TypeAlias = Callable[[str], Iterable[Span]]
_FOREIGN: tuple[_Finder, ...] = (
    *(marked, signed, foreign_lines, quoted_statements, encoded, partial(_labelled, foreign=True)),
    *(_headed, _asked_about, partial(_introduced, grade=Grade.FOREIGN)),
)
_DOUBTFUL: tuple[_Finder, ...] = (
    *(partial(_labelled, foreign=False), _titled, _listed, _acted, _reported),
    partial(_introduced, grade=Grade.DOUBTFUL),
)
_UNPROVEN: tuple[_Finder, ...] = (partial(_introduced, grade=Grade.UNPROVEN),)


@cache
def pasted_rules() -> tuple[PastedRule, ...]:
    """Return the rules for sentences that introduce pasted text."""
    return _file().rules_as(PastedRule, grade=Grade)


@cache
def _sign(name: str) -> str:
    return next(rule.pattern for rule in pasted_rules() if rule.name == name)


@cache
def _in_any_case(pattern: str) -> AnyCase:
    return AnyCase(pattern, re.MULTILINE)


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(_file().words[name])


@cache
def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("own_words.toml"))

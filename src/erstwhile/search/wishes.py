"""Find the sentences of a user's message that state a standing wish: "always answer in French".

The rules are in `wishes.toml`. They are matched where a clause begins, in what the user wrote
themself, so that narration ("I always run"), reports ("she says never to run") and pasted text do
not match. Each wish has a strength: whether it holds for every answer or only for its topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields
from enum import IntEnum
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from erstwhile.rule_files import RuleFile, TextRule, read_rules
from erstwhile.search.own_words import own_part, own_words
from erstwhile.search.sentences import LEADING, Sentence, sentences_of

READ = 20_000
"""The characters that are read of a message."""
MOST_SENTENCES = 200
"""The most sentences with a hint that are examined."""
MOST_STANDING = 3
"""The most wishes that stand of a message. One with more is a document, such as house rules."""
LONGEST = 400
"""The most characters of a wish."""
_MOST_CLAUSES = 24
"""The most clauses of a sentence that are examined."""

_TURN = 7
"""The characters of a clause in which it may turn to the assistant: "so", "please"."""
_ITEM = re.compile(r"\s*(?:[-*•·–—+]|\d{1,2}[.)])\s")
_KEY = 4
_WORD = re.compile(r"[0-9a-zß-ÿœ]+")
_WORD_START = re.compile(rf"(?<![0-9a-zß-ÿœ])[0-9a-zß-ÿœ]{{1,{_KEY}}}")
_CLAUSE = re.compile(
    r"[,;:，；：、–—(]\s*|\s-+\s+|\s(?:so|and|but|because|und|aber|y|pero|et|mais)\s+",
    re.IGNORECASE,
)


class Strength(IntEnum):
    """How far a wish reaches. A greater number is stronger."""

    ENDING = -1
    """It ends an earlier wish."""
    TOPIC = 1
    """A preference that matters where its topic comes up."""
    GENERAL = 2
    """A way of working that the user likes or asks for, in words that do not say for how long."""
    STANDING = 3
    """It says that it holds always, from now on, or in each case of a kind."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A wish in a text: its place, its words and its strength."""

    start: int
    end: int
    text: str
    strength: Strength

    @property
    def stands(self) -> bool:
        """Whether it matters to every context: a wish beyond one topic, or the end of one."""
        return self.strength is not Strength.TOPIC


@dataclass(frozen=True, kw_only=True)
class WishRule(TextRule):
    """A pattern that is matched where a clause begins. Each rule has hints."""

    strength: Strength
    plain: bool = False
    """Whether no word says that the wish lasts. Then it must not belong to another request."""
    mine: bool = False
    """Whether the clause has "I" as its subject, so that it needs no sentence around it."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Patterns for the words around a wish, named like their parts of the file."""

    takeover: re.Pattern[str]
    condition: re.Pattern[str]
    other: re.Pattern[str]
    loose: re.Pattern[str]
    joined: re.Pattern[str]
    question: re.Pattern[str]
    asked: re.Pattern[str]
    everything: re.Pattern[str]
    reported: re.Pattern[str]
    narrated: re.Pattern[str]
    directed: re.Pattern[str]
    supposed: re.Pattern[str]
    once: re.Pattern[str]
    request: re.Pattern[str]


class _Hinted(NamedTuple):
    """A rule and those of its hints that the text contains."""

    rule: WishRule
    hints: AbstractSet[str]


class _Found(NamedTuple):
    """A clause with a wish."""

    start: int
    end: int
    rule: WishRule


def wishes(text: str) -> list[Wish]:
    """Return the wishes that a user states in a message or a fact, in their order."""
    text = text[:READ]
    hinted = _hinted(text.lower())
    if not hinted:
        return []
    own = own_words(text)
    sentences = list(sentences_of(own))
    likely = ((each, rules) for each in sentences if (rules := _likely(own, each, hinted)))
    found = [
        each
        for sentence, rules in islice(likely, MOST_SENTENCES)
        for each in _in_sentence(own, sentence, rules)
    ]
    if not found or _around().takeover.search(own):
        return []
    if any(each.rule.plain for each in found) and _asks_more(own, sentences, found):
        found = [each for each in found if not each.rule.plain]
    first, last = own_part(text)
    return _believed(
        Wish(start, end, text[start:end], rule.strength)
        for start, end, rule in found
        if first <= start < last
        and not _is_specified(own, start)
        and (start < sentences[0].end or not _ends_all(own[start:end], rule))
    )


def _believed(found: Iterable[Wish]) -> list[Wish]:
    """Return the wishes; of a message with many, only those that do not stand."""
    every = list(found)
    many = sum(each.stands for each in every) > MOST_STANDING
    return [each for each in every if not (many and each.stands)]


def _ends_all(text: str, rule: WishRule) -> bool:
    """Return whether all wishes end. People say so at once, in their first sentence."""
    return rule.strength is Strength.ENDING and _around().everything.search(text) is not None


def _hinted(lower: str) -> list[_Hinted]:
    """Return the rules that may match. Only hints are searched for whose word begins alike."""
    keyed = _hints()
    starts = keyed.keys() & set(_WORD_START.findall(lower))
    possible = chain.from_iterable(keyed[start] for start in starts)
    present = {hint for hint in possible if hint in lower}
    if not lower.isascii():
        present.update(hint for hint in keyed[""] if hint in lower)
    return [
        _Hinted(rule, present.intersection(rule.hints))
        for rule in wish_rules()
        if not present.isdisjoint(rule.hints)
    ]


def _likely(own: str, sentence: Sentence, hinted: Sequence[_Hinted]) -> list[WishRule]:
    """Return the rules with a hint in a sentence."""
    lower = own[sentence.start : sentence.end].lower()
    return [each.rule for each in hinted if any(hint in lower for hint in each.hints)]


def _in_sentence(own: str, sentence: Sentence, rules: Sequence[WishRule]) -> list[_Found]:
    """Return the wishes of a sentence; one ends where the next begins."""
    matched = list(_matches(own, sentence, rules))
    edges = [*(each.start for each in matched[1:]), sentence.end]
    ended = [
        each._replace(end=_end(own, each, edge))
        for each, edge in zip(matched, edges, strict=False)  # no match leaves one edge
    ]
    return [each for each in ended if not _is_question(own, each, sentence)]


def _matches(own: str, sentence: Sentence, rules: Sequence[WishRule]) -> Iterator[_Found]:
    """Yield what the first fitting rule matches of each clause."""
    until = sentence.start
    for start in islice(_clauses(own, sentence), _MOST_CLAUSES):
        for rule in rules if start >= until else ():
            found = rule.regex.match(own, start, sentence.end)
            if found and not _is_excluded(own, sentence, start, rule):
                yield _Found(_begin(own, sentence, start, until), found.end(), rule)
                until = found.end()
                break


def _clauses(own: str, sentence: Sentence) -> Iterator[int]:
    yield sentence.start
    for found in _CLAUSE.finditer(own, sentence.start, sentence.end):
        yield found.end()


def _begin(own: str, sentence: Sentence, start: int, until: int) -> int:
    """Return where the wish begins: with its condition, and without a conjunction.

    A condition belongs to the first wish of a sentence, which has nothing before it.
    """
    if until == sentence.start and _around().condition.match(own, sentence.start, start):
        return sentence.start
    joined = _around().joined.match(own, start, sentence.end)
    return joined.end() if joined else start


def _end(own: str, found: _Found, edge: int) -> int:
    """Return where the wish ends: before the next wish, or before a clause about something else."""
    other = _around().other.search(own, found.end, edge)
    end = min(other.start() if other else edge, found.start + LONGEST)
    loose = _around().loose.search(own, max(found.start, end - 12), end)
    return loose.start() if loose else end


def _is_excluded(own: str, sentence: Sentence, start: int, rule: WishRule) -> bool:
    """Return whether the words around a clause show that it is no wish of the user."""
    before = own[sentence.start : start]
    if _around().reported.search(before) or (before and _around().supposed.match(before)):
        return True
    led = own[sentence.start : start + _TURN]
    if not rule.mine and _around().narrated.match(before) and not _around().directed.search(led):
        return True
    return rule.plain and (
        _around().once.search(own, sentence.start, sentence.end) is not None
        or _around().request.search(before) is not None
    )


def _is_question(own: str, found: _Found, sentence: Sentence) -> bool:
    """Return whether the wish extends to the end of a question."""
    if found.end < sentence.end - 1 or _around().asked.search(own, found.start, sentence.end):
        return False
    last = max(found.start, sentence.end - 6)
    return _around().question.search(own, last, sentence.end) is not None


def _asks_more(own: str, sentences: Sequence[Sentence], found: Sequence[_Found]) -> bool:
    """Return whether a sentence without a wish asks for something."""
    starts = [each.start for each in found]
    return any(
        _around().request.search(own, each.start, each.end)
        for each in sentences
        if not any(each.start <= start < each.end for start in starts)
    )


def _is_specified(own: str, start: int) -> bool:
    """Return whether the wish is an item of a list that says how something is to be made."""
    *above, line = own[:start].split("\n")
    if not LEADING.fullmatch(line):
        return False
    heading = next((each for each in reversed(above) if each.strip() and not _ITEM.match(each)), "")
    return heading.rstrip().endswith((":", "：")) and bool(_around().request.search(heading))


@cache
def _around() -> Surroundings:
    parts = _file().parts
    names = [field.name for field in fields(Surroundings)]
    return Surroundings(**{name: re.compile(parts[name], re.IGNORECASE) for name in names})


@cache
def _hints() -> Mapping[str, Sequence[str]]:
    """Return the hints by the start of their longest word; without a Latin word, by ""."""
    keyed: dict[str, list[str]] = {"": []}
    for hint in {hint for rule in wish_rules() for hint in rule.hints}:
        longest = max(_WORD.findall(hint), key=len, default="")
        keyed.setdefault(longest[:_KEY], []).append(hint)
    return keyed


@cache
def wish_rules() -> tuple[WishRule, ...]:
    """Return the rules for clauses, the most telling first."""
    return _file().rules_as(WishRule, strength=lambda name: Strength[name.upper()])


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("wishes.toml"))

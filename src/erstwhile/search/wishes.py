"""Find the sentences of a user's message that state a standing wish: "always answer in French".

The rules are in `wishes.toml`. They are matched where a clause begins, in what the user wrote
themself, so that narration ("I always run"), reports ("she says never to run") and pasted text do
not match. Each wish has a strength: whether it holds for every answer or only for its topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from erstwhile.rule_files import RuleFile, TextRule, read_rules
from erstwhile.search.own_words import own_words

READ = 20_000
"""The characters that are read of a message."""
MOST_SENTENCES = 200
"""The most sentences with a hint that are examined."""
LONGEST = 400
"""The most characters of a wish."""
_MOST_CLAUSES = 24
"""The most clauses of a sentence that are examined."""

_SENTENCE = re.compile(
    r"(?:[^.!?…。！？｡\n\u2028\u2029]++|(?<=\b[DM]r)\.|(?<=\bM[sx])\.|(?<=\bMrs)\.|(?<=\bProf)\."
    r"|(?<=\be\.g)\.|(?<=\bi\.e)\.|(?<=\bz\.B)\.|[.!?…](?=[^\s\"')]))+[.!?…。！？｡]*"
)
_LEADING = re.compile(r"(?:[\s*•·–—+#)\]]|-(?=[\s-])|\d{1,2}[.)])*")
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
    asks: bool = False
    """Whether the wish may have the form of a question."""

    @property
    def flags(self) -> re.RegexFlag:
        return re.IGNORECASE


class _Sentence(NamedTuple):
    """A sentence by its place, without bullet and white space around it."""

    start: int
    end: int


def wishes(text: str) -> list[Wish]:
    """Return the wishes that a user states in a message or a fact, in their order."""
    rules = _hinted(text[:READ].lower(), _rules())
    if not rules:
        return []
    own = own_words(text[:READ])
    sentences = list(islice(_sentences(own), MOST_SENTENCES))
    if _veto("takeover").search(own):
        return []
    found = [each for sentence in sentences for each in _in_sentence(own, sentence, rules)]
    if any(rule.plain for _, _, rule in found) and _requests(own, sentences, found):
        found = [each for each in found if not each[2].plain]
    return [Wish(start, end, text[start:end], rule.strength) for start, end, rule in found]


def _hinted(lower: str, rules: Sequence[WishRule]) -> list[WishRule]:
    return [rule for rule in rules if any(hint in lower for hint in rule.hints)]


def _sentences(own: str) -> Iterator[_Sentence]:
    for found in _SENTENCE.finditer(own):
        lead = _LEADING.match(own, found.start(), found.end())
        start = lead.end() if lead else found.start()
        end = start + len(own[start : found.end()].rstrip())
        if end - start > 3:
            yield _Sentence(start, end)


def _in_sentence(
    own: str, sentence: _Sentence, rules: Sequence[WishRule]
) -> list[tuple[int, int, WishRule]]:
    """Return the wishes of a sentence; one ends where the next begins."""
    hinted = _hinted(own[sentence.start : sentence.end].lower(), rules)
    found = list(_matches(own, sentence, hinted)) if hinted else []
    if not found:
        return []
    edges = [start for start, _, _ in found[1:]] + [sentence.end]
    ended = [
        (start, _end(own, start, matched, edge), rule)
        for (start, matched, rule), edge in zip(found, edges, strict=True)
    ]
    return [each for each in ended if not _is_question(own, each[1], sentence, each[2])]


def _matches(
    own: str, sentence: _Sentence, rules: Sequence[WishRule]
) -> Iterator[tuple[int, int, WishRule]]:
    """Yield start, end of the match, and rule of each clause with a wish."""
    until = sentence.start
    for start in islice(_clauses(own, sentence), _MOST_CLAUSES):
        if start < until:
            continue
        for rule in rules:
            found = rule.regex.match(own, start, sentence.end)
            if found and not _is_vetoed(own, sentence, start, rule):
                yield _begin(own, sentence, start), found.end(), rule
                until = found.end()
                break


def _clauses(own: str, sentence: _Sentence) -> Iterator[int]:
    yield sentence.start
    for found in _CLAUSE.finditer(own, sentence.start, sentence.end):
        yield found.end()


def _begin(own: str, sentence: _Sentence, start: int) -> int:
    """Return the start of the sentence if it opens with the condition of the wish."""
    if _veto("condition").match(own, sentence.start, start):
        return sentence.start
    joined = _veto("joined").match(own, start, sentence.end)
    return joined.end() if joined else start


def _end(own: str, start: int, matched: int, edge: int) -> int:
    """Return where the wish ends: before the next wish, or before a clause about something else."""
    other = _veto("other").search(own, matched, edge)
    end = min(other.start() if other else edge, start + LONGEST)
    last = _veto("joint").search(own, start, end)
    return last.start() if last else end


def _is_vetoed(own: str, sentence: _Sentence, start: int, rule: WishRule) -> bool:
    """Return whether the words around a clause show that it is no wish of the user."""
    before = own[sentence.start : start]
    if before and (_veto("reported").search(before) or _veto("supposed").match(before)):
        return True
    if before and not rule.mine and _veto("narrated").match(before):
        return not _veto("directed").search(before)
    return rule.plain and (
        _veto("once").search(own, sentence.start, sentence.end) is not None
        or _veto("request").search(before) is not None
    )


def _is_question(own: str, end: int, sentence: _Sentence, rule: WishRule) -> bool:
    """Return whether the wish extends to the end of a question."""
    asked = _veto("question").search(own, max(sentence.start, sentence.end - 6), sentence.end)
    return bool(asked) and not rule.asks and end >= sentence.end - 1


def _requests(
    own: str, sentences: Sequence[_Sentence], found: Sequence[tuple[int, int, WishRule]]
) -> bool:
    """Return whether a sentence without a wish asks for something."""
    wished = {each for each in sentences for at, _, _ in found if each.start <= at < each.end}
    return any(
        _veto("request").search(own, each.start, each.end)
        for each in sentences
        if each not in wished
    )


@cache
def _veto(name: str) -> re.Pattern[str]:
    """Return the pattern of a part of the file that the code uses by name."""
    return re.compile(_file().parts[name], re.IGNORECASE)


@cache
def _rules() -> tuple[WishRule, ...]:
    return _file().rules_as(WishRule, strength=lambda name: Strength[name.upper()])


def _file() -> RuleFile:
    return read_rules(Path(__file__).with_name("wishes.toml"))

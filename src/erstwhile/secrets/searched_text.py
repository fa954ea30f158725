"""Find the matches of rules in a text, without trying each rule at each character.

A match of a rule contains one of the hints of the rule. So the hints of all rules are searched
first, in one pass, and a pattern is only tried at the places from which it can reach one:
`SecretRule.before` says how far that is. The text is never cut: a pattern sees what stands before
and after its place.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, islice

from ahocorasick_rs import AhoCorasick

from erstwhile.letter_case import fold, fold_pattern
from erstwhile.rule_files import TextRule

MIN_CODE = 24
BASE64 = re.compile(
    rf"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/_-]{{{MIN_CODE},}}+={{0,2}}(?![A-Za-z0-9+/=_-])"
)
"""A pattern for base64 in the standard or the URL-safe alphabet."""
MIN_WORD = 15
"""The length of a word that may be an issued key. Most texts contain no such word."""
_LONG_WORD = re.compile(rf"\S{{{MIN_WORD},}}+")
_INSIDE_CORE = 13
"""How many characters of a core may stand before its hint, as in "encryption_key"."""
_BEFORE_CORE = "_/.-"
"""The first character of a hint that stands before its core, as in ".pass"."""
_INSIDE_OPENING = 66
"""How many characters of an opening may stand before its hint."""
_NEAR = 160
"""How far from a name its value, or the sign before the value, may stand."""
_MARKS = bytes(not (chr(each).isalpha() or chr(each) in " \n,.;()-_/") for each in range(256))
_HALF = re.compile("[\ud800-\udfff]")
_MASK = re.compile(r"(?<=\[masked:)[a-z\d_-]++(?=\])")
"""The name in a mask, which names no secret behind it."""
_DIGIT = re.compile(r"\d")
_SENTENCE_END = re.compile(r"(?:[.!?](?=\s)|[。！？\n])\s*")
_BEHIND_HINT = 32
"""How far behind the beginning of a hint a core or an opening may reach."""


@dataclass(frozen=True, kw_only=True)
class SecretRule(TextRule):
    """A rule for one kind of secret. It masks the group `secret`, or without it the whole match."""

    shortest: int = MIN_WORD
    """The length of the shortest word with a match, if no match contains a space."""
    spaced: bool = False
    """Whether a match may contain spaces. If not, the match and its hints are single words."""
    before: int = 0
    """How many characters of a match may stand before its core, or without one before its hint.

    It is for rules whose matches may contain spaces.
    """
    wordy: bool = False
    """Whether a secret may consist of plain words, without a digit, a quote or a sign near them."""
    core: str = ""
    """What each match contains, if only a few hints belong to one: "pass" is in "passed", too."""
    prefilter: str = ""
    """A pattern for the start of every accepted secret: its core, and a possible value behind it.

    Rules share it, so that most places are ruled out once for all of them.
    """
    near: int = 0
    """How far from its core a match may stand: in the same sentence, or in the next one.

    A match has a digit, so most sentences are ruled out.
    """
    opening: str = ""
    """What each match begins with, if that is much faster to search for than the whole pattern.

    In a file, core, prefilter and opening are parts, as in `"{password}"`.
    """
    opening_hints: tuple[str, ...] = ()
    """Words of which each match contains one, too; if there is an opening, it contains one."""

    @property
    def flags(self) -> re.RegexFlag:
        """The flags of the pattern. Keys are ASCII; in Chinese, text may follow without a space."""
        return re.NOFLAG if self.spaced else re.ASCII

    @cached_property
    def where(self) -> str:
        """What tells where a match may begin. Several rules have the same."""
        return "\n".join((self.core, self.prefilter, self.opening, str(self.before), *self.hints))

    def accepts(self, found: re.Match[str]) -> bool:
        """Return whether a match of the pattern is a secret."""
        return self.check(found[self.group(found)])

    @staticmethod
    def group(found: re.Match[str]) -> str | int:
        return "secret" if "secret" in found.re.groupindex else 0


class HintSearch:
    """Finds the places of many hints in one pass."""

    def __init__(self, hints: Iterable[str]) -> None:
        self._hints = sorted(hints)
        self._automaton = AhoCorasick(self._hints)

    def places(self, folded: str) -> dict[str, list[int]]:
        """Return where each hint begins that is in a text."""
        try:
            found = self._automaton.find_matches_as_indexes(folded, overlapping=True)
        except UnicodeEncodeError:  # half of a character, which no hint contains
            whole = _HALF.sub("\ufffd", folded)
            found = self._automaton.find_matches_as_indexes(whole, overlapping=True)
        places: dict[str, list[int]] = {}
        for number, start, _ in found:
            places.setdefault(self._hints[number], []).append(start)
        return places


class SearchedText:
    """A text, with what was found in it: several rules have the same hints and openings."""

    def __init__(self, text: str, search: HintSearch) -> None:
        self.text = text
        self.folded = _MASK.sub(lambda mask: "_" * len(mask[0]), fold(text))
        """The text in lower case, with each character at its place, and without masks."""
        self._places = search.places(self.folded)
        self._starts: dict[str, list[int]] = {}
        self._core_places: dict[tuple[str, Sequence[str]], list[int]] = {}

    @property
    def hints(self) -> Collection[str]:
        return self._places.keys()

    @cached_property
    def long_words(self) -> list[tuple[int, int]]:
        """The beginnings and ends of words that may be issued keys."""
        return [found.span() for found in _LONG_WORD.finditer(self.text)]

    @cached_property
    def _long_word_beginnings(self) -> list[int]:
        return [start for start, _ in self.long_words]

    def codes(self) -> Iterable[re.Match[str]]:
        """Return the parts that may be base64."""
        long = (word for word in self.long_words if word[1] - word[0] >= MIN_CODE)
        return chain.from_iterable(BASE64.finditer(self.text, *word) for word in long)

    @cached_property
    def _marks(self) -> bytes:
        """A byte for each character: 1 for a digit, a quote or a sign, of which a value has one."""
        return self.text.encode("latin-1", "replace").translate(_MARKS)

    def _is_near_value(self, place: int) -> bool:
        """Return whether a value may be near a name. Most names stand in plain sentences."""
        return self._marks.find(1, max(place - _NEAR, 0), place + _NEAR) >= 0

    def matches(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right; none overlaps another."""
        if rule.near:
            return self._matches_near(rule)
        return self._matches_at_starts(rule) if rule.spaced else self._matches_in_words(rule)

    def _matches_near(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        """Yield the matches in the sentences around and behind the cores."""
        around = ((place, max(place - rule.near, 0)) for place in self._cores(rule))
        places = (at for at, start in around if _DIGIT.search(self.text, start, at + rule.near))
        sentences = (self._sentence_around(place, rule.near) for place in places)
        for start, end in _merge_touching(sentences):
            yield from rule.regex.finditer(self.text, start, end)

    def _sentence_around(self, place: int, most: int) -> tuple[int, int]:
        """Return the start of the sentence around a place and the end of the next one.

        Neither is farther than `most`.
        """
        start, end = max(place - most, 0), min(place + most, len(self.text))
        ends = [found.end() for found in _SENTENCE_END.finditer(self.text, start, place)]
        stops = [*islice(_SENTENCE_END.finditer(self.text, place, end), 2)]
        return ends[-1] if ends else start, stops[1].start() if len(stops) > 1 else end

    def _matches_in_words(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        """Yield the matches in long words with a hint in them, and perhaps in words before one.

        A rule without hints is tried in every word that is long enough.
        """
        words: Iterable[tuple[int, int]] = self.long_words
        if rule.hints:
            beginnings = self._long_word_beginnings
            following = {bisect_right(beginnings, place) for place in self.hint_places(rule.hints)}
            words = (self.long_words[each - 1] for each in sorted(following - {0}))
        for start, end in words:
            if end - start >= rule.shortest:
                yield from rule.regex.finditer(self.text, start, end)

    def _matches_at_starts(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        if rule.where not in self._starts:
            self._starts[rule.where] = list(self._find_starts(rule))
        end = 0
        for start in self._starts[rule.where]:
            if start >= end and (found := rule.regex.match(self.text, start)):
                end = found.end()
                yield found

    def _find_starts(self, rule: SecretRule) -> Iterator[int]:
        if rule.opening_hints and self._places.keys().isdisjoint(rule.opening_hints):
            return
        if rule.prefilter:
            prefilter = _compiled(rule.prefilter)
            cores = self._cores(rule)
            yield from (place for place in cores if prefilter.match(self.text, place))
            return
        for first, last in _merge_touching(self._stretches(rule)):
            if rule.opening:
                yield from self._found(_folded(rule.opening), first, last)
            else:
                yield from range(first, last + 1)

    def _stretches(self, rule: SecretRule) -> Iterator[tuple[int, int]]:
        """Yield the first and the last place of each stretch where a match may begin."""
        if not rule.core:
            yield from self._near(self.hint_places(rule.hints), rule.before)
        elif not rule.opening:
            yield from self._near(self._cores(rule), rule.before)
        elif cores := self._cores(rule):
            openings = self.hint_places(rule.opening_hints)
            leading = (each for each in openings if _is_before(each, cores, rule.before))
            yield from self._near(leading, _INSIDE_OPENING)

    def _cores(self, rule: SecretRule) -> list[int]:
        core, hints = rule.core, rule.hints
        if (core, hints) not in self._core_places:
            text = self.folded
            places = self.hint_places(hints)
            if not rule.wordy:
                places = filter(self._is_near_value, places)
            within = (place + (text[place] in _BEFORE_CORE) for place in places)
            stretches = _merge_touching(self._near(within, _INSIDE_CORE))
            found = (self._found(_folded(core), first, last) for first, last in stretches)
            self._core_places[core, hints] = list(chain.from_iterable(found))
        return self._core_places[core, hints]

    @staticmethod
    def _near(places: Iterable[int], before: int) -> Iterator[tuple[int, int]]:
        return ((max(0, place - before), place) for place in places)

    def _found(self, pattern: re.Pattern[str], first: int, last: int) -> Iterator[int]:
        """Yield where a core or an opening begins between two places."""
        stop = last + _BEHIND_HINT
        while first <= last and (found := pattern.search(self.folded, first, stop)):
            first = found.start() + 1
            if first <= last + 1:
                yield found.start()

    def hint_places(self, hints: Sequence[str]) -> Iterator[int]:
        """Yield where these hints begin."""
        for hint in self._places.keys() & set(hints):
            yield from self._places[hint]


def _is_before(place: int, cores: Sequence[int], most: int) -> bool:
    """Return whether a core follows a place, not farther than this."""
    following = bisect_left(cores, place)
    return following < len(cores) and cores[following] - place <= most


def _merge_touching(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return stretches from left to right, with those that touch joined."""
    joined = list[tuple[int, int]]()
    for first, last in sorted(stretches):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


@cache
def _folded(pattern: str) -> re.Pattern[str]:
    return re.compile(fold_pattern(pattern))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

"""Find the matches of rules in a text, without trying each rule at each character.

A match of a rule contains one of the hints of the rule. So the hints are searched first, which is
fast, and a pattern is only tried at the places from which it can reach one: `SecretRule.before`
says how far that is. The text is never cut: a pattern sees what stands before and after its place.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING

from erstwhile.letter_case import fold, fold_pattern
from erstwhile.rule_files import TextRule

if TYPE_CHECKING:
    from erstwhile.secrets.long_texts import LongTexts, WordGroups

SHORTEST_CODE = 24
BASE64 = re.compile(
    rf"(?<![A-Za-z0-9+/=_.-])[A-Za-z0-9+/_-]{{{SHORTEST_CODE},}}+={{0,2}}(?![A-Za-z0-9+/=_-])"
)
"""A pattern for base64 in the standard or the URL-safe alphabet."""
LONG_TEXT = 2_000
"""From this length on it is faster to look at all characters at once."""
SHORTEST_WORD = 15
"""The length of a word that may be an issued key. Most texts contain no such word."""
_LONG_WORD = re.compile(rf"\S{{{SHORTEST_WORD},}}+")
SHORTEST_HINT = 3
"""The length of a hint that few texts contain."""
_MANY_WORDS = 30
"""From so many words on it is faster to search all that is between them, too."""
_INSIDE_CORE = 12
"""How many characters of a core may stand before its hint, as in "encryption_key"."""
_BEFORE_CORE = "_/."
"""The first character of a hint that stands before its core, as in ".pass"."""
_INSIDE_OPENING = 66
"""How many characters of an opening may stand before its hint."""
_BEHIND_HINT = 32
"""How far behind the beginning of a hint a core or an opening may reach."""


@dataclass(frozen=True, kw_only=True)
class SecretRule(TextRule):
    """A rule for one kind of secret. It masks the group `secret`, or without it the whole match."""

    shortest: int = SHORTEST_WORD
    """The length of the shortest match without spaces, for a rule with common hints."""
    spaced: bool = False
    """Whether a match may contain spaces. If not, the match and its hints are single words."""
    before: int = 0
    """How many characters of a match may stand before its core, or without one before its hint.

    It is for rules whose matches may contain spaces.
    """
    core: str = ""
    """What each match contains, if only a few hints belong to one: "pass" is in "passed", too."""
    prefilter: str = ""
    """A pattern for the start of every accepted secret: its core, and a possible value behind it.

    Rules share it, so that most places are ruled out once for all of them.
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

    @property
    def is_common(self) -> bool:
        """Whether nearly every text contains a hint; then the length of its words tells more."""
        return not self.spaced and min(map(len, self.hints)) < SHORTEST_HINT

    def accepts(self, found: re.Match[str]) -> bool:
        """Return whether a match of the pattern is a secret."""
        return self.check(found[self.group(found)])

    @staticmethod
    def group(found: re.Match[str]) -> str | int:
        """Return the group of a match that is the secret."""
        return "secret" if "secret" in found.re.groupindex else 0


class SearchedText:
    """A text, with what was found in it: several rules have the same hints and openings."""

    def __init__(self, text: str, lacking: Iterable[str] = ()) -> None:
        self.text = text
        self._lacking, self._contained = set(lacking), set[str]()
        self._starts: dict[str, list[int]] = {}
        self._core_places: dict[tuple[str, Sequence[str]], list[int]] = {}

    def masked(self, text: str) -> SearchedText:
        """Return the text after masking. It lacks the hints that were not in it before."""
        return SearchedText(text, self._lacking)

    @cached_property
    def folded(self) -> str:
        """The text in lower case, with each character at its place."""
        return fold(self.text)

    @cached_property
    def _folded_bytes(self) -> bytes:
        # Bytes are searched three times as fast as text with other letters than ASCII.
        return self.folded.encode("utf-8", "surrogatepass")

    def rule_out(self, hints: WordGroups) -> None:
        """Note which of many hints are not in the text."""
        self._lacking.update(hints.not_in(self._folded_bytes))

    def contained(self, hints: Iterable[str]) -> set[str]:
        """Return the hints that are in the text."""
        asked = set(hints)
        for hint in asked - self._lacking - self._contained:
            found = hint.encode() in self._folded_bytes
            (self._contained if found else self._lacking).add(hint)
        return asked & self._contained

    @cached_property
    def long_words(self) -> list[tuple[int, int]]:
        """The beginnings and ends of words that may be issued keys."""
        if len(self.text) >= LONG_TEXT:
            return for_long_texts().words.longer(self.text, SHORTEST_WORD)
        return [found.span() for found in _LONG_WORD.finditer(self.text)]

    def codes(self) -> Iterable[re.Match[str]]:
        """Return the parts that may be base64."""
        if len(self.text) < LONG_TEXT:
            return BASE64.finditer(self.text) if self.long_words else ()
        runs = for_long_texts().codes.longer(self.text, SHORTEST_CODE)
        possible = (BASE64.match(self.text, start) for start, _ in runs)
        return [found for found in possible if found]

    def matches(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right; none overlaps another."""
        return self._matches_at_starts(rule) if rule.spaced else self._matches_in_words(rule)

    def _matches_in_words(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        words = [each for each in self.long_words if each[1] - each[0] >= rule.shortest]
        if not rule.is_common:  # only words with a hint in them, and perhaps words before a hint
            beginnings = [start for start, _ in words]
            following = {bisect_right(beginnings, place) for place in self._hint_places(rule.hints)}
            words = [words[each - 1] for each in sorted(following - {0})]
        elif len(words) > _MANY_WORDS:
            words = [(words[0][0], words[-1][1])]
        for start, end in words:
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
        if rule.opening_hints and not self.contained(rule.opening_hints):
            return
        if rule.prefilter:
            prefilter = _compiled(rule.prefilter)
            cores = self._cores(rule.core, rule.hints)
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
            yield from self._near(self._hint_places(rule.hints), rule.before)
        elif not rule.opening:
            yield from self._near(self._cores(rule.core, rule.hints), rule.before)
        elif cores := self._cores(rule.core, rule.hints):
            openings = self._hint_places(rule.opening_hints)
            leading = (each for each in openings if _is_before(each, cores, rule.before))
            yield from self._near(leading, _INSIDE_OPENING)

    def _cores(self, core: str, hints: Sequence[str]) -> list[int]:
        if (core, hints) not in self._core_places:
            text, places = self.folded, self._hint_places(hints)
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

    def _hint_places(self, hints: Sequence[str]) -> Iterator[int]:
        for hint in self.contained(hints):
            place = self.folded.find(hint)
            while place >= 0:
                yield place
                place = self.folded.find(hint, place + 1)


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


@cache
def for_long_texts() -> type[LongTexts]:
    # Imported here: a program that masks only short texts does not need numpy.
    from erstwhile.secrets.long_texts import LongTexts

    return LongTexts

"""Find the matches of rules in a text, without trying each rule at each character.

A match of a rule contains one of the hints of the rule. So the hints are searched first, which is
fast, and a pattern is only tried at the places from which it can reach one: `SecretRule.before`
says how far that is. The text is never cut: a pattern sees what stands before and after its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING

from erstwhile.rule_files import TextRule

if TYPE_CHECKING:
    from erstwhile.secrets.trigrams import WordGroups

SHORTEST_WORD = 15
"""The length of a word that may be an issued key. Most texts contain no such word."""
_INSIDE_CORE = 12
"""How many characters of a core may stand before its hint, as in "encryption_key"."""
_BEHIND_HINT = 16
"""How far behind a hint a core or an opening may reach."""
_SAME_LETTERS = {"İ": "i", "ı": "i", "ſ": "s", "ᲂ": "о"}
"""Letters that patterns take for others in any case, but that `str.lower` does not turn into them.

The first would also become two characters.
"""


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
    opening: str = ""
    """What each match begins with, if that is much faster to search for than the whole pattern.

    In a file, core and opening are parts, as in `"{password}"`.
    """

    @property
    def flags(self) -> re.RegexFlag:
        """The flags of the pattern. Keys are ASCII; in Chinese, text may follow without a space."""
        return re.NOFLAG if self.spaced else re.ASCII


class SearchedText:
    """A text, with what was found in it: several rules have the same hints and openings."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._hints: dict[str, bool] = {}
        self._starts: dict[tuple[object, ...], list[int]] = {}

    @cached_property
    def folded(self) -> str:
        """The text in lower case, with each character at its place."""
        text = self.text
        if not text.isascii():
            for letter, same in _SAME_LETTERS.items():
                text = text.replace(letter, same)
        return text.lower()

    @cached_property
    def _folded_bytes(self) -> bytes:
        # Bytes are searched three times as fast as text with other letters than ASCII.
        return self.folded.encode("utf-8", "surrogatepass")

    def rule_out(self, hints: WordGroups) -> None:
        """Note which of many hints are not in the text."""
        self._hints.update(dict.fromkeys(hints.not_in(self._folded_bytes), False))

    def lacks(self, hint: str) -> bool:
        """Return whether a hint is known not to be in the text."""
        return self._hints.get(hint) is False

    def contains(self, hint: str) -> bool:
        """Return whether a hint is in the text."""
        if hint not in self._hints:
            self._hints[hint] = hint.encode() in self._folded_bytes
        return self._hints[hint]

    @cached_property
    def long_words(self) -> list[tuple[int, int]]:
        """The beginnings and ends of words that may be issued keys."""
        found, end = list[tuple[int, int]](), 0
        for word in [each for each in self.text.split() if len(each) >= SHORTEST_WORD]:
            start = self.text.index(word, end)
            end = start + len(word)
            found.append((start, end))
        return found

    def matches(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        """Yield the matches from left to right; none overlaps another."""
        return self._matches_at_starts(rule) if rule.spaced else self._matches_in_words(rule)

    def _matches_in_words(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        for start, end in self.long_words:
            if end - start < rule.shortest:
                continue
            word = self.folded[start:end]
            if any(hint in word for hint in rule.hints):
                yield from rule.regex.finditer(self.text, start, end)

    def _matches_at_starts(self, rule: SecretRule) -> Iterator[re.Match[str]]:
        end = 0
        for start in self._starts_of(rule):
            if start >= end and (found := rule.regex.match(self.text, start)):
                end = found.end()
                yield found

    def _starts_of(self, rule: SecretRule) -> list[int]:
        key = (rule.core, rule.opening, rule.hints, rule.before)
        if key not in self._starts:
            self._starts[key] = list(self._find_starts(rule))
        return self._starts[key]

    def _find_starts(self, rule: SecretRule) -> Iterator[int]:
        for first, last in _joined(self._stretches(rule)):
            if rule.opening:
                yield from self._found(_compiled(rule.opening), first, last)
            else:
                yield from range(first, last + 1)

    def _stretches(self, rule: SecretRule) -> Iterator[tuple[int, int]]:
        """Yield the first and the last place of each stretch where a match may begin."""
        if rule.core:
            for place in self._cores(rule.core, rule.hints):
                yield max(0, place - rule.before), place
        else:
            yield from self._near_hints(rule.hints, rule.before)

    def _cores(self, core: str, hints: Sequence[str]) -> list[int]:
        if (core, hints) not in self._starts:
            stretches = _joined(self._near_hints(hints, _INSIDE_CORE))
            found = (self._found(_compiled(core), first, last) for first, last in stretches)
            self._starts[core, hints] = list(chain.from_iterable(found))
        return self._starts[core, hints]

    def _near_hints(self, hints: Sequence[str], before: int) -> Iterator[tuple[int, int]]:
        for hint in filter(self.contains, hints):
            for place in self._places(hint):
                yield max(0, place - before), place + len(hint)

    def _found(self, pattern: re.Pattern[str], first: int, last: int) -> Iterator[int]:
        """Yield where a core or an opening begins between two places."""
        stop = last + _BEHIND_HINT
        found = pattern.search(self.text, first, stop)
        while found and found.start() <= last:
            yield found.start()
            found = pattern.search(self.text, found.start() + 1, stop)

    def _places(self, hint: str) -> Iterator[int]:
        place = self.folded.find(hint)
        while place >= 0:
            yield place
            place = self.folded.find(hint, place + 1)


def _joined(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return stretches from left to right, with those that touch joined."""
    joined = list[tuple[int, int]]()
    for first, last in sorted(stretches):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(last, joined[-1][1]))
        else:
            joined.append((first, last))
    return joined


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)

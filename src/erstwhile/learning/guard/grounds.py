"""What a candidate claims, taken apart, and what lines of a turn say, to find it there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from erstwhile.core.lockfree_property import cached_property
from erstwhile.core.text import folded
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.guard.dates import says_when, without_dates
from erstwhile.learning.turn import TurnLine
from erstwhile.search.terms import JOINT, is_unspaced, stop_terms, terms

_SHARE = 0.5
"""How many of the plain words must be found,"""
_CLEARLY_MORE = 0.75
"""and how many, at least, of those that the whole turn has."""
_ENOUGH = 4
"""So many words of a script, and a turn can be compared with a content in it."""
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)(?<!\w)[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w'’-]*", re.MULTILINE)
_IDENTIFIER = re.compile(
    # In ASCII: 车停在B2层 holds one, and is none.
    r"(?<!\w)(?=[\w.@/-]*[A-Za-z])[\w.@+#/-]*[\d@_#][\w.@+#/-]*(?<=\w)",
    re.ASCII,
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_MULTIPLES = (("k", "000"), ("万", "0000"))
_GERMAN = re.compile(r"\b(?:der|die|das|und|ist|ein|eine|nicht|mag|wohnt|arbeitet|heißt)\b")
"""Where every noun has a capital letter, one makes no name."""
_SPEAKERS = (
    "user", "assistant", "team", "i", "用户", "助手", "团队", "我", "ユーザー", "사용자는",
    "사용자", "пользователь", "usuario", "usuária", "utilisateur", "benutzer", "nutzer", "utente",
)  # fmt: skip
"""Whoever speaks is not named by what they say."""
_GENERAL = (
    "prefers", "likes", "loves", "wants", "uses", "lives", "works", "called", "named", "name",
    "favourite", "favorite", "enjoys", "dislikes", "hates", "needs", "plans", "says", "owns",
    "currently", "longer", "switched", "moved", "asks", "instead",
    "喜欢", "偏好", "使用", "名字", "职业", "住在", "工作", "想要", "讨厌", "需要", "要求", "不再",
    "希望", "被称为", "目前", "现在", "叫", "用", "的", "是",
)  # fmt: skip
"""Words that extractors put in by themselves: not asked for, but they show who said more."""
_UNSPACED_SPEAKERS = tuple(word for word in _SPEAKERS if is_unspaced(word))
_UNSPACED_GENERAL = tuple(word for word in _GENERAL if not word.isascii())
_NUMERALS = {
    word: str(number)
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "零 一 二 三 四 五 六 七 八 九 十 十一 十二",
    )
    for number, word in enumerate(words.split())
} | {"两": "2", "dozen": "12", "once": "1", "twice": "2", "a": "1", "an": "1"}


@dataclass(frozen=True)
class TurnText:
    """Lines of a turn."""

    text: str

    @classmethod
    def of(cls, lines: Iterable[TurnLine], names: Sequence[str]) -> TurnText:
        """`names` are known without being said."""
        return cls("\n".join((*(line.text for line in lines), *names)))

    @cached_property
    def beginnings(self) -> frozenset[str]:
        return frozenset(part for term in terms(self.text) for part in _beginnings(term))

    @cached_property
    def numbers(self) -> frozenset[str]:
        plain = _THOUSANDS.sub("", folded(self.text))
        found = {
            part for each in _NUMBER.findall(plain) for part in (each, *re.split("[.,:]", each))
        }
        for sign, zeros in _MULTIPLES:
            found |= {f"{each}{zeros}" for each in re.findall(rf"(\d+) ?{sign}", plain)}
        words = {*plain.split(), *(each for each in plain if is_unspaced(each))}
        return frozenset(found | {_NUMERALS[word] for word in words if word in _NUMERALS})

    def has(self, word: str) -> bool:
        """The word, or one that only ends otherwise."""
        return not self.beginnings.isdisjoint(_beginnings(word))

    def share(self, run: str) -> float:
        """How many characters of a run without spaces stand beside the same neighbour here."""
        if len(run) == 1:
            return float(run in self.beginnings)
        pairs = [run[at : at + 2] in self.beginnings for at in range(len(run) - 1)]
        beside = zip((False, *pairs), (*pairs, False), strict=True)
        return sum(before or after for before, after in beside) / len(run)

    def names(self, name: str) -> bool:
        return all(
            self.share(run) == 1 if is_unspaced(run) else all(map(self.has, _plain(terms(run))))
            for run in _runs(folded(name))
        )

    @cached_property
    def scripts(self) -> frozenset[bool]:
        """Whether there is enough text with spaces (False) and without (True) to compare with."""
        plain = [term for term in _plain(terms(self.text)) if len(term) > 1]
        without = sum(map(is_unspaced, plain))
        counts = {True: without, False: len(plain) - without}
        return frozenset(script for script, count in counts.items() if count >= _ENOUGH)


@dataclass(frozen=True)
class CandidateContent:
    """A candidate's names, and its text without them."""

    text: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, candidate: Candidate) -> CandidateContent:
        ends = (end for each in candidate.relations for end in (each.subject, each.object))
        labels = [
            name
            for name in (*candidate.entities, *ends)
            if name != name.lower() or is_unspaced(name)
        ]
        capitals = (
            [] if _GERMAN.search(candidate.text) else _NAME.findall(without_dates(candidate.text))
        )
        names = (*labels, *capitals, *_IDENTIFIER.findall(without_dates(candidate.text)))
        kept = (name for name in names if folded(name) not in _SPEAKERS)
        return cls(candidate.text, tuple(dict.fromkeys(kept)))

    def is_said_by(self, said: TurnText, *, among: TurnText) -> bool:
        """Whether lines suffice for it; `among` are all lines of the turn."""
        if [*self.missing_in(said)]:
            return False
        found, asked = self._found(said, general=False)
        if asked and found / asked < _SHARE:
            return False
        return self._found(said)[0] >= _CLEARLY_MORE * self._found(among)[0]

    def is_drawn_from(self, said: TurnText) -> bool:
        """Whether who says it may have it from these lines, and puts it in other words."""
        found, asked = self._found(said)
        return found >= _SHARE * asked and not [*self.missing_in(said)]

    def is_comparable(self, said: TurnText) -> bool:
        """Whether the turn has text in the script of the content, or names that tell enough."""
        scripts = {is_unspaced(run) for run in _runs(self.text) if _plain(terms(run))}
        return bool(self.names) or not scripts or bool(scripts & said.scripts) or not said.scripts

    def touches(self, said: TurnText) -> bool:
        """Whether a line has to do with it."""
        return any(map(said.names, self.names)) or self._found(said, general=False)[0] > 0

    def missing_in(self, said: TurnText) -> Iterator[str]:
        """The names and numbers that are not said; dates may be worked out from other words."""
        yield from (name for name in self.names if not said.names(name))
        text = without_dates(self.text) if says_when(said.text) else self.text
        for number in _NUMBER.findall(_THOUSANDS.sub("", folded(text))):
            if number not in said.numbers:
                yield number

    def _found(self, said: TurnText, *, general: bool = True) -> tuple[float, float]:
        """How many of its words are said, and how many there are in scripts that the lines have."""
        found = asked = 0.0
        for run in _runs(self._words(general=general)):
            if is_unspaced(run):
                share, count = said.share(run), len(run) / 2
            else:
                words = self._spaced(run, general=general)
                share, count = (sum(map(said.has, words)) / (len(words) or 1), len(words))
            if is_unspaced(run) in said.scripts or share:
                found, asked = found + share * count, asked + count
        return found, asked

    def _words(self, *, general: bool) -> str:
        text = _NUMBER.sub(" ", without_dates(self.text))
        for word in (*_UNSPACED_SPEAKERS, *(() if general else _UNSPACED_GENERAL)):
            text = text.replace(word, " ")
        return text

    def _spaced(self, run: str, *, general: bool) -> list[str]:
        named = {term for name in self.names for term in terms(name)}
        left_out = stop_terms() | _terms_of(_SPEAKERS) | named
        if not general:
            left_out |= _terms_of(_GENERAL)
        return [term for term in dict.fromkeys(_plain(terms(run))) if term not in left_out]


@cache
def _terms_of(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(terms(" ".join(word for word in words if not is_unspaced(word))))


def _runs(text: str) -> Iterator[str]:
    """Stretches of text with spaces, and without."""
    for unspaced, run in groupby(text, is_unspaced):
        piece = "".join(run)
        if unspaced or piece.strip():
            yield piece


def _plain(words: Iterable[str]) -> list[str]:
    """Without the compounds, whose parts are there too."""
    return [word for word in words if JOINT not in word]


def _beginnings(word: str) -> Iterator[str]:
    """A word, and it without an ending."""
    yield word
    shortest = 5 if word.isascii() else 3
    if word.isalpha() and not is_unspaced(word):
        yield from (word[:end] for end in range(max(shortest, len(word) - 2), len(word)))

"""Prepare the text of a turn and the content of a candidate, to find the content in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby

from erstwhile.core.fork_safety import cached_property
from erstwhile.core.text import folded
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.turn import TurnLine
from erstwhile.search.terms import JOINT, is_unspaced, stop_terms, terms

_SHARE = 0.5
"""The share of plain words that must be found."""
_CLEARLY_MORE = 0.75
"""The share of the words found in the whole turn that a group of lines must have."""
_ENOUGH = 4
"""The number of words in a script that makes a turn comparable in it."""
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)(?<!\w)[A-ZÀ-ÖØ-ÞА-ЯΑ-Ω][\w'’-]*", re.MULTILINE)
_IDENTIFIER = re.compile(
    # ASCII only: 车停在B2层 contains the identifier B2, but is not an identifier as a whole.
    r"(?<!\w)(?=[\w.@/-]*[A-Za-z])[\w.@+#/-]*[\d@_#][\w.@+#/-]*(?<=\w)",
    re.ASCII,
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_MULTIPLES = (("k", "000"), ("万", "0000"))
_GERMAN = re.compile(r"\b(?:der|die|das|und|ist|ein|eine|nicht|mag|wohnt|arbeitet|heißt)\b")
"""German words. German nouns have a capital letter, so capitals do not show names."""
_SPEAKERS = (
    "user", "assistant", "team", "i", "用户", "助手", "团队", "我", "ユーザー", "사용자는",
    "사용자", "пользователь", "usuario", "usuária", "utilisateur", "benutzer", "nutzer", "utente",
)  # fmt: skip
"""Words for the speakers, which extractors add."""
_GENERAL = (
    "prefers", "likes", "loves", "wants", "uses", "lives", "works", "called", "named", "name",
    "favourite", "favorite", "enjoys", "dislikes", "hates", "needs", "plans", "says", "owns",
    "currently", "longer", "switched", "moved", "asks", "instead",
    "喜欢", "偏好", "使用", "名字", "职业", "住在", "工作", "想要", "讨厌", "需要", "要求", "不再",
    "希望", "被称为", "目前", "现在", "叫", "用", "的", "是",
)  # fmt: skip
"""Words that extractors add. They need not be found, but count when groups are compared."""
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
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_DAY_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    r"\d{4}-\d{2}(?:-\d{2})?(?:T[\d:.]+Z?)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
    rf"|\b(?:{_DAY},? )?(?:{_DAY_NUMBER} (?:of )?)?{_MONTH}(?: {_DAY_NUMBER})?(?:,? \d{{4}})?\b"
    rf"|\b{_DAY}\b|\b(?:19|20)\d\d\b"
    r"|\d{2,4}年(?:\d{1,2}月)?(?:\d{1,2}[日号])?|\d{1,2}月(?:\d{1,2}[日号])?|(?:星期|周)[一二三四五六日天]",
    re.IGNORECASE,
)
_WHEN = re.compile(
    rf"\b(?:{_MONTH}|{_DAY}|to(?:day|morrow|night)|yesterday|(?:last|next|this|past|coming|previous)"
    r" (?:week|month|year|weekend|spring|summer|autumn|fall|winter|night|quarter|\w{3,9}day)"
    r"|ago|since|(?:in|for|within|after) (?:an?|\d{1,4}|\w{3,6}) (?:day|week|month|year)s?"
    r"|ayer|hoy|manana|mañana|hier|demain|gestern|heute|morgen|ontem|hoje|вчера|сегодня|завтра)\b"
    r"|\d[./-]\d|今[天年日晚早]|昨[天日晚]|明[天年日]|去年|前[天年]|后天|上(?:个)?(?:周|月|星期)"
    r"|下(?:个)?(?:周|月|星期)|[年月日号周]前|月|星期|周[一二三四五六日末]|来年|先週|来週|昨日|어제|오늘|내일|지난|다음",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class TurnText:
    """The text of some lines of a turn."""

    text: str

    @classmethod
    def of(cls, lines: Iterable[TurnLine], names: Sequence[str]) -> TurnText:
        """Return the text of lines; `names` count as part of it."""
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
        """Return whether the text has the word, perhaps with another ending."""
        return not self.beginnings.isdisjoint(_beginnings(word))

    def share(self, run: str) -> float:
        """Return the share of characters of an unspaced run that have the same neighbour here."""
        if len(run) == 1:
            return float(run in self.beginnings)
        pairs = [run[at : at + 2] in self.beginnings for at in range(len(run) - 1)]
        beside = zip((False, *pairs), (*pairs, False), strict=True)
        return sum(before or after for before, after in beside) / len(run)

    def names(self, name: str) -> bool:
        """Return whether the text contains a name."""
        return all(
            self.share(run) == 1 if is_unspaced(run) else all(map(self.has, _plain(terms(run))))
            for run in _runs(folded(name))
        )

    @cached_property
    def scripts(self) -> frozenset[bool]:
        """Return the scripts with enough text to compare: spaced (False), unspaced (True)."""
        plain = [term for term in _plain(terms(self.text)) if len(term) > 1]
        without = sum(map(is_unspaced, plain))
        counts = {True: without, False: len(plain) - without}
        return frozenset(script for script, count in counts.items() if count >= _ENOUGH)


@dataclass(frozen=True)
class CandidateContent:
    """The text and the names of a candidate."""

    text: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, candidate: Candidate) -> CandidateContent:
        """Return the content of a candidate."""
        ends = (end for each in candidate.relations for end in (each.subject, each.object))
        labels = [
            name
            for name in (*candidate.entities, *ends)
            if name != name.lower() or is_unspaced(name)
        ]
        capitals = (
            [] if _GERMAN.search(candidate.text) else _NAME.findall(_without_dates(candidate.text))
        )
        names = (*labels, *capitals, *_IDENTIFIER.findall(_without_dates(candidate.text)))
        kept = (name for name in names if folded(name) not in _SPEAKERS)
        return cls(candidate.text, tuple(dict.fromkeys(kept)))

    def is_said_by(self, turn_text: TurnText, *, among: TurnText) -> bool:
        """Return whether these lines contain the candidate; `among` are all lines of the turn."""
        if [*self.missing_in(turn_text)]:
            return False
        found, expected = self._found(turn_text, general=False)
        if expected and found / expected < _SHARE:
            return False
        return self._found(turn_text)[0] >= _CLEARLY_MORE * self._found(among)[0]

    def is_drawn_from(self, turn_text: TurnText) -> bool:
        """Return whether it may be a paraphrase of these lines."""
        found, expected = self._found(turn_text)
        return found >= _SHARE * expected and not [*self.missing_in(turn_text)]

    def is_comparable(self, turn_text: TurnText) -> bool:
        """Return whether the turn has text in the same script, or the content has names."""
        scripts = {is_unspaced(run) for run in _runs(self.text) if _plain(terms(run))}
        return (
            bool(self.names)
            or not scripts
            or bool(scripts & turn_text.scripts)
            or not turn_text.scripts
        )

    def touches(self, turn_text: TurnText) -> bool:
        """Return whether a line contains any part of the candidate."""
        return any(map(turn_text.names, self.names)) or self._found(turn_text, general=False)[0] > 0

    def missing_in(self, turn_text: TurnText) -> Iterator[str]:
        """Yield the names and numbers that are missing; a date may be computed from other words."""
        yield from (name for name in self.names if not turn_text.names(name))
        text = _without_dates(self.text) if _says_when(turn_text.text) else self.text
        for number in _NUMBER.findall(_THOUSANDS.sub("", folded(text))):
            if number not in turn_text.numbers:
                yield number

    def _found(self, turn_text: TurnText, *, general: bool = True) -> tuple[float, float]:
        """Return how many words are found, and how many words are in a script of the lines."""
        found = expected = 0.0
        for run in _runs(self._words(general=general)):
            if is_unspaced(run):
                share, count = turn_text.share(run), len(run) / 2
            else:
                words = self._spaced(run, general=general)
                share, count = (sum(map(turn_text.has, words)) / (len(words) or 1), len(words))
            if is_unspaced(run) in turn_text.scripts or share:
                found, expected = found + share * count, expected + count
        return found, expected

    def _words(self, *, general: bool) -> str:
        text = _NUMBER.sub(" ", _without_dates(self.text))
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
    """Yield the runs of a text that are in spaced and in unspaced scripts."""
    for unspaced, run in groupby(text, is_unspaced):
        piece = "".join(run)
        if unspaced or piece.strip():
            yield piece


def _plain(words: Iterable[str]) -> list[str]:
    """Return the words without compounds, because their parts are in the list too."""
    return [word for word in words if JOINT not in word]


def _beginnings(word: str) -> Iterator[str]:
    """Yield a word, and the word without an ending."""
    yield word
    shortest = 5 if word.isascii() else 3
    if word.isalpha() and not is_unspaced(word):
        yield from (word[:end] for end in range(max(shortest, len(word) - 2), len(word)))


def _says_when(text: str) -> bool:
    """Return whether a date may have been computed from words of the text."""
    return _WHEN.search(text) is not None


def _without_dates(text: str) -> str:
    """Return the text with a space in place of each date."""
    return _DATE.sub(" ", text)

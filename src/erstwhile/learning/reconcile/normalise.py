"""Normalise a text: write numbers, dates and phrases for attributes as one token each.

`#30s` is a number with its unit, `@m3d14` a date, and `⟨home⟩` "lives in", "moved to" or 住在.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from erstwhile.learning.reconcile.words import VALUE, any_of, listed, phrases, words

_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_ALONE = r"(?<![a-z0-9_.+/@#:-])"
_ENDS = r"(?![a-z0-9_/@:-]|\.[0-9a-z])"
_NUMBER = r"\d+(?:\.\d+)*"
_NEW_FIRST = r"use \2 instead of \1"
_A_DESCRIPTION = r"(?! ?(?:#1 ?)?[个位名家种])(?![^,。]*的[。!]?$)"
"""A guard that fails before 个好人 and 满的, which describe a thing and do not name it."""
_HALF_DAYS = {"下午": 12, "晚上": 12, "pm": 12}


_DATES = (
    (r"@may\b", " @m5 "),
    (r"(@m\d+) (\d{1,2})(?:st|nd|rd|th)?(?![\d:]|\.\d)", r"\1d\2"),
    (r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)? (@m\d+)", r"\2d\1"),
    (r"(\d{1,2})月(\d{1,2})[日号]", r" @m\1d\2 "),
    (r"(\d{1,2})月(?!份?前)", r" @m\1 "),
    (r"(\d{4})年", r" @y\1 "),
    (rf"{_ALONE}(\d{{4}})-(\d\d)-(\d\d){_ENDS}", r" @\1-\2-\3 "),
    (r"\b(in|since|until|by|from|of) ((?:19|20)\d\d)\b(?![:-]|\.\d)", r"\1 @y\2"),
)
"""Days, months and years; names of months are tokens already."""


class Rewrite(NamedTuple):
    """A pattern and its replacement."""

    pattern: re.Pattern[str]
    replacement: str | Callable[[re.Match[str]], str]


def with_values_marked(text: str) -> str:
    """Return the text in lower case with tokens for numbers and times, and with usual phrases."""
    plain = unicodedata.normalize("NFKC", text).replace("’", "'")
    # "May" is the only month that is another word in lower case.
    plain = re.sub(r"\bMay\b", "@may", plain).lower()
    return _rewritten(plain, _value_steps())


def with_phrases_marked(plain: str) -> str:
    """Return a normalised text with tokens for phrases that name an attribute."""
    return _rewritten(plain, _phrase_steps())


def _rewritten(plain: str, steps: Sequence[Rewrite]) -> str:
    for step in steps:
        plain = " ".join(step.pattern.sub(step.replacement, plain).split())
    return plain


@cache
def _value_steps() -> tuple[Rewrite, ...]:
    return (*_rewriting(), *_calendar(), *_quantities())


def _rewriting() -> list[Rewrite]:
    """Return rewrites of contractions, possessives, spellings and phrases with the old value."""
    given = [
        (r"\bcannot\b", "can not"),
        (r"\bcan't\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"'s?(?![a-z])", " "),
        (r"\b(?:switched|migrated|changed)(?: over)? from (.+?) to ([^,.;]+)", _NEW_FIRST),
        (rf"\bmoved from (.+?) to ({_places()})", r"moved to \2 instead of \1"),
        (r"\bmoved from (.+?) to ([^,.;]+)", _NEW_FIRST),
        (r"\b(prefers?) (?!to )([^,.;]+?) (?:to|over) (?=\w)", r"\1 \2 instead of "),
        (r"\bnot (?:like|love|enjoy)\b", "not likes"),
        (r"^(?:the )?([\w -]{1,80}?) of (?:the )?([\w -]{1,80}?) (is|are) ", r"\2 \1 \3 "),
        (r"从([^,。]{1,80}?)(?:换|改|切换|迁移|转)[成到为用了]+([^,。]+)", r"用\2而不是\1"),
        (r"从([^,。]{1,80}?)搬[到去]了?([^,。]+)", r"搬到\2而不是\1"),
        (r"([搬换改])([到去成用])了", r"\1\2"),
        (r"(不[^,。]{0,80})了(?=[。!]?$)", r"现在\1"),
    ]  # fmt: skip
    spelled = {name.replace("-", " "): same for name, same in words()["spelling"].items()}
    usual = Rewrite(re.compile(any_of(spelled)), lambda found: spelled[found[0]])
    return [*_steps(given), usual, Rewrite(phrases("whole"), r" ⟪\g<0>⟫ ")]


def _steps(given: Iterable[tuple[str, str]]) -> Iterator[Rewrite]:
    return (Rewrite(re.compile(pattern), written) for pattern, written in given)


def _places() -> str:
    return any_of(listed("place", "cities") + listed("place", "wide"))


def _calendar() -> list[Rewrite]:
    """Return rewrites of weekdays, months, days, years and times of day."""
    days = [
        _listed_as(f" @w{at} ", names) for at, names in enumerate(listed("calendar", "weekdays"))
    ]
    months = [
        _listed_as(f" @m{at} ", names) for at, names in enumerate(listed("calendar", "months"), 1)
    ]
    thousands = Rewrite(re.compile(r"(\d),(?=\d{3}\b)"), r"\1")
    return [thousands, _chinese_numbers(), *days, *months, *_steps(_DATES), *_times()]


def _listed_as(token: str, names: list[str]) -> Rewrite:
    return Rewrite(re.compile(any_of(names)), token)


def _times() -> list[Rewrite]:
    english = rf"{_ALONE}(\d{{1,2}})(?::(\d\d))? ?(am|pm)\b"
    chinese = r"(上午|早上|下午|晚上|中午)?(\d{1,2})[点:](\d\d|半)?分?"
    return [
        Rewrite(re.compile(english), lambda found: _time(found[1], found[2], found[3])),
        Rewrite(re.compile(chinese), lambda found: _time(found[2], found[3], found[1])),
    ]


def _time(hour: str, minute: str | None, half_day: str | None) -> str:
    minutes = 30 if minute == "半" else int(minute or 0)
    later = _HALF_DAYS.get(half_day or "", 0) if int(hour) < 12 else 0
    return f" @{int(hour) + later:02}:{minutes:02} "


def _chinese_numbers() -> Rewrite:
    counters = words()["number"]["counters"]
    digits = "〇零一二两三四五六七八九十"
    pattern = rf"(?<![周期拜{digits}])([{digits}]++)(?=[{counters}]|分钟|小时|秒)"
    return Rewrite(re.compile(pattern), lambda found: str(_chinese_number(found[1])))


def _chinese_number(written: str) -> int:
    """Return a Chinese number up to 99; larger ones are written in digits."""
    tens, ten, ones = written.rpartition("十")
    if not ten:
        return int("".join(str(_DIGITS[sign]) for sign in written))
    return 10 * (_DIGITS.get(tens, 1)) + _DIGITS.get(ones, 0)


def _quantities() -> list[Rewrite]:
    """Return rewrites of numbers with their units; "v1.2" is 1.2."""
    spelled = {name: f"{value}" for value, name in enumerate(listed("number", "words"))}
    units = {name: unit for unit, names in words()["unit"].items() for name in names}
    of_unit = "|".join(re.escape(name) for name in sorted(units, key=len, reverse=True))
    with_unit = rf"{_ALONE}({_NUMBER})[ -]?({of_unit})(?![a-z0-9_])"
    return [
        Rewrite(re.compile(any_of(spelled)), lambda found: spelled[found[0]]),
        Rewrite(re.compile(rf"([$€¥]) ?({_NUMBER})"), r" #\2\1 "),
        Rewrite(re.compile(with_unit), lambda found: f" #{found[1]}{units[found[2]]} "),
        Rewrite(re.compile(rf"{_ALONE}v?({_NUMBER}){_ENDS}"), r" #\1 "),
    ]


@cache
def _phrase_steps() -> tuple[Rewrite, ...]:
    moved = re.compile(rf"\b(?:has )?(?:moved?|moving) to (?={_places()})")
    steps = [*_roles(), Rewrite(moved, " ⟨home⟩ ")]
    for group in ("attribute", "doubtful", "measure"):
        for name, given in words()[group].items():
            steps += [_phrase(name, phrase) for phrase in sorted(given, key=len, reverse=True)]
    opinions = ("prefer", "avoid", "dislike", "like")
    return (*steps, *(Rewrite(phrases("opinion", name), f" ⟨{name}⟩ ") for name in opinions))


def _phrase(name: str, phrase: str) -> Rewrite:
    before, value, after = phrase.partition(VALUE)
    if not value:
        return Rewrite(re.compile(any_of([phrase])), f" ⟨{name}⟩ ")
    if not before:
        return Rewrite(re.compile(rf"(#\S{{1,40}}) ?{re.escape(after)}"), rf" ⟨{name}⟩ \1 ")
    if not after:
        return Rewrite(re.compile(any_of([before.strip()]) + r" ?(?=[#@])"), f" ⟨{name}⟩ ")
    # A subject that works "on" something is not a person.
    held = rf"{re.escape(before)}([^。,]{{1,80}}?)(?<![上下中里]){re.escape(after)}"
    return Rewrite(re.compile(held), rf" ⟨{name}⟩ \1 ")


def _roles() -> list[Rewrite]:
    """Return rewrites of "is" after a role: "the deploy region is …", not "the build is broken"."""
    how = rf"(?! (?:{any_of(listed('role', 'how'))}|\w+(?:ing|ed|[ai]ble|ful|less|ous)\b))"
    chinese = rf"(?:是|为){_A_DESCRIPTION}|叫(?!做)|变成|变为|改为|改成|调整为"
    verb = rf" ?(?:(?:is|are)(?![\w-]){how}|{chinese})"
    noun = r"[^\s。,;.⟨#@]{1,20}(?: [^\s,;.⟨#@]{1,20}){0,2}?"
    of = {
        "one": any_of(listed("role", "plain")),
        "is": any_of(listed("role", "nouns")),
        "only": any_of(listed("role", "unique")) + " ?" + noun,
        "main": any_of(listed("role", "chosen")) + " ?" + noun,
    }
    order = ("only", "one", "main", "is")
    return [Rewrite(re.compile(rf"({of[name]}){verb}"), rf"\1 ⟨{name}⟩ ") for name in order]

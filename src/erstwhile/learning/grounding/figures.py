"""Compare the numbers of two texts, in digits and in words, whatever separates their groups."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from erstwhile.learning.grounding.word_lists import (
    any_of,
    any_word,
    listed,
    numeral_row,
    numerals,
    numerals_elsewhere,
    plain,
)
from erstwhile.search.terms import is_unspaced

_NUMBER = re.compile(r"\d+(?:[.,:'’ ]\d+)*")
_HANGUL = re.compile(r"[\uac00-\ud7af]{2}")
_LETTERS = re.compile(r"[^\W\d_]+")
_HUNDRED, _THOUSAND = 100, 1_000
_MAGNITUDE_WORDS = {"thousands": 1_000, "ten_thousands": 10_000, "millions": 10**6}
_MAGNITUDES = frozenset({_HUNDRED, _THOUSAND})
_SIGN = 3
"""The most letters of a sign for a thousand, or of a word that has another sense, too: "bin"."""
_BETWEEN = re.compile(r"[ -](?:and |und |y |et |e )?")
"""What may stand between the numerals of one number."""
_GROUPS = re.compile(r"(?<=\d)[.,'’ ](?=\d{3}(?:\D|$))")
_AFTERNOON = re.compile(r"(?<!\d)(\d{1,2})(?:[:.]\d\d)? ?p\.?m\b", re.IGNORECASE)
_CLOCK = re.compile(r"(?<![\d.,:])(\d{1,2}) ?(?:[.:h点點时時시]|[Uu]hr) ?([0-5]\d)(?!\d)")
_HALF_PAST = re.compile(r"(\d{1,2}|[一二两三四五六七八九十]{1,3})(?:[点點時]半|시 ?반| ونص| ونصف)")
_ROMAN = re.compile(r"(?<!\w)([IVX]{2,6})(?:e|è|ème|[.ºª])?(?!\w)")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10}
_IDEOGRAPHS = re.compile(r"[〇零一二两三四五六七八九十百千万亿]+")
_COUNT = re.compile(
    r"(?<![一二两三四五六七八九十百千万])((?:一(?=[十百千万]))?[二两三四五六七八九十百千万]++)"
    r"(?:[个個只隻条條岁歳年天次匹人回本台名位杯家点點時元块円]|小时|公里|時間|か月|ヶ月|つ"
    r"|(?<=[一二两三四五六七八九十百千]万))"
)
_DIGITS = {**dict.fromkeys("〇零", 0), "两": 2} | {
    sign: at for at, sign in enumerate("一二三四五六七八九", 1)
}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}


def said_numbers(text: str, language: str = "") -> frozenset[str]:
    """Return every number that a text has, with the parts of dates, times and versions.

    Some numerals count only in a text of their `language`.
    """
    text = _in_ascii_digits(text)
    found = {form for each in _NUMBER.findall(text) for form in _forms(each)}
    found |= {part for each in _NUMBER.findall(text) for part in _parts(each)}
    found |= {str(int(each) % 12 + 12) for each in _AFTERNOON.findall(text)}
    found |= {*_multiplied(text), *_in_words(text), *_in_words_elsewhere(text, language)}
    found |= {str(_ideographic(each)) for each in _IDEOGRAPHS.findall(text)}
    found |= {*_clock_times(text), *(str(_roman(each)) for each in _ROMAN.findall(text))}
    return frozenset(found)


def missing_numbers(text: str, said: frozenset[str]) -> Iterator[str]:
    """Yield the numbers of a text, written in digits, that are not among those that were said."""
    for number in _NUMBER.findall(_without_other_forms(_in_ascii_digits(text), said)):
        if said.isdisjoint(_forms(number)) and not said.issuperset(number.split(" ")):
            yield number


def missing_numerals(text: str, language: str, said: frozenset[str]) -> Iterator[str]:
    """Yield the numerals of a text, from two on, that are not among the numbers that were said.

    Korean has a script of its own, which tells the language.
    """
    row = numeral_row(language)
    if not row:
        row = {word: number for word, number in numerals().items() if _HANGUL.match(word)}
    for word in _LETTERS.findall(plain(text)):
        if row.get(word, 0) > 1 and str(row[word]) not in said:
            yield word


def missing_counts(text: str, said: frozenset[str]) -> Iterator[str]:
    """Yield the ideographic numbers before a counter, from two on, that were not said."""
    for found in _COUNT.finditer(text):
        number = _ideographic(found[1])
        if number > 1 and str(number) not in said:
            yield found[0]


def _in_ascii_digits(text: str) -> str:
    """Return the text with ASCII digits in place of full-width, Arabic and other ones."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(each)) if each.isdecimal() else each for each in text)


def _forms(number: str) -> Iterator[str]:
    """Yield a number in one form per reading: 1.250 is 1250, or one and a quarter."""
    yield _GROUPS.sub("", number).replace(",", ".")
    parts = [part.lstrip("0") or "0" for part in re.split(r"[.,]", number)]
    yield ".".join(parts)
    if ":" in number:
        hour, *rest = [part.lstrip("0") for part in number.split(":")]
        yield ":".join((hour, *rest)) if any(rest) else hour or "0"


def _parts(number: str) -> Iterator[str]:
    yield from (part.lstrip("0") or "0" for part in re.split(r"[.,:'’ ]", number))


def _without_other_forms(text: str, said: frozenset[str]) -> str:
    """Return a text without hours and magnitudes that were said in another form: 17 for 5 pm."""

    def afternoon(match: re.Match[str]) -> str:
        return "" if str(int(match[1]) % 12 + 12) in said else match[0]

    text = _AFTERNOON.sub(afternoon, text)
    for name, magnitude in _MAGNITUDE_WORDS.items():
        for match in _with_magnitude(name).finditer(text.lower()):
            if _product(match[1], magnitude) in said:
                text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text


def _clock_times(text: str) -> Iterator[str]:
    """Yield the hours of a text with their minutes: 18h30 is 18:30, and 四点半 is 4:30."""
    yield from (f"{int(hour)}:{minute}" for hour, minute in _CLOCK.findall(text))
    for hour in _HALF_PAST.findall(text):
        yield f"{int(hour) if hour.isdecimal() else _ideographic(hour)}:30"


def _multiplied(text: str) -> Iterator[str]:
    """Yield numbers with a word for their magnitude, such as 5k, in digits."""
    for name, magnitude in _MAGNITUDE_WORDS.items():
        for number in _with_magnitude(name).findall(text.lower()):
            yield _product(number, magnitude)


def _product(number: str, magnitude: int) -> str:
    return f"{Decimal(number.replace(',', '.')) * magnitude:f}".removesuffix(".0")


@cache
def _with_magnitude(name: str) -> re.Pattern[str]:
    spaced = any_of(word for word in listed(name) if not is_unspaced(word))
    unspaced = any_of(filter(is_unspaced, listed(name))) or "(?!)"
    number = r"(?<![\d.,])(\d{1,12}(?:[.,]\d{1,6})?)"
    return re.compile(rf"{number} ?(?:(?:{spaced or '(?!)'})(?!\w)|{unspaced})")


def _in_words(text: str) -> Iterator[str]:
    """Yield the numerals of a text; "twenty five" is also 25, and "two hundred" 200."""
    run, end, words = list[int](), 0, plain(text)
    for found in _numeral().finditer(words):
        if not _BETWEEN.fullmatch(words, end, found.start()):
            run = []
        number, end = _value(found[0]), found.end()
        tens = run and 20 <= run[-1] < 100 and 0 < number < 10
        run.append(number)
        yield str(number)
        if tens or not _MAGNITUDES.isdisjoint(run):
            yield str(_sum(run))
        if tens and len(run) > 2:
            yield str(run[-2] + number)


def _value(word: str) -> int:
    return numerals().get(word, _THOUSAND)


def _sum(run: list[int]) -> int:
    """Return the number of several numerals: two, hundred and twenty are 220."""
    total = section = 0
    for number in run:
        if number == _THOUSAND:
            total, section = total + (section or 1) * _THOUSAND, 0
        else:
            section = (section or 1) * number if number == _HUNDRED else section + number
    return total + section


def _in_words_elsewhere(text: str, language: str) -> Iterator[str]:
    """Yield the numerals that count only in a text of their language."""
    row = numeral_row(language) if numerals_elsewhere(language) else {}
    words = _LETTERS.findall(plain(text)) if row else ()
    yield from (str(row[word]) for word in words if word in row)


@cache
def _numeral() -> re.Pattern[str]:
    thousands = (word for word in listed("thousands") if len(word) > _SIGN and word.isalpha())
    return re.compile(any_word((*numerals(), *map(plain, thousands))))


def _ideographic(text: str) -> int:
    """Return the number of Chinese and Japanese numerals: 二十三 is 23, 四十万 is 400,000."""
    total = section = digit = 0
    for sign in text:
        if sign in _MYRIADS:
            total, section, digit = total + (section + digit or 1) * _MYRIADS[sign], 0, 0
        elif sign in _UNITS:
            section, digit = section + (digit or 1) * _UNITS[sign], 0
        else:
            digit = _DIGITS.get(sign, 0)
    return total + section + digit


def _roman(text: str) -> int:
    """Return the number of Roman digits: XIX is 19."""
    digits = [_ROMAN_DIGITS[each] for each in text]
    ahead = [*digits[1:], 0]
    return sum(-each if each < after else each for each, after in zip(digits, ahead, strict=True))

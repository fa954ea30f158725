"""Judge whether two statements seem to contradict each other, by their words.

Similar words are not enough: "Ana likes tea" and "Ana likes coffee" are both true. Two statements
contradict each other if they are the same but for

- a negation: "Ana eats meat", "Ana does not eat meat";
- one value, where there is one at a time: "Ana lives in Lisbon", "Ana lives in Porto";
- one number, date or time of a state: "Ana has two sons", "Ana has three sons".

In doubt they do not: a false alarm costs more than a miss. What happened once may happen again, and
the words before the value must name one thing: "a friend" may be another friend.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from erstwhile.search.terms import terms

_MAX_WORDS = 40
"""The most words of a statement that is compared."""
_MAX_VALUE = 5
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af"
)
_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+(?:[.,:/@+'’-][^\W{_UNSPACED}]+)*")
_NOT = re.compile(r"(?<=\w)n['’]t\b")
_POSSESSIVE = re.compile(r"['’]s?(?!\w)")
_FIGURE = re.compile(r"[#v]?\d[\d.,:/-]*\w{0,2}")
_YEAR = re.compile(r"(?:19|20)\d\d")
_TIME = re.compile(r"\d{1,2}:\d\d|\d{4}-\d\d?-\d\d?")
_NEAR = 3
"""The most words between the verb of a state and its number."""


class _Word(NamedTuple):
    """A word as it is written, and its stem."""

    written: str
    stem: str

    @property
    def is_name(self) -> bool:
        """Whether it may be a name: it has a capital letter, or a script without them."""
        return not self.written[0].islower() and not self.written[0].isdigit()


def contradict(first: str, second: str) -> bool:
    """Return whether two statements seem to contradict each other."""
    one, other = _words(first), _words(second)
    if not one or not other or max(len(one), len(other)) > _MAX_WORDS:
        return False
    if first.rstrip().endswith("?") or second.rstrip().endswith("?"):
        return False
    return _negate(one, other) or _differ_in_value(one, other)


def _negate(one: Sequence[_Word], other: Sequence[_Word]) -> bool:
    """Return whether the statements are the same but for a negation."""
    negations, ends = word_list("negations"), word_list("ends")

    def parts(words: Sequence[_Word]) -> tuple[list[str], bool]:
        said = [word.stem for word in words]
        denied = not negations.isdisjoint(said)
        ignored = negations | ends | word_list("indefinite") if denied else word_list("indefinite")
        return [each for each in said if each not in ignored], denied

    (said, denied), (said_too, denied_too) = parts(one), parts(other)
    return denied != denied_too and said == said_too and len(said) > 1 and _is_of_one(one)


def _differ_in_value(one: Sequence[_Word], other: Sequence[_Word]) -> bool:
    """Return whether the statements are the same but for one value that excludes the other."""
    frame = [*takewhile(lambda pair: pair[0].stem == pair[1].stem, zip(one, other, strict=False))]
    before = [word for word, _ in frame]
    rest, rest_too = one[len(before) :], other[len(before) :]
    ending = takewhile(
        lambda pair: pair[0].stem == pair[1].stem, zip(rest[::-1], rest_too[::-1], strict=False)
    )
    after = [word for word, _ in ending][::-1]
    value, value_too = rest[: len(rest) - len(after)], rest_too[: len(rest_too) - len(after)]
    if not 0 < min(len(value), len(value_too)) <= max(len(value), len(value_too)) <= _MAX_VALUE:
        return False
    if not _is_of_one(before) or _happened(before) or _refines(value, value_too):
        return False
    values = (value, value_too)
    if all(all(map(_is_figure, each)) for each in values):
        measured = _is_measured(before, values, after)
        return measured or _is_role(before) or _is_single(before, after)
    if all(map(_is_named, values)):
        return _is_role(before) or _is_only(before) or _is_single(before, after)
    return _is_only(before) and not any(each[0].is_name for each in values)


def _is_of_one(before: Sequence[_Word]) -> bool:
    """Return whether the subject means one and the same thing in both statements."""
    said = [word.stem for word in before]
    if not said or said[0] in word_list("indefinite") or said[0] in word_list("pronouns"):
        return False
    return word_list("several").isdisjoint(said)


def _happened(before: Sequence[_Word]) -> bool:
    """Return whether the words describe an event, which may happen again with another value."""
    if any(word.stem == "born" for word in before):
        return False
    past, states = word_list("happened"), word_list("not_happened")
    return any(
        word.stem in past or (word.written.endswith("ed") and word.stem not in states)
        for word in before
    )


def _refines(value: Sequence[_Word], other: Sequence[_Word]) -> bool:
    """Return whether one value may be a part of the other, such as a city of its country."""
    stems, others = {word.stem for word in value}, {word.stem for word in other}
    content, content_too = stems - word_list("between"), others - word_list("between")
    if content <= content_too or content_too <= content:
        return True
    regions = word_list("regions")
    return bool(stems & regions) != bool(others & regions)


def _is_figure(word: _Word) -> bool:
    return word.stem in word_list("numbers") | word_list("months") or bool(
        _FIGURE.fullmatch(word.written)
    )


def _is_named(value: Sequence[_Word]) -> bool:
    return value[0].is_name and word_list("nations").isdisjoint(word.stem for word in value)


def _is_role(before: Sequence[_Word]) -> bool:
    """Return whether the words before a value end with a role, as in "birthday is"."""
    *subject, verb = [word.stem for word in before]
    return verb in word_list("states") and bool(subject) and subject[-1] in word_list("roles")


def _is_only(before: Sequence[_Word]) -> bool:
    """Return whether the words before a value end as in "favourite colour is"."""
    *subject, verb = [word.stem for word in before]
    return verb in word_list("states") and not word_list("only").isdisjoint(subject[-2:-1])


def _is_single(before: Sequence[_Word], after: Sequence[_Word]) -> bool:
    """Return whether a phrase before or after a value says that there is one at a time."""
    said, following = tuple(word.stem for word in before), tuple(word.stem for word in after)
    return any(said[-len(phrase) :] == phrase for phrase in _phrases("before")) or any(
        following[: len(phrase)] == phrase for phrase in _phrases("after")
    )


def _is_measured(
    before: Sequence[_Word], values: Sequence[Sequence[_Word]], after: Sequence[_Word]
) -> bool:
    """Return whether a number belongs to a state: its verb is shortly before it."""
    said = [word.stem for word in before]
    months, states = word_list("months"), word_list("states")
    places = [at for at, stem in enumerate(said) if stem in states]
    if not places or any(_YEAR.fullmatch(each[-1].written) for each in values):
        return False
    nearby = said[places[-1] + 1 :]
    words = [word.written for value in values for word in value]
    is_date = any(_TIME.fullmatch(word) or word.casefold() in months for word in words)
    if is_date or (after and after[0].stem in months):
        at_a_time = said[places[-1]] in word_list("starts")
        return at_a_time and all(stem in word_list("between") for stem in nearby)
    return len(nearby) <= _NEAR and word_list("indefinite").isdisjoint(nearby)


@lru_cache(maxsize=4_096)
def _words(text: str) -> tuple[_Word, ...]:
    """Return the words of a statement that count, with phrases of the same meaning made equal."""
    plain = _POSSESSIVE.sub(" ", _NOT.sub(" not", text))
    found = [_Word(word, _stem(word)) for word in _WORD.findall(plain)]
    words = [word for word in found if word.stem not in word_list("left_out")]
    stems = [word.stem for word in words]
    for phrase, usual in _same().items():
        if phrase[0] not in stems:
            continue
        at = stems.index(phrase[0])
        end = at + len(phrase)
        if tuple(stems[at:end]) == phrase:
            words[at:end], stems[at:end] = [_Word(stem, stem) for stem in usual], usual
    return tuple(words)


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    found = terms(word)
    return found[0 if word.isalnum() else -1] if found else word.casefold()


@cache
def _data() -> Mapping[str, Mapping[str, str | list[str]]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@cache
def word_list(name: str) -> frozenset[str]:
    """Return the stems of a list of words, such as `negations`."""
    return frozenset(map(_stem, str(_data()["words"][name]).split()))


def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(map(_stem, _WORD.findall(phrase)))


@cache
def _phrases(place: str) -> frozenset[tuple[str, ...]]:
    return frozenset(map(_stems, _data()["single"][place]))


@cache
def _same() -> Mapping[tuple[str, ...], tuple[str, ...]]:
    return {_stems(phrase): _stems(str(usual)) for phrase, usual in _data()["same"].items()}

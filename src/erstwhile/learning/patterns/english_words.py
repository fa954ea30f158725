"""The lists of words of `english.toml`, and what they tell about a value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from erstwhile.learning.patterns.statement_rule import Values
from erstwhile.rule_files import read_rules

_WORD = re.compile(r"[\w'-]+")
_PROPER = re.compile(r"`[^`]+`|\b[A-Z][\w+#/&.-]*[\w+#](?:[ -][A-Z0-9][\w+#.-]*)*|\b[A-Z]\b(?!')")
_THAT = re.compile(r"\b(?:to|in|of|with|at|for|on|from|like) that\b", re.IGNORECASE)


@cache
def listed(name: str) -> frozenset[str]:
    """Return one list of words of `english.toml`."""
    return frozenset(read_rules(Path(__file__).with_name("english.toml")).words[name])


def words_of(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def first_word(text: str) -> str:
    return next(iter(words_of(text)), "")


def proper_names(text: str) -> Iterator[str]:
    """Return runs of words with capitals, and texts between backticks."""
    return (found[0].strip("`") for found in _PROPER.finditer(text) if found[0] != "I")


def is_concrete(values: Values) -> bool:
    """Return whether no value refers to another message or to the assistant."""
    texts = [text for name, text in values.items() if name in ("value", "list", "other", "old")]
    return all(_stands(text) for text in texts)


def _stands(text: str) -> bool:
    words = words_of(text)
    pointing = listed("pointing_anywhere").isdisjoint(words) and not _THAT.search(text)
    return words not in ([], ["to"]) and words[0] not in listed("pointing") and pointing


def is_english(sentence: str) -> bool:
    """Return whether a sentence has words that other languages with such letters do not have."""
    return sentence.isascii() and len(listed("english") & set(sentence.lower().split())) > 1


def has_sign(sentence: str, name: str) -> bool:
    """Return whether a sentence has one of the listed words, so that slower rules are worth it."""
    return not listed(name).isdisjoint(_WORD.findall(sentence.lower()))

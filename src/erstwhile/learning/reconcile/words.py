"""The lists of words in `words.toml`, and patterns made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from erstwhile.rule_files import read_rules

VALUE = "{}"
"""The mark in a phrase for the value inside it."""


def words() -> Mapping[str, Any]:
    """Return all lists."""
    return read_rules(Path(__file__).with_name("words.toml")).words


def listed(*path: str) -> list[Any]:
    """Return one list, by its name or by the names on the path to it."""
    found: Any = words()
    for name in path:
        found = found[name]
    return list(found)


@cache
def as_set(*path: str) -> frozenset[str]:
    """Return one list as a set."""
    return frozenset(listed(*path))


def any_of(phrases: Iterable[str]) -> str:
    """Return a pattern for any of the phrases, the longest first; English ones as whole words."""
    longest_first = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(_bounded(phrase) for phrase in longest_first) + ")"


@cache
def phrases(*path: str) -> re.Pattern[str]:
    """Return the compiled pattern for the phrases of one list."""
    return re.compile(any_of(listed(*path)))


def _bounded(phrase: str) -> str:
    escaped = re.escape(phrase)
    return rf"(?<![\w'-]){escaped}(?![\w'-])" if phrase.isascii() else escaped

"""Relevance: how likely a match is no accident, from 0 to 1.

Words and meaning add up to the evidence for a record, which also ranks the records of one answer.
Relevance compares the evidence with that of the best matches of questions that a memory cannot
answer: at 0.5 a match is as likely an answer as an accident. So relevance means the same for every
question, memory and kind of record. The numbers for each embedding model are in `relevance.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any, NamedTuple

STRONG = 0.5
"""The relevance below which a hit is weak. If all hits are weak, nothing is found."""
WEAK = 0.25
"""The lowest relevance of a weak hit beside a strong one."""
_CERTAIN = 1e-4
"""A relevance nearer to 0 or 1 counts as this far from it."""
_SMALL, _LARGE, _LARGEST = 30, 600, 2_500
"""The passages of a small, of a large and of a very large memory. In a small one most words of a
question are unknown, so words say little. The more texts, the better the best of those that are
similar by accident; larger memories than the last were not measured."""


class MemorySize(NamedTuple):
    """The size of the searched memory, from 0 to 1, and how well it knows what a query is about."""

    size: float
    accident: float = 0.0
    """How likely something is similar by accident, from 0 to 1."""
    unknown: float = 0.0
    """The share of the names that occur nowhere."""
    has_subject: bool = False
    """Whether the query is about somebody or something that the memory is about, too."""
    nearest: float = 0.0
    """The nearest meaning that was found."""

    @classmethod
    def of(cls, passages: int, unknown: float, *, has_subject: bool) -> MemorySize:
        """Return the size of a memory with so many passages."""
        size, accident = (
            min(log(max(passages, _SMALL) / _SMALL) / log(most / _SMALL), 1.0)
            for most in (_LARGE, _LARGEST)
        )
        return cls(size, accident ** (4 / 3), unknown, has_subject)


class Calibration(NamedTuple):
    """The numbers of one embedding model, or of words alone."""

    words: tuple[float, float]
    slope: tuple[float, float]
    nearest: tuple[float, float]
    bias: tuple[float, float]
    unknown: tuple[float, float]
    subject: tuple[float, float]

    def at(self, memory: MemorySize) -> Measure:
        """Return the measure of the matches in a memory."""
        size = memory.size
        bias = _between(self.bias, memory.accident) + _between(self.unknown, size) * memory.unknown
        bias -= _between(self.subject, size) * memory.has_subject
        bias -= _between(self.nearest, size) * memory.nearest
        return Measure(_between(self.words, size), _between(self.slope, size), bias)


class Measure(NamedTuple):
    """How much matches count in one memory."""

    words: float
    slope: float
    bias: float

    def evidence(self, words: float, meaning: float | None) -> float:
        """Return the evidence of a share of the query's words and of a meaning."""
        return max(meaning or 0.0, 0.0) + words * self.words

    def relevance(self, evidence: float) -> float:
        """Return the relevance of an evidence."""
        return 1 / (1 + exp(self.bias - self.slope * evidence))


def log_odds(relevance: float) -> float:
    """Return the logarithm of the odds of a relevance, bounded where it is 0 or 1."""
    bounded = min(max(relevance, _CERTAIN), 1 - _CERTAIN)
    return log(bounded / (1 - bounded))


@cache
def calibration(model: str | None) -> Calibration:
    """Return the calibration of a model by its name; None is a search by words alone."""
    known = _file()
    given = known["words"] if model is None else known.get(model, known["other"])
    return Calibration(**{name: tuple(given[name]) for name in Calibration._fields})


def _between(pair: tuple[float, float], size: float) -> float:
    return pair[0] + (pair[1] - pair[0]) * size


@cache
def _file() -> Mapping[str, Any]:
    return tomllib.loads(Path(__file__).with_name("relevance.toml").read_text("utf-8"))

"""The result of comparing a new statement with a known one."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Sense(StrEnum):
    """The relation of a new statement to a known one."""

    SAME = "same"
    CHANGED = "changed"
    """The known statement is no longer true: a single-valued attribute has another value."""
    CONTRADICTS = "contradicts"
    """Both are probably not true together, and nothing shows which one is true."""
    APART = "apart"
    """Both may be true."""


class Comparison(NamedTuple):
    """The relation, and the rule that decided it."""

    sense: Sense
    because: str = ""


APART = Comparison(Sense.APART)
SEVERAL = "the attribute may have several values"
"""The only doubt in which both statements may well be true."""


def same(because: str) -> Comparison:
    return Comparison(Sense.SAME, because)


def changed(because: str) -> Comparison:
    return Comparison(Sense.CHANGED, because)


def contradicts(because: str) -> Comparison:
    return Comparison(Sense.CONTRADICTS, because)


def apart(because: str) -> Comparison:
    return Comparison(Sense.APART, because)

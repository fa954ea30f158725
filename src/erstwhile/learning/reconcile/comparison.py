"""What one statement means for another."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Sense(StrEnum):
    SAME = "same"
    CHANGED = "changed"
    """It says that the other is no longer so: another value of what has one at a time."""
    CONTRADICTS = "contradicts"
    """Both can hardly be true, and nothing says which is."""
    APART = "apart"
    """Both may be true."""


class Comparison(NamedTuple):
    sense: Sense
    because: str = ""


APART = Comparison(Sense.APART)


def same(because: str) -> Comparison:
    return Comparison(Sense.SAME, because)


def changed(because: str) -> Comparison:
    return Comparison(Sense.CHANGED, because)


def contradicts(because: str) -> Comparison:
    return Comparison(Sense.CONTRADICTS, because)


def apart(because: str) -> Comparison:
    return Comparison(Sense.APART, because)

"""Labelled messages, and how many of the standing wishes in them are recognised."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.sets.turns import Score
from erstwhile.search.wishes import Strength, wishes

_WISHED = ("general", "conditional")


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """A message of a user and what it states."""

    language: str
    label: str
    text: str
    split: str
    """The part: "tune", "held" (errors were not listed while tuning) or "fresh" (newer)."""

    @property
    def is_wish(self) -> bool:
        """Whether it states a wish that stands in every context."""
        return self.label in _WISHED


def read_messages(file: Path) -> list[LabelledMessage]:
    """Read the file of labelled messages; every second one of a list is held out."""
    lists = tomllib.loads(file.read_text("utf-8"))
    fresh = lists.pop("fresh")
    return [*_messages(lists, "tune", "held"), *_messages(fresh, "fresh", "fresh")]


def recognised(text: str) -> str:
    """Return what a message is taken for: "wish", "ending", "topic" or "none"."""
    strengths = {wish.strength for wish in wishes(text)}
    if strengths & {Strength.STANDING, Strength.GENERAL}:
        return "wish"
    return min((each.name.lower() for each in strengths), default="none")


def wish_score(messages: Iterable[LabelledMessage]) -> Score:
    """Score the recognition of wishes that stand."""
    pairs = [(each.is_wish, recognised(each.text) == "wish") for each in messages]
    right = sum(wanted and found for wanted, found in pairs)
    found, wanted = sum(each for _, each in pairs), sum(each for each, _ in pairs)
    return Score(len(pairs), found, right, wanted)


def _messages(lists: dict[str, dict[str, list[str]]], *splits: str) -> Iterator[LabelledMessage]:
    for language, labels in lists.items():
        for label, texts in labels.items():
            for at, text in enumerate(texts):
                yield LabelledMessage(language, label, text, splits[at % 2])

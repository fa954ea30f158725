"""Labelled turns, and how much of them is found without a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import floor
from pathlib import Path
from typing import Any

from erstwhile.conversations.conversation import Role
from erstwhile.core.scope import Scope
from erstwhile.core.text import folded
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.turn import Turn, TurnLine

SAID_AT = datetime(2026, 11, 16, 9, 30, tzinfo=UTC)
"""When all of them were said, a Monday."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A statement to be found, in one of several wordings; dates by their beginning."""

    texts: tuple[str, ...]
    kind: str
    key: str | None
    instead_of: tuple[str, ...]
    ends: bool
    valid_from: str
    expires_at: str

    def is_met_by(self, found: Candidate) -> bool:
        return (
            folded(found.text) in map(folded, self.texts)
            and (found.kind, found.key, found.ends) == (self.kind, self.key, self.ends)
            and found.instead_of == self.instead_of
            and _begins(found.valid_from, self.valid_from)
            and _begins(found.expires_at, self.expires_at)
        )


def _begins(moment: datetime | None, said: str) -> bool:
    return moment.isoformat().startswith(said) if said and moment else not said and not moment


@dataclass(frozen=True, slots=True)
class LabelledTurn:
    id: str
    language: str
    split: str
    turn: Turn
    expected: tuple[Expected, ...]
    also: tuple[str, ...] = ()
    """Texts that are right, too, and need not be found."""


@dataclass(frozen=True, slots=True)
class Score:
    """The number of candidates that are `right`, `found` and `wanted`."""

    turns: int
    found: int
    right: int
    wanted: int

    @property
    def precision(self) -> float:
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.wanted if self.wanted else 1.0


def percent(share: float) -> str:
    """Return a share in percent, rounded down."""
    return f"{floor(share * 100 + 1e-9)} %"


def read_turns(file: Path) -> list[LabelledTurn]:
    return [_turn(json.loads(row)) for row in file.read_text("utf-8").splitlines()]


NAMES_ONLY = "/over"
"""An ending that names what is over, and not what was so. The dialogues measure it."""


def score(turns: Iterable[LabelledTurn], extract: Callable[[Turn], Sequence[Candidate]]) -> Score:
    """Count strictly: text, kind, key, dates and replaced values must be right."""
    asked = found = right = wanted = 0
    for each in turns:
        candidates = [one for one in extract(each.turn) if one.text not in each.also]
        candidates = [one for one in candidates if not one.found_by.endswith(NAMES_ONLY)]
        asked, found, wanted = asked + 1, found + len(candidates), wanted + len(each.expected)
        right += sum(
            any(one.is_met_by(candidate) for candidate in candidates) for one in each.expected
        )
    return Score(asked, found, right, wanted)


def _turn(row: dict[str, Any]) -> LabelledTurn:
    lines = tuple(
        TurnLine(message=f"{row['id']}-{place}", role=Role(role), text=text)
        for place, (role, text) in enumerate(row["lines"])
    )
    turn = Turn(conversation=row["id"], scope=Scope(), said_at=SAID_AT, lines=lines)
    expected = tuple(map(_expected, row["expected"]))
    also = tuple(row.get("also", ()))
    return LabelledTurn(row["id"], row["language"], row["split"], turn, expected, also)


def _expected(row: dict[str, Any]) -> Expected:
    dates = row.get("valid_from", ""), row.get("expires_at", "")
    return Expected(
        tuple(row["text"]), row["kind"], row["key"], tuple(row["instead_of"]), row["ends"], *dates
    )

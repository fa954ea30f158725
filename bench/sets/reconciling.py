"""Pairs of statements with a label, and how often reconciliation decides so."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from erstwhile.core.kinds import Origin
from erstwhile.core.scope import Scope
from erstwhile.facts.draft import draft
from erstwhile.learning.candidate import Candidate
from erstwhile.learning.change import Act
from erstwhile.learning.reconcile import reconcile

LABELS: Mapping[str, Act] = {
    "duplicate": Act.REPEAT,
    "supersede": Act.SUPERSEDE,
    "conflict": Act.CONFLICT,
    "unrelated": Act.ADD,
}
"""What shall be done for each label."""

_SCOPE = Scope(user="ana")
_KNOWN_SINCE = datetime(2026, 11, 2, 9, 30, tzinfo=UTC)
_NOW = _KNOWN_SINCE + timedelta(days=14)


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two statements of one user, the second two weeks after the first."""

    known: str
    said: str
    label: str
    sub: str
    instead_of: tuple[str, ...]
    language: str
    split: str


@dataclass(frozen=True, slots=True)
class Tally:
    """The number of pairs per label and act."""

    counts: Mapping[tuple[str, Act], int]

    @property
    def pairs(self) -> int:
        return sum(self.counts.values())

    @property
    def wrong(self) -> int:
        return sum(many for (label, act), many in self.counts.items() if LABELS[label] is not act)

    @property
    def wrongly_retired(self) -> int:
        """Return the number of facts that were ended without reason: the worst error."""
        return self._given(Act.SUPERSEDE, Act.END, besides="supersede")

    @property
    def wrongly_merged(self) -> int:
        """Return the number of statements that were lost as repeats."""
        return self._given(Act.REPEAT, Act.REFUSE, besides="duplicate")

    def _given(self, *acts: Act, besides: str) -> int:
        return sum(
            many for (label, act), many in self.counts.items() if act in acts and label != besides
        )


def read_labelled_pairs(file: Path) -> list[LabelledPair]:
    return [_pair(json.loads(row)) for row in file.read_text("utf-8").splitlines()]


def _pair(row: dict[str, Any]) -> LabelledPair:
    return LabelledPair(**{"sub": "", **row, "instead_of": tuple(row.get("instead_of", ()))})


def tally(pairs: Iterable[LabelledPair]) -> Tally:
    return Tally(
        Counter((pair.label, act_for(pair.known, pair.said, pair.instead_of)) for pair in pairs)
    )


def act_for(known: str, said: str, instead_of: Sequence[str] = ()) -> Act:
    """Return the act for the second statement while the first is known."""
    fact = draft(known, origin=Origin.LEARNED, now=_KNOWN_SINCE).to_fact(_SCOPE, _KNOWN_SINCE)
    candidate = Candidate(text=said, instead_of=tuple(instead_of))
    [change] = reconcile([candidate], [fact], scope=_SCOPE, now=_NOW)
    return change.act

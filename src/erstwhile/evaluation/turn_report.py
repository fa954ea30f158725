"""Score turns that were played: by half, by language, and by what is wrong with a proposal.

Of the later set nothing is told but its totals, so that nobody tunes on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from erstwhile.evaluation.turns import LATER, SampleTurn
from erstwhile.learning.attempt import AttemptChange

_PARTS = {"a": "half a", "b": "half b", LATER: "held out, later"}


class Aim(StrEnum):
    """What must become of a proposal or of a known fact."""

    STORE = "correct stored"
    KEEP_OUT = "unfounded kept out"
    KEEP = "right facts kept"
    END = "ended as said"


class Judgement(NamedTuple):
    """Whether an aim was reached for one proposal or known fact."""

    aim: Aim
    label: str
    """The label of the proposal, or what must become of the known fact."""
    text: str
    is_right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnResult:
    """A turn that was played: the judgements, and what learning tells of its proposals."""

    turn: SampleTurn
    judgements: tuple[Judgement, ...]
    changes: tuple[AttemptChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AimScore:
    """How often an aim was reached."""

    aim: Aim
    right: int
    of: int

    @property
    def share(self) -> float | None:
        """The share from 0 to 1, or None if there was nothing to do."""
        return self.right / self.of if self.of else None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnScores:
    """The scores of a group of turns: both halves, a part, or a language."""

    group: str
    turns: int
    scores: tuple[AimScore, ...]
    """One for each aim."""

    def of(self, aim: Aim) -> AimScore:
        """Return the score of one aim."""
        return next(each for each in self.scores if each.aim is aim)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScores:
    """How many of the unfounded proposals with one label were kept out."""

    label: str
    kept_out: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """The scores of the groups, both halves first, and of the unfounded proposals by label."""

    lines: tuple[TurnScores, ...]
    labels: tuple[LabelScores, ...]

    def total(self) -> TurnScores:
        """Return the scores of both halves."""
        return self.lines[0]


def turn_report(played: Sequence[TurnResult]) -> TurnReport:
    """Return the scores: of both halves, of each part, then of each language in the halves."""
    halves = [each for each in played if each.turn.half != LATER]
    lines = [_scores("all", halves)]
    for part, name in _PARTS.items():
        if own := [each for each in played if each.turn.half == part]:
            lines.append(_scores(name, own))
    for name in dict.fromkeys(each.turn.language for each in halves):
        lines.append(_scores(name, [each for each in halves if each.turn.language == name]))
    return TurnReport(lines=tuple(lines), labels=tuple(_labels(halves)))


def _scores(group: str, played: Sequence[TurnResult]) -> TurnScores:
    judged = [judgement for each in played for judgement in each.judgements]
    scores = [
        AimScore(
            aim=aim,
            right=sum(each.is_right for each in judged if each.aim is aim),
            of=sum(each.aim is aim for each in judged),
        )
        for aim in Aim
    ]
    return TurnScores(group=group, turns=len(played), scores=tuple(scores))


def _labels(played: Sequence[TurnResult]) -> Iterator[LabelScores]:
    judged = [each for turn in played for each in turn.judgements if each.aim is Aim.KEEP_OUT]
    for label in sorted({each.label for each in judged}):
        own = [each.is_right for each in judged if each.label == label]
        yield LabelScores(label=label, kept_out=sum(own), of=len(own))

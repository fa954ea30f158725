"""The figures of learning."""

from __future__ import annotations

from dataclasses import dataclass

from erstwhile.evaluation.dialogue_report import DialogueScores
from erstwhile.evaluation.stated import StatementScores
from erstwhile.evaluation.turn_report import TurnReport


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningFigures:
    """The figures of the sets that were asked for."""

    turns: TurnReport | None = None
    dialogues: tuple[DialogueScores, ...] = ()
    statements: tuple[StatementScores, ...] = ()

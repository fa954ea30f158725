"""Measure learning on the bundled sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TypeVar

from erstwhile.evaluation.dialogue_trial import run_dialogues
from erstwhile.evaluation.dialogues import read_dialogues
from erstwhile.evaluation.learning_figures import LearningFigures
from erstwhile.evaluation.progress import Tell
from erstwhile.evaluation.turn_trial import run_turns
from erstwhile.evaluation.turns import read_turns

_Sample = TypeVar("_Sample")


class LearningSet(StrEnum):
    """What learning is measured on."""

    TURNS = "turns"
    """Turns with the labelled answer of a model."""
    DIALOGUES = "dialogues"
    """Dialogues in which something changes, or only seems to."""


def measure_learning(
    sets: Sequence[LearningSet] = tuple(LearningSet),
    sample: int | None = None,
    tell: Tell = lambda _: None,
) -> LearningFigures:
    """Measure learning on some sets; with `sample`, on so many parts of each."""
    figures = LearningFigures()
    if LearningSet.TURNS in sets:
        figures = replace(figures, turns=run_turns(_sampled(read_turns(), sample), tell))
    if LearningSet.DIALOGUES in sets:
        report = run_dialogues(_sampled(read_dialogues(), sample), tell=tell)
        figures = replace(figures, dialogues=report.lines)
    return figures


def _sampled(samples: Sequence[_Sample], count: int | None) -> Sequence[_Sample]:
    """Return so many of the samples, spread over all of them, and always the same ones."""
    if count is None or count >= len(samples):
        return samples
    return [samples[number * len(samples) // count] for number in range(count)]

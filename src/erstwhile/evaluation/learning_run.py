"""Measure learning on the bundled sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from erstwhile.core.errors import InvalidInputError
from erstwhile.evaluation.dialogue_trial import run_dialogues
from erstwhile.evaluation.dialogues import read_dialogues
from erstwhile.evaluation.formats import read_samples
from erstwhile.evaluation.learning_figures import LearningFigures
from erstwhile.evaluation.progress import Tell
from erstwhile.evaluation.stated import (
    LabelledSentence,
    beam_messages,
    locomo_messages,
    own_sentences,
    run_statements,
    sentences_elsewhere,
)
from erstwhile.evaluation.turn_trial import run_turns
from erstwhile.evaluation.turns import LATER_TURNS, read_turns

_Sample = TypeVar("_Sample")
_MESSAGES = {"beam": beam_messages, "locomo": locomo_messages}


class LearningSet(StrEnum):
    """What learning is measured on."""

    TURNS = "turns"
    """Turns with the labelled answer of a model."""
    DIALOGUES = "dialogues"
    """Dialogues in which something changes, or only seems to."""
    STATEMENTS = "statements"
    """Sentences from which patterns learn, without a model."""


def measure_learning(
    sets: Sequence[LearningSet] = tuple(LearningSet),
    files: Sequence[Path] = (),
    sample: int | None = None,
    tell: Tell = lambda _: None,
) -> LearningFigures:
    """Measure learning on some sets; with `sample`, on so many parts of each.

    `files` are public conversations with labelled statements: BEAM or LoCoMo.
    """
    figures = LearningFigures()
    if LearningSet.TURNS in sets:
        turns = [*_sampled(read_turns(), sample), *_sampled(read_turns(LATER_TURNS), sample)]
        figures = replace(figures, turns=run_turns(turns, tell))
    if LearningSet.DIALOGUES in sets:
        report = run_dialogues(_sampled(read_dialogues(), sample), tell=tell)
        figures = replace(figures, dialogues=report.lines)
    if LearningSet.STATEMENTS in sets:
        tell("Reading statements")
        labels = [*own_sentences(), *(each for file in files for each in _public(file))]
        figures = replace(figures, statements=run_statements(_sampled(labels, sample)).lines)
    return figures


def _public(file: Path) -> list[LabelledSentence]:
    """Return the labelled sentences of a public file."""
    name, samples = read_samples(file)
    if name not in _MESSAGES:
        raise InvalidInputError(
            f"{file} has no labelled statements", remedy="give a file of BEAM or LoCoMo"
        )
    return sentences_elsewhere(name, _MESSAGES[name](samples))


def _sampled(samples: Sequence[_Sample], count: int | None) -> Sequence[_Sample]:
    """Return so many of the samples, spread over all of them, and always the same ones."""
    if count is None or count >= len(samples):
        return samples
    return [samples[number * len(samples) // count] for number in range(count)]

"""Run trials on sets of questions, each in a temporary memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from erstwhile.adapters.embedders.registry import resolve
from erstwhile.bootstrap import open as open_memory
from erstwhile.core.settings import Settings
from erstwhile.evaluation.formats import read_questions
from erstwhile.evaluation.haystack import QuestionSet, Way
from erstwhile.evaluation.paraphrases import BUNDLED
from erstwhile.evaluation.progress import Tell
from erstwhile.evaluation.report import Report, Reports, report
from erstwhile.evaluation.trial import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationRequest:
    """What to ask, and how. `stored_as` and `format` are names, or None for the usual ones."""

    files: tuple[Path, ...] = ()
    sets: tuple[str, ...] = ()
    format: str | None = None
    stored_as: str | None = None
    budgets: tuple[int, ...] = ()
    sample: int | None = None
    conversations: int | None = None
    flush: bool = True


def run(request: EvaluationRequest, settings: Settings, tell: Tell) -> Reports:
    """Run all trials of a request."""
    return Reports(tuple(_reports(request, settings, tell)))


def _reports(request: EvaluationRequest, settings: Settings, tell: Tell) -> Iterator[Report]:
    for questions in _questions(request):
        way = Way(request.stored_as) if request.stored_as else questions.way
        trial = Trial(way=way, budgets=request.budgets, flush=request.flush, tell=tell)
        yield from _asked(settings, trial, questions)


def _questions(request: EvaluationRequest) -> Iterator[QuestionSet]:
    """Read the questions of all files and sets, as many as requested."""
    named = [replace(read_questions(BUNDLED[name]), name=name) for name in request.sets]
    for questions in (*(read_questions(file, request.format) for file in request.files), *named):
        shorter = replace(questions, haystacks=questions.haystacks[: request.conversations])
        yield shorter.sampled(request.sample) if request.sample else shorter


def _asked(settings: Settings, trial: Trial, questions: QuestionSet) -> Iterator[Report]:
    """Run a trial. Paraphrases are asked twice: at once, and after everything has a vector."""
    alone = resolve(settings.embedder) if questions.is_paraphrased else None
    for flush in (False, True) if questions.is_paraphrased and trial.flush else (trial.flush,):
        ready = replace(trial, flush=flush, alone=alone)
        with open_memory(":memory:", settings=settings) as memory:
            answers = ready.run(memory, questions)
        yield report(ready, questions, answers, settings.embedder)

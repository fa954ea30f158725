"""`erstwhile eval`: measure search and contexts on sets of questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

import erstwhile
from erstwhile.cli import options
from erstwhile.cli.call import Call, working

if TYPE_CHECKING:  # only this command needs it, when it runs
    from erstwhile.core.settings import Settings
    from erstwhile.evaluation.haystack import QuestionSet
    from erstwhile.evaluation.progress import Tell
    from erstwhile.evaluation.report import Report
    from erstwhile.evaluation.trial import Trial

_SETS = ("paraphrases", "agent-memories", "held-out")
_FORMATS = ("locomo", "madial", "beam", "longmemeval", "paraphrases")
_BUDGETS = (1_000, 4_000, 16_000)


@click.command("eval")
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--set", "sets", type=click.Choice(_SETS), multiple=True, help="A bundled set.")
@click.option("--format", type=click.Choice(_FORMATS), help="The format, if it is not recognised.")
@click.option(
    "--as",
    "stored_as",
    type=click.Choice(("facts", "messages")),
    help="How to store what was said, instead of the usual way.",
)
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    multiple=True,
    default=_BUDGETS,
    metavar="N",
    help="The budget of the contexts; can be repeated.",
)
@click.option("--search-only", is_flag=True, help="Make no contexts.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Only N of the questions.")
@click.option(
    "--limit-conversations", type=click.IntRange(min=1), metavar="N", help="Only the first N."
)
@click.option("--no-flush", is_flag=True, help="Ask at once, while texts wait for their vectors.")
@options.embedder
@click.pass_obj
def evaluate(
    call: Call,
    /,
    files: tuple[Path, ...],
    sets: tuple[str, ...],
    format: str | None,
    stored_as: str | None,
    tokens: tuple[int, ...],
    search_only: bool,
    sample: int | None,
    limit_conversations: int | None,
    no_flush: bool,
    embedder: str | None,
) -> None:
    """Measure search and contexts on sets of questions.

    A FILE is one of LoCoMo, MADial-Bench (the dialogues), BEAM or LongMemEval. Everything is
    stored in a temporary memory, each conversation in the scope of its own user.

    \b
    Examples:
      erstwhile eval locomo10.json
      erstwhile eval beam-100k.json --tokens 4000 --embedder none
      erstwhile eval --set paraphrases
    """
    # Imported here: only this command needs it.
    from erstwhile.evaluation.haystack import Way
    from erstwhile.evaluation.report import Evaluation
    from erstwhile.evaluation.trial import Trial

    if not files and not sets:
        raise click.UsageError("There is nothing to ask: give a FILE, or --set paraphrases.")
    settings = replace(call.settings, embedder=embedder or call.settings.embedder)
    reports: list[Report] = []
    with working("Reading…") as tell:
        for questions in _questions(files, sets, format):
            asked = _limited(questions, sample, limit_conversations)
            way = Way(stored_as) if stored_as else asked.way
            trial = Trial(way=way, budgets=() if search_only else tokens, flush=not no_flush)
            reports += _reports(settings, trial, asked, tell)
    call.out.record(Evaluation(tuple(reports)))


def _questions(
    files: tuple[Path, ...], sets: tuple[str, ...], format: str | None
) -> Iterator[QuestionSet]:
    from erstwhile.evaluation.formats import read_questions
    from erstwhile.evaluation.paraphrases import BUNDLED

    for file in files:
        yield read_questions(file, format)
    for name in sets:
        yield replace(read_questions(BUNDLED[name]), name=name)


def _limited(questions: QuestionSet, sample: int | None, first: int | None) -> QuestionSet:
    shorter = replace(questions, haystacks=questions.haystacks[:first])
    return shorter.sampled(sample) if sample else shorter


def _reports(
    settings: Settings, trial: Trial, questions: QuestionSet, tell: Tell
) -> Iterator[Report]:
    """Run a trial. Paraphrases are asked twice: at once, and after everything has a vector."""
    from erstwhile.adapters.embedders.registry import resolve
    from erstwhile.evaluation.report import report

    alone = resolve(settings.embedder) if questions.is_paraphrased else None
    for flush in (False, True) if questions.is_paraphrased and trial.flush else (trial.flush,):
        ready = replace(trial, flush=flush, alone=alone, tell=tell)
        with erstwhile.open(":memory:", settings=settings) as memory:
            answers = ready.run(memory, questions)
        yield report(ready, questions, answers, settings.embedder)

"""`erstwhile eval questions`: measure search and contexts on sets of questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from erstwhile.cli import options
from erstwhile.cli.call import Call, working
from erstwhile.evaluation.formats import FORMATS
from erstwhile.evaluation.paraphrases import BUNDLED
from erstwhile.evaluation.run import EvaluationRequest, run

_SETS = tuple(BUNDLED)
_BUDGETS = (1_000, 4_000, 16_000)


@click.command("questions")
@click.argument("files", metavar="FILE...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--set", "sets", type=click.Choice(_SETS), multiple=True, help="A bundled set.")
@click.option("--format", type=click.Choice(FORMATS), help="The format, if it is not recognised.")
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
def questions(
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
    stored in a temporary memory, each conversation in the scope of its own user. The word
    `questions` may be left out.

    \b
    Examples:
      erstwhile eval locomo10.json
      erstwhile eval beam-100k.json --tokens 4000 --embedder none
      erstwhile eval --set paraphrases
    """
    if not files and not sets:
        raise click.UsageError("There is nothing to ask: give a FILE, or --set paraphrases.")
    request = EvaluationRequest(
        files=files,
        sets=sets,
        format=format,
        stored_as=stored_as,
        budgets=() if search_only else tokens,
        sample=sample,
        conversations=limit_conversations,
        flush=not no_flush,
    )
    settings = replace(call.settings, embedder=embedder or call.settings.embedder)
    with working("Reading…") as tell:
        reports = run(request, settings, tell)
    call.out.record(reports)

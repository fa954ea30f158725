"""`erstwhile eval`: measure the quality of recall on public data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

import erstwhile
from erstwhile.cli import options
from erstwhile.cli.call import Call, counting
from erstwhile.cli.groups import Group

evaluate = Group("eval", "Measure the quality of recall on your data.", "eval locomo locomo10.json")


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path))
@options.embedder
@click.option(
    "--limit-conversations", type=click.IntRange(min=1), metavar="N", help="Only the first N."
)
@click.pass_obj
def locomo(
    call: Call, /, file: Path, embedder: str | None, limit_conversations: int | None
) -> None:
    """Ask the questions of LoCoMo, and count the turns that are found.

    Each conversation is a scope of a temporary memory, each turn a fact. For comparison, the same
    questions are also answered by SQLite's full-text search alone.

    \b
    Examples:
      erstwhile eval locomo locomo10.json
      erstwhile eval locomo locomo10.json --embedder minilm --limit-conversations 2
    """
    # Imported here: only this command needs it.
    from erstwhile.evaluation.locomo import read_locomo
    from erstwhile.evaluation.trial import Report, run_trial, summary

    settings = replace(call.settings, embedder=embedder or call.settings.embedder)
    haystacks = read_locomo(file)[:limit_conversations]
    with erstwhile.open(":memory:", settings=settings) as memory, counting("Asking") as tell:
        answers = run_trial(memory, haystacks, tell)
    items = sum(len(haystack.items) for haystack in haystacks)
    report = Report(
        data="LoCoMo", embedder=settings.embedder, items=items, lines=tuple(summary(answers))
    )
    call.out.record(report)

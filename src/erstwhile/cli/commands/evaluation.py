"""`erstwhile eval`: how well recall finds, measured on public data."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

import erstwhile
from erstwhile.cli import options
from erstwhile.cli.call import Call, counting


@click.group(name="eval", cls=options.Commands)
def evaluate() -> None:
    """Measure how well recall finds, on data that you have.

    \b
    Example:
      erstwhile eval locomo locomo10.json
    """


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path))
@options.embedder
@click.option(
    "--limit-conversations", type=click.IntRange(min=1), metavar="N", help="Only the first so many."
)
@click.pass_obj
def locomo(
    call: Call, /, file: Path, embedder: str | None, limit_conversations: int | None
) -> None:
    """Ask LoCoMo's questions, and count the turns that are found.

    Each conversation is a scope in a memory that is thrown away, each turn a fact. Beside ours are
    the figures of SQLite's full text alone, in the same run.

    \b
    Example:
      erstwhile eval locomo locomo10.json
      erstwhile eval locomo locomo10.json --embedder minilm --limit-conversations 2
    """
    # Loaded here: only measuring needs it.
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

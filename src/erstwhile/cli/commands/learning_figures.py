"""`erstwhile eval learning`: measure learning."""

from __future__ import annotations

from pathlib import Path

import click

from erstwhile.cli.call import Call, working
from erstwhile.evaluation.learning_run import LearningSet, measure_learning

_SETS = tuple(each.value for each in LearningSet)


@click.command("learning")
@click.argument("files", metavar="[FILE...]", nargs=-1, type=click.Path(path_type=Path))
@click.option("--set", "sets", type=click.Choice(_SETS), multiple=True, help="Only this set.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Only N of each set.")
@click.pass_obj
def learning_figures(
    call: Call, /, files: tuple[Path, ...], sets: tuple[str, ...], sample: int | None
) -> None:
    """Measure learning on bundled turns, dialogues and statements.

    Simulated language models answer, so it needs none. Everything is learned in temporary
    memories. All of it takes a minute or two. A FILE is BEAM or LoCoMo: statements in their
    conversations are labelled, too.

    \b
    Examples:
      erstwhile eval learning
      erstwhile eval learning --set dialogues --sample 20
      erstwhile eval learning --set statements beam-100k.json
    """
    with working("Reading…") as tell:
        figures = measure_learning(
            [LearningSet(name) for name in sets or _SETS], files, sample, tell
        )
    call.out.record(figures)

"""`erstwhile eval learning`: measure learning."""

from __future__ import annotations

import click

from erstwhile.cli.call import Call, working
from erstwhile.evaluation.learning_run import LearningSet, measure_learning

_SETS = tuple(each.value for each in LearningSet)


@click.command("learning")
@click.option("--set", "sets", type=click.Choice(_SETS), multiple=True, help="Only this set.")
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Only N of each set.")
@click.pass_obj
def learning_figures(call: Call, /, sets: tuple[str, ...], sample: int | None) -> None:
    """Measure learning on bundled turns and dialogues.

    Simulated language models answer, so it needs none. Everything is learned in temporary
    memories. All of it takes a minute or two.

    \b
    Examples:
      erstwhile eval learning
      erstwhile eval learning --set dialogues --sample 20
    """
    with working("Reading…") as tell:
        figures = measure_learning(
            [LearningSet(name) for name in sets or LearningSet], sample, tell
        )
    call.out.record(figures)

"""Measure how fast turns are learned in the background, with one learner and with several.

python -m bench.learners           60 turns of 20 users, with a model that takes a second
python -m bench.learners --quick   a model that takes a fifth of a second
python -m bench.learners --json    for programs; so is a pipe
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

import erstwhile
from bench.report import Result, show
from erstwhile.core.ports import Completion, Prompt

USERS, TURNS, ROUNDS = 20, 3, 3
NUMBERS = (1, 2, 4, 8)
_MAX_SECONDS = 600.0


class SlowModel:
    """A model that takes its time, and proposes nothing."""

    model = "slow"

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        time.sleep(0.0 if cancelled() else self._seconds)
        nothing = json.dumps({"add": [], "supersede": [], "end": []})
        return Completion(text=nothing, input=len(prompt.user) // 4, output=10)


def measured(seconds: float) -> Result:
    """Compare the numbers of learners in turns, so that other work affects all of them."""
    spent: dict[int, list[float]] = {number: [] for number in NUMBERS}
    with TemporaryDirectory() as folder:
        for round in range(ROUNDS):
            for number in NUMBERS:
                file = Path(folder) / f"{round}-{number}.db"
                spent[number].append(_seconds_to_learn(file, number, seconds))
    alone = median(spent[1])
    return Result(
        "Learning in the background",
        f"{USERS * TURNS} turns of {USERS} users, a model that takes {seconds:g} seconds a turn; "
        f"medians of {ROUNDS} rounds in turns",
        [
            {
                "learners": number,
                "turns_per_second": USERS * TURNS / median(times),
                "ratio_to_one": alone / median(times),
            }
            for number, times in spent.items()
        ],
    )


def _seconds_to_learn(file: Path, learners: int, seconds: float) -> float:
    """Return the seconds from the first turn until all are learned from."""
    model = SlowModel(seconds)
    with erstwhile.open(file, embedder="none", llm=model, learners=learners) as memory:
        began = time.perf_counter()
        for turn in range(TURNS):
            for user in range(USERS):
                mine = memory.scoped(user=f"user {user}")
                mine.observe_turn(f"I bought lamp number {turn} for my desk today.", "Nice.")
        while memory.everything().learning.pending():
            assert time.perf_counter() - began < _MAX_SECONDS
            time.sleep(0.02)
        return time.perf_counter() - began


@click.command(help=__doc__)
@click.option("--quick", is_flag=True, help="A model that takes a fifth of a second.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(quick: bool, as_json: bool) -> None:
    show([measured(0.2 if quick else 1.0)], as_json=as_json)


if __name__ == "__main__":
    main()

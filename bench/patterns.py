"""Measure precision and recall of learning without a model, on turns labelled by hand.

python -m bench.patterns [--turns FILE] [--wrong]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.sets.turns import LabelledTurn, percent, read_turns, score
from erstwhile.learning.patterns import candidates
from erstwhile.learning.salience import salience

TURNS = Path(__file__).parents[1] / "tests" / "learning" / "data" / "turns.jsonl"
SPLITS = ("held", "tune", "fresh")
LANGUAGES = {"en": "English", "zh": "Chinese", "mixed": "mixed"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=Path, default=TURNS)
    parser.add_argument("--wrong", action="store_true", help="list what is wrong in the tune half")
    chosen = parser.parse_args()
    turns = read_turns(chosen.turns)
    print("\n".join([*_found(turns), "", *_salient(turns)]))
    if chosen.wrong:
        print("\n".join(_wrong([each for each in turns if each.split == "tune"])))


def _found(turns: Sequence[LabelledTurn]) -> Iterator[str]:
    yield "| language | part | turns | statements | found | precision | recall |"
    yield "|---|---|---|---|---|---|---|"
    for split in SPLITS:
        for language, name in LANGUAGES.items():
            part = [each for each in turns if (each.split, each.language) == (split, language)]
            got = score(part, candidates)
            shares = f"{percent(got.precision)} | {percent(got.recall)}"
            yield f"| {name} | {split} | {got.turns} | {got.wanted} | {got.found} | {shares} |"


def _salient(turns: Sequence[LabelledTurn]) -> Iterator[str]:
    yield "| part | turns with a statement | of them dropped | without | of them looked at |"
    yield "|---|---|---|---|---|"
    for split in SPLITS:
        full = [each for each in turns if each.split == split and each.expected]
        empty = [each for each in turns if each.split == split and not each.expected]
        lost = sum(not salience(each.turn).durable for each in full)
        alarms = sum(salience(each.turn).durable for each in empty)
        yield f"| {split} | {len(full)} | {lost} | {len(empty)} | {alarms} |"


def _wrong(turns: Sequence[LabelledTurn]) -> Iterator[str]:
    for each in turns:
        found = candidates(each.turn)
        wrong = [one for one in found if not any(want.is_met_by(one) for want in each.expected)]
        missed = [one for one in each.expected if not any(map(one.is_met_by, found))]
        yield from (f"{each.id} wrong: {one.text} ({one.found_by})" for one in wrong)
        yield from (f"{each.id} missed: {one.texts[0]}" for one in missed)


if __name__ == "__main__":
    main()

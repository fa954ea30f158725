"""Measure how often reconciliation agrees with a person, and how many facts it retires wrongly.

python -m bench.reconcile [--errors SPLIT] [--locomo FILE] [--json]
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.sets.reconciling import LABELS, LabelledPair, Tally, act_for, read_labelled_pairs, tally

PAIRS = Path(__file__).parents[1] / "tests" / "learning" / "data" / "pairs.jsonl"
SPLITS, LANGUAGES = ("tune", "held", "late"), ("en", "zh")


def groups(pairs: Sequence[LabelledPair]) -> Iterator[tuple[str, list[LabelledPair]]]:
    """Yield the pairs of each split and language."""
    for split in SPLITS:
        for language in LANGUAGES:
            chosen = [pair for pair in pairs if (pair.split, pair.language) == (split, language)]
            yield f"{split}, {language}", chosen
    yield "all", list(pairs)


def life(locomo: Path) -> Counter[str]:
    """Count the decisions for LoCoMo observations in their order; all of them are true."""
    acts = Counter[str]()
    for sample in json.loads(locomo.read_text("utf-8")):
        sessions = sample["observation"].values()
        texts = [said[0] for each in sessions for spoken in each.values() for said in spoken]
        for at, text in enumerate(texts):
            acts += Counter(str(act_for(earlier, text)) for earlier in texts[:at])
    return acts


def table(name: str, counted: Tally) -> str:
    acts = list(LABELS.values())
    head = (
        f"{name}: {counted.pairs} pairs, {counted.wrong} errors, "
        f"{counted.wrongly_retired} wrongly retired, {counted.wrongly_merged} wrongly merged"
    )
    rows = [
        f"  {label:<10}" + "".join(f"{counted.counts.get((label, act), 0):>11}" for act in acts)
        for label in LABELS
    ]
    return "\n".join([head, " " * 12 + "".join(f"{act:>11}" for act in acts), *rows, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errors", metavar="SPLIT", choices=SPLITS, help="list its errors")
    parser.add_argument("--locomo", metavar="FILE", type=Path, help="compare its observations")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pairs = read_labelled_pairs(PAIRS)
    if options.locomo:
        print(dict(life(options.locomo)))
        return
    if options.errors:
        _list_errors([pair for pair in pairs if pair.split == options.errors])
        return
    counted = {name: tally(chosen) for name, chosen in groups(pairs)}
    if options.json:
        print(json.dumps({name: _figures(each) for name, each in counted.items()}))
    else:
        print("\n".join(table(name, each) for name, each in counted.items()))


def _figures(counted: Tally) -> dict[str, int]:
    return {
        "pairs": counted.pairs,
        "errors": counted.wrong,
        "wrongly_retired": counted.wrongly_retired,
        "wrongly_merged": counted.wrongly_merged,
    }


def _list_errors(pairs: Sequence[LabelledPair]) -> None:
    for pair in pairs:
        act = act_for(pair.known, pair.said, pair.instead_of)
        if act is not LABELS[pair.label]:
            print(f"{pair.label} {pair.sub}\t{act}\t{pair.known}\t{pair.said}")


if __name__ == "__main__":
    main()

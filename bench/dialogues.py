"""Measure what is learned from dialogues in which something changes, or only seems to.

python -m bench.dialogues [--errors] [--write]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from erstwhile.evaluation.dialogue_report import DialogueReport, DialogueScores
from erstwhile.evaluation.dialogue_trial import run_dialogues
from erstwhile.evaluation.dialogues import (
    DIALOGUES,
    FURTHER_DIALOGUES,
    LATER_DIALOGUES,
    Learner,
    read_dialogues,
)

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "reconcile.md"
HELD_OUT = "held out, later"
"""Nobody tunes on this set: its errors are not listed."""
SETS = {
    "six languages": DIALOGUES,
    "further languages": FURTHER_DIALOGUES,
    HELD_OUT: LATER_DIALOGUES,
}
_ROW = re.compile(r"^\| (?P<kind>[a-z ]+) \| (?P<numbers>\d[\d |]*) \|$", re.MULTILINE)


def measured() -> dict[str, DialogueReport]:
    """Play every set with all learners."""
    return {name: run_dialogues(read_dialogues(path)) for name, path in SETS.items()}


def table(name: str, report: DialogueReport) -> str:
    """Return the table of one set for the page."""
    head = f"| {name} | dialogues |" + "".join(f" {each}: right | retired |" for each in Learner)
    kinds = dict.fromkeys(line.kind for line in report.lines)
    return "\n".join([head, "|---" * 8 + "|", *(_row(kind, report.lines) for kind in kinds)])


def _row(kind: str, lines: Sequence[DialogueScores]) -> str:
    of_kind = [line for line in lines if line.kind == kind]
    cells = [f"{line.right} | {line.wrongly_retired}" for line in of_kind]
    return f"| {kind.replace('_', ' ')} | {of_kind[0].dialogues} | " + " | ".join(cells) + " |"


def published(page: str) -> dict[str, dict[str, list[int]]]:
    """Return the numbers of the page, by set and kind."""
    return {name: dict(_numbers(_section(name, page))) for name in SETS}


def _numbers(section: str) -> Iterator[tuple[str, list[int]]]:
    for row in _ROW.finditer(section):
        yield row["kind"], [int(number) for number in row["numbers"].split(" | ")]


def _section(name: str, page: str) -> str:
    return page.partition(f"| {name} |")[2].partition("\n\n")[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--errors", action="store_true", help="list the dialogues that go wrong")
    parser.add_argument("--write", action="store_true", help="write the tables to the page")
    options = parser.parse_args()
    for name, report in measured().items():
        print(table(name, report), end="\n\n")
        if options.errors and name != HELD_OUT:
            _list_errors(report)
        if options.write:
            page = PAGE.read_text("utf-8")
            old = f"| {name} |" + _section(name, page)
            PAGE.write_text(page.replace(old, table(name, report)), "utf-8")


def _list_errors(report: DialogueReport) -> None:
    for each in report.played:
        if each.faults:
            print(each.learner, each.dialogue.id, *sorted(each.faults), each.live, each.retired)


if __name__ == "__main__":
    main()

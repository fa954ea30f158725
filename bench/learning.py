"""Measure learning on labelled turns and dialogues, and publish the figures in the reference.

python -m bench.learning [--write] [--failures [PART] [--unseal]]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from erstwhile.evaluation.dialogue_report import DialogueScores
from erstwhile.evaluation.learning_figures import LearningFigures
from erstwhile.evaluation.learning_run import LearningSet, measure_learning
from erstwhile.evaluation.second_answers import look_at, was_recorded
from erstwhile.evaluation.turn_report import Aim, AimScore, TurnReport, TurnResult
from erstwhile.evaluation.turn_trial import play_turns, run_turns
from erstwhile.evaluation.turns import LATER, LATER_TURNS, TURNS, SampleTurn, read_turns

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "learning-figures.md"
MODELS = (LearningSet.TURNS, LearningSet.DIALOGUES)
"""The sets of this page. What patterns learn is measured by `erstwhile.evaluation.stated`."""
FRESH = TURNS.with_name("turns_fresh.json")
"""Turns in rounds, each written by somebody who had not seen the code and played once at first."""
_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_FAULTS = ("wrongly_retired", "stale", "believed", "missed", "ended_otherwise")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the tables into the reference")
    parser.add_argument(
        "--failures", nargs="?", const="a", choices=("a", "b", LATER), help="list what fails"
    )
    parser.add_argument("--unseal", action="store_true", help="list it although it is held out")
    chosen = parser.parse_args()
    if chosen.failures not in (None, "a") and not chosen.unseal:
        parser.error(
            f"{chosen.failures} is held out: nobody tunes on it. Give --unseal to spend it"
        )
    if chosen.failures:
        print("\n".join(failures(play_turns(part(chosen.failures)))))
        return
    rounds = fresh_rounds()
    written = [*tables(measure_learning(MODELS)), fresh_table(rounds), looked_table(rounds)]
    print("\n\n".join(written))
    if chosen.write:
        publish(written)


def part(name: str) -> list[SampleTurn]:
    """Return the turns of a half, or of the later set."""
    return [each for path in (TURNS, LATER_TURNS) for each in read_turns(path) if each.half == name]


def tables(figures: LearningFigures) -> Iterator[str]:
    """Yield the tables in the order of the page."""
    assert figures.turns
    yield _table(("turns", "number", *Aim), turn_rows(figures.turns))
    labels = ((each.label, f"{each.kept_out} of {each.of}") for each in figures.turns.labels)
    yield _table(("what is wrong", "kept out"), labels)
    names = ("learner", "kind", "right", *(name.replace("_", " ") for name in _FAULTS))
    yield _table(names, dialogue_rows(figures.dialogues))


def turn_rows(report: TurnReport) -> Iterator[Sequence[str]]:
    for line in report.lines:
        yield (line.group, str(line.turns), *map(_cell, line.scores))


def fresh_rounds() -> dict[str, list[SampleTurn]]:
    """Return the fresh turns by their round."""
    turns = read_turns(FRESH)
    return {name: [each for each in turns if each.half == name] for name in {t.half for t in turns}}


def fresh_table(rounds: Mapping[str, Sequence[SampleTurn]]) -> str:
    """Play fresh turns, and return the table of their totals: nothing else is told of them."""
    totals = {name: run_turns(rounds[name]).total() for name in sorted(rounds)}
    rows = ((name, str(each.turns), *map(_cell, each.scores)) for name, each in totals.items())
    return _table(("fresh turns", "number", *Aim), rows)


def looked_table(rounds: Mapping[str, Sequence[SampleTurn]]) -> str:
    """Play the turns with recorded second answers, and return the table of their totals."""
    parts = {"both halves": read_turns(), LATER: read_turns(LATER_TURNS), **rounds}
    asked = {name: turns for name, turns in parts.items() if any(map(was_recorded, turns))}
    rows = (
        (name, str(len(turns)), *map(_cell, run_turns(_as_one(turns), look=look_at).total().scores))
        for name, turns in sorted(asked.items())
    )
    return _table(("with a second look", "number", *Aim), rows)


def _as_one(turns: Sequence[SampleTurn]) -> list[SampleTurn]:
    """Return the turns as one part, so that the total has them all."""
    return [replace(each, half="") for each in turns]


def dialogue_rows(lines: Iterable[DialogueScores]) -> Iterator[Sequence[str]]:
    for each in lines:
        faults = (str(getattr(each, name)) for name in _FAULTS)
        kind = each.kind.replace("_", " ")
        yield (each.learner, kind, f"{each.right} of {each.dialogues}", *faults)


def publish(written: Sequence[str], page: Path = PAGE) -> None:
    """Put the tables into the page, each in the place of the one that is there."""
    text = page.read_text("utf-8")
    places = list(_TABLE.finditer(text))
    assert len(places) == len(written), "the page has another number of tables"
    for place, table in reversed(list(zip(places, written, strict=True))):
        text = text[: place.start()] + table + "\n" + text[place.end() :]
    page.write_text(text, "utf-8")


def failures(played: Iterable[TurnResult]) -> Iterator[str]:
    """Yield the turns in which something went wrong, and what learning tells of it."""
    for each in played:
        wrong = [judgement for judgement in each.judgements if not judgement.is_right]
        if wrong:
            yield f"## {each.turn.id} ({each.turn.kind}), {each.turn.said_at:%Y-%m-%d}"
            yield from (f"before: {user!r} / {answer!r}" for user, answer in each.turn.before)
            yield f"user: {each.turn.user!r}"
            yield from (f"tool: {tool!r}" for tool in each.turn.tools)
            yield f"assistant: {each.turn.assistant!r}"
            yield from (f"- not {one.aim} [{one.label}]: {one.text}" for one in wrong)
            yield from (f"- told: {line}" for line in each.changes)
            yield ""


def _table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ("---",) * len(names)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (names, rule, *rows))


def _cell(score: AimScore) -> str:
    return "" if score.share is None else f"{score.share * 100:.1f} % ({score.right} of {score.of})"


if __name__ == "__main__":
    main()

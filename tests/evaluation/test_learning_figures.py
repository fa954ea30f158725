"""The published figures of learning, measured again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.learning import (
    PAGE,
    fresh_rounds,
    fresh_table,
    looked_table,
    main,
    publish,
    tables,
)

from erstwhile.evaluation.learning_figures import LearningFigures
from erstwhile.evaluation.turn_trial import run_turns
from erstwhile.evaluation.turns import LATER_TURNS, read_turns

THIRDS = {
    "all": ("132 of 135", "93 of 93", "50 of 50", "39 of 42"),
    "held out, later": ("64 of 65", "53 of 54", "32 of 33", "25 of 25"),
}
"""What is right in every third turn of the two sets."""
_NUMBERS = re.compile(r"(\d+) of (\d+)")
_BAD = {"wrongly retired", "stale", "believed", "missed", "ended otherwise"}


def tables_of(text: str) -> list[list[list[str]]]:
    """Return the tables of a page: the cells of the names and of each row."""
    blocks = re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        for block in blocks
    ]


PUBLISHED = tables_of(PAGE.read_text("utf-8"))


def _worse(name: str, published: str, now: str) -> bool:
    """Return whether a cell is worse than it was, or is about something else."""
    if found := _NUMBERS.search(published):
        got = _NUMBERS.search(now)
        return got is None or got[2] != found[2] or int(got[1]) < int(found[1])
    return int(now) > int(published) if name in _BAD else now != published


def worsened(published: Sequence[Sequence[str]], now: Sequence[Sequence[str]]) -> list[str]:
    names, _, *rows = published
    return [
        f"{row[0]} {row[1]}: {name} was {was}, is {found}"
        for row, again in zip(rows, now[2:], strict=True)
        for name, was, found in zip(names, row, again, strict=True)
        if _worse(name, was, found)
    ]


def test_no_figure_is_worse_than_it_was() -> None:
    """A third of the turns tells as much; `bench.learning` plays and publishes all of them."""
    turns = [*read_turns()[::3], *read_turns(LATER_TURNS)[::3]]
    report = run_turns(turns)
    [now, *_] = tables_of("\n\n".join(tables(LearningFigures(turns=report))))
    rows = {row[0]: row[2:] for row in now[2:]}
    for name, expected in THIRDS.items():
        worse = [_worse("", was, found) for was, found in zip(expected, rows[name], strict=True)]
        assert not any(worse), (name, rows[name])


def test_the_page_has_the_right_numbers_of_turns() -> None:
    published = {row[0]: int(row[1]) for row in PUBLISHED[0][2:]}
    assert published["all"] == len(read_turns())
    assert published["held out, later"] == len(read_turns(LATER_TURNS))
    assert {each.language for each in read_turns()} <= set(published)


def test_a_worse_figure_is_noticed() -> None:
    names = ["turns", "number", "correct stored", "stale"]
    was = [names, ["---"] * 4, ["all", "9", "77.8 % (7 of 9)", "3"]]
    assert worsened(was, [*was[:2], ["all", "9", "88.9 % (8 of 9)", "2"]]) == []
    assert len(worsened(was, [*was[:2], ["all", "9", "66.7 % (6 of 9)", "4"]])) == 2
    assert len(worsened(was, [*was[:2], ["all", "8", "87.5 % (7 of 8)", "3"]])) == 2


def test_tables_are_published_in_their_places(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A\n\n| x |\n|---|\n\nB\n\n| y |\n|---|\n| 1 |\n", "utf-8")
    publish(["| new |", "| other |\n| 2 |"], page)
    assert page.read_text("utf-8") == "# A\n\n| new |\n\nB\n\n| other |\n| 2 |\n"


@pytest.mark.parametrize("part", ["b", "later"])
def test_failures_of_a_held_out_part_are_not_listed(
    part: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["bench.learning", "--failures", part])
    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr()
    assert (printed.out, "held out" in printed.err) == ("", True)


SAMPLED = ("29 of 37", "9 of 14", "37 of 38", "9 of 12")
"""What was right in every sixth turn of the round that nobody has read."""


ROUND = {"round 3": fresh_rounds()["round 3"][::6]}


def test_fresh_turns_are_learned_from_as_well_as_before() -> None:
    [[_, _, row]] = tables_of(fresh_table(ROUND))
    worse = [_worse("", was, now) for was, now in zip(SAMPLED, row[2:], strict=True)]
    assert (row[:2], any(worse)) == (["round 3", "21"], False), row


LOOKED = ("36 of 37", "14 of 14", "38 of 38", "12 of 12")
"""The same turns with recorded second answers."""


def test_a_second_look_makes_them_better_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.learning.read_turns", lambda *_: [])
    [[_, _, row]] = tables_of(looked_table(ROUND))
    worse = [_worse("", was, now) for was, now in zip(LOOKED, row[2:], strict=True)]
    assert (row[:2], any(worse)) == (["round 3", "21"], False), row


def test_the_page_tells_of_each_fresh_round() -> None:
    published = {row[0]: row[1] for row in PUBLISHED[3][2:]}
    assert published == {name: str(len(turns)) for name, turns in fresh_rounds().items()}

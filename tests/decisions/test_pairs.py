"""How often advice takes two tool calls for the same act, as people did, and the page about it."""

from __future__ import annotations

import re

import pytest
from bench.sets.deciding import SETS, AdviceTally, read_call_pairs, tally_advice

from tests.docs.pages import PROJECT

PAGE = (PROJECT / "docs" / "security.md").read_text("utf-8")
FIGURES = re.compile(
    r"\| advice, pairs of calls \((.+)\) \| (\d+) wrongly allowed and (\d+) wrongly denied of"
    r" (\d+) other acts; (\d+) of (\d+) same acts denied \|"
)


def test_there_are_enough_pairs_and_none_twice() -> None:
    whole = [pair for name in SETS for pair in read_call_pairs(name)]
    assert len(whole) >= 240
    assert len({(pair.tool, str(pair.denied), str(pair.asked)) for pair in whole}) == len(whole)
    assert all(pair.denied != pair.asked for pair in whole)
    for name in SETS:
        found = {(pair.same, pair.tool == "Bash") for pair in read_call_pairs(name)}
        assert len(found) == 4


@pytest.mark.parametrize("name", SETS)
def test_advice_agrees_with_people(name: str) -> None:
    found = tally_advice(read_call_pairs(name))
    assert found.wrong_allows == 0
    assert found.wrong_denials <= 0.02 * found.other
    assert found.right_denials >= 0.9 * found.same
    assert published(name) == found


def published(name: str) -> AdviceTally:
    [numbers] = [list(map(int, row[1:])) for row in FIGURES.findall(PAGE) if row[0] == name]
    allowed, wrong, other, right, same = numbers
    return AdviceTally(same, other, right, wrong, allowed)

"""The figures in the reference, measured again on turns that were labelled by hand."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from bench.sets.turns import LabelledTurn, read_turns, score

from erstwhile.core.policy import Policy
from erstwhile.learning.guard import gravest, judge
from erstwhile.learning.guard.budget import BUDGETS
from erstwhile.learning.patterns import candidates
from erstwhile.learning.patterns.languages import CHINESE, ENGLISH
from erstwhile.learning.salience import salience
from erstwhile.learning.candidate import Action
from tests.docs.pages import PROJECT
from tests.learning.user_turns import turn

PAGE = PROJECT / "docs" / "reference" / "learning-without-a-model.md"
TURNS = read_turns(Path(__file__).parent / "data" / "turns.jsonl")
SPLITS = ("held", "tune", "fresh")
LANGUAGES = {"English": "en", "Chinese": "zh", "mixed": "mixed"}
PUBLISHED = re.findall(
    r"^\| (\w+) \| (held|tune|fresh) \| (\d+) \| (\d+) \| \d+ \| (\d+) % \| (\d+) % \|$",
    PAGE.read_text("utf-8"),
    re.MULTILINE,
)


def _part(language: str, split: str) -> list[LabelledTurn]:
    return [each for each in TURNS if (each.language, each.split) == (language, split)]


def test_there_are_figures_for_every_language_and_part() -> None:
    assert {row[:2] for row in PUBLISHED} == {
        (language, split) for language in LANGUAGES for split in SPLITS
    }


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: f"{row[0]}-{row[1]}")
def test_no_figure_is_below_what_is_published(row: tuple[str, ...]) -> None:
    language, split, turns, wanted, precision, recall = row
    got = score(_part(LANGUAGES[language], split), candidates)
    assert (got.turns, got.wanted) == (int(turns), int(wanted))
    assert got.precision * 100 >= int(precision)
    assert got.recall * 100 >= int(recall)


def test_what_is_found_is_let_in_by_the_guard() -> None:
    """Otherwise a finding counts here and is never stored."""
    turned_away = [
        (each.id, found.text)
        for each in TURNS
        for found in candidates(each.turn)
        if gravest(judge(found, each.turn, Policy(), dict(BUDGETS))[1])
        in (Action.REFUSE, Action.HOLD)
    ]
    assert turned_away == []


def test_no_turn_with_a_statement_is_dropped() -> None:
    """A false alarm costs one call, but a missed statement is lost."""
    lost = [each.id for each in TURNS if each.expected and not salience(each.turn).durable]
    assert lost == []


def test_what_is_published_of_salience_is_so() -> None:
    page = PAGE.read_text("utf-8")
    for split in SPLITS:
        full = Counter(bool(each.expected) for each in TURNS if each.split == split)
        alarms = sum(
            salience(each.turn).durable
            for each in TURNS
            if each.split == split and not each.expected
        )
        row = re.search(rf"^\| {split} \| (\d+) \| 0 \| (\d+) \| (\d+) \|$", page, re.MULTILINE)
        assert row is not None
        assert (int(row[1]), int(row[2])) == (full[True], full[False])
        assert alarms <= int(row[3])


def test_the_turns_are_many_and_often_hold_nothing() -> None:
    empty = sum(not each.expected for each in TURNS)
    assert len(TURNS) >= 200
    assert sum(each.language == "zh" for each in TURNS) >= 80
    assert empty / len(TURNS) >= 0.4
    assert len({each.id for each in TURNS}) == len(TURNS)


UNDERSTOOD = re.findall(
    r"^\| `((?:en|zh)/[a-z-]+)` \| (.+?) \| (.+?) \| (\w+)[^|]* \|$",
    PAGE.read_text("utf-8"),
    re.MULTILINE,
)


@pytest.mark.parametrize("row", UNDERSTOOD, ids=lambda row: row[0])
def test_an_example_in_the_reference_is_understood_as_it_says(row: tuple[str, ...]) -> None:
    rule, said, text, kind = row
    [found] = [each for each in candidates(turn(said)) if each.found_by == rule]
    assert (found.text, found.kind) == (text, kind)


PLAIN = re.findall(
    r"^\| ([^|`]+) \| ((?:The user|用户)[^|]+) \| (\w+) \|$", PAGE.read_text("utf-8"), re.MULTILINE
)


@pytest.mark.parametrize("row", PLAIN, ids=lambda row: row[0])
def test_a_plain_statement_in_the_reference_is_kept_as_it_says(row: tuple[str, ...]) -> None:
    said, text, kind = row
    assert (text, kind) in [(each.text, each.kind) for each in candidates(turn(said))]


def test_every_pattern_has_an_example_in_the_reference() -> None:
    rules = {
        f"{language.name}/{rule.name}" for language in (ENGLISH, CHINESE) for rule in language.rules
    }
    assert {row[0] for row in UNDERSTOOD} == rules | {"en/remember", "zh/remember"}

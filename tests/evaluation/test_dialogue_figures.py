"""The figures of the dialogues on the page about reconciliation, measured again."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.dialogues import HELD_OUT, PAGE, SETS, measured, published, table
from bench.learning import dialogue_rows

from erstwhile.evaluation.dialogue_report import DialogueReport
from erstwhile.evaluation.dialogues import (
    FURTHER_DIALOGUES,
    LATER_DIALOGUES,
    Learner,
    read_dialogues,
)
from tests.evaluation.test_learning_figures import PUBLISHED as LEARNING_PAGE
from tests.evaluation.test_learning_figures import worsened

PUBLISHED = published(PAGE.read_text("utf-8"))
AIMS = {Learner.PATTERNS: (0, 0), Learner.ABLE: (0.9, 0), Learner.CARELESS: (0.6, 0.05)}
"""The least share of right dialogues, and the highest share with a right fact retired."""


@pytest.fixture(scope="module")
def reports() -> dict[str, DialogueReport]:
    return measured()


def test_the_page_of_learning_has_the_same_figures(reports: dict[str, DialogueReport]) -> None:
    names, rule, *rows = LEARNING_PAGE[2]
    now = [list(row) for row in dialogue_rows(reports["six languages"].lines)]
    assert len(now) == len(rows)
    assert worsened([names, rule, *rows], [names, rule, *now]) == []


def test_no_dialogue_is_learned_worse_than_is_published(
    reports: dict[str, DialogueReport],
) -> None:
    """With better figures, write them to the page: `python -m bench.dialogues --write`."""
    for name, report in reports.items():
        now = published(table(name, report))[name]
        assert set(now) == set(PUBLISHED[name])
        for kind, (count, *numbers) in PUBLISHED[name].items():
            again, *found = now[kind]
            assert again == count
            right, retired = numbers[::2], numbers[1::2]
            assert all(new >= old for new, old in zip(found[::2], right, strict=True)), kind
            assert all(new <= old for new, old in zip(found[1::2], retired, strict=True)), kind
        for learner, (share, most) in AIMS.items() if name != HELD_OUT else ():
            total = report.total(learner)
            assert total.right >= share * total.dialogues
            assert total.wrongly_retired <= most * total.dialogues


def test_the_page_tells_of_every_kind_in_each_set() -> None:
    for name, path in SETS.items():
        kinds = {each.kind.replace("_", " ") for each in read_dialogues(path)}
        assert set(PUBLISHED[name]) == kinds | {"all"}


@pytest.mark.parametrize(("path", "least"), [(FURTHER_DIALOGUES, 60), (LATER_DIALOGUES, 40)])
def test_the_further_dialogues_are_in_other_languages(path: Path, least: int) -> None:
    dialogues = read_dialogues(path)
    assert len({each.id for each in dialogues}) == len(dialogues) >= least
    assert len({each.language for each in dialogues}) >= 10
    for dialogue in dialogues:
        for turn in dialogue.turns:
            for answer in turn.answers.values():
                assert all(
                    item["quote"] in turn.user for items in answer.values() for item in items
                )

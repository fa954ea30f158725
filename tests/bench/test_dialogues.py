"""The bundled dialogues, and the judgement on what was learned from them."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from bench.evaluation.dialogues import (
    FURTHER_DIALOGUES,
    LATER_DIALOGUES,
    Dialogue,
    DialogueTurn,
    Fault,
    play_dialogue,
    read_dialogues,
)

DIALOGUES = read_dialogues()


def test_every_kind_is_played_in_every_language() -> None:
    assert len(DIALOGUES) >= 100
    assert len({each.id for each in DIALOGUES}) == len(DIALOGUES)
    pairs = Counter((each.kind, each.language) for each in DIALOGUES)
    assert len(pairs) == 12 * 6
    assert set(Counter(each.kind for each in DIALOGUES).values()) == {9}


@pytest.mark.parametrize(("path", "least"), [(FURTHER_DIALOGUES, 60), (LATER_DIALOGUES, 40)])
def test_the_other_sets_are_in_many_languages(path: Path, least: int) -> None:
    dialogues = read_dialogues(path)
    assert len({each.id for each in dialogues}) == len(dialogues) >= least
    assert len({each.language for each in dialogues}) >= 10


def _told(*said: str, **expected: Any) -> Dialogue:
    first = datetime(2026, 3, 1, tzinfo=UTC)
    turns = tuple(
        DialogueTurn(user=text, assistant="All right.", said_at=first + timedelta(days=day))
        for day, text in enumerate(said)
    )
    usual: dict[str, Any] = {"live": (), "not_live": (), "wrong": ()}
    return Dialogue(id="told", kind="told", language="en", turns=turns, **{**usual, **expected})


MOVED = ("I live in Lisbon.", "I moved from Lisbon to Porto.")


@pytest.mark.parametrize(
    ("dialogue", "faults"),
    [
        (_told(*MOVED, live=(("Porto",),), not_live=("lives in Lisbon",)), set()),
        (_told(*MOVED, live=(("Oslo", "Porto"),)), set()),
        (_told(*MOVED, live=(("lives in Lisbon",),)), {Fault.WRONGLY_RETIRED}),
        (_told(*MOVED, live=(("Oslo",),)), {Fault.MISSED}),
        (_told(*MOVED, not_live=("lives in Porto",)), {Fault.BELIEVED}),
        (_told(*MOVED, wrong=("lives in Lisbon",)), {Fault.ENDED_OTHERWISE}),
        (_told(MOVED[0], "Thanks!", not_live=("LISBON",)), {Fault.STALE}),
        (
            _told(*MOVED, live=(("Oslo",), ("lives in Lisbon",))),
            {Fault.MISSED, Fault.WRONGLY_RETIRED},
        ),
    ],
)
def test_each_fault_is_told_apart(dialogue: Dialogue, faults: set[Fault]) -> None:
    assert play_dialogue(dialogue).faults == faults

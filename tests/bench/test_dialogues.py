"""The bundled dialogues, and the judgement on what was learned from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
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
    Learner,
    play_dialogue,
    read_dialogues,
)
from bench.evaluation.simulated_model import Proposals

DIALOGUES = read_dialogues()
MODELS = (Learner.ABLE, Learner.CARELESS)


def _proposed(proposals: Proposals) -> Iterator[Mapping[str, Any]]:
    for items in proposals.values():
        yield from items


def _named(item: Mapping[str, Any]) -> list[str]:
    ids = [*item.get("ids", ()), *([item["id"]] if "id" in item else [])]
    return [id.removeprefix("@") for id in ids]


def test_every_kind_is_played_in_every_language() -> None:
    assert len(DIALOGUES) >= 100
    assert len({each.id for each in DIALOGUES}) == len(DIALOGUES)
    pairs = Counter((each.kind, each.language) for each in DIALOGUES)
    assert len(pairs) == 12 * 6
    assert set(Counter(each.kind for each in DIALOGUES).values()) == {9}


def test_both_models_quote_the_user_and_name_known_facts() -> None:
    for dialogue in DIALOGUES:
        known = list[str]()
        for turn in dialogue.turns:
            for item in (each for model in MODELS for each in _proposed(turn.answers[model])):
                assert item["quote"] in turn.user
                assert all(any(text.startswith(name) for text in known) for name in _named(item))
            able = _proposed(turn.answers[Learner.ABLE])
            known += [item["text"] for item in able if "text" in item]
        assert dialogue.live or dialogue.not_live


@pytest.mark.parametrize(("path", "least"), [(FURTHER_DIALOGUES, 60), (LATER_DIALOGUES, 40)])
def test_the_other_sets_are_in_many_languages(path: Path, least: int) -> None:
    dialogues = read_dialogues(path)
    assert len({each.id for each in dialogues}) == len(dialogues) >= least
    assert len({each.language for each in dialogues}) >= 10


def test_a_careless_model_answers_otherwise_where_it_matters() -> None:
    """A move or a new job can hardly be misread; the other kinds can."""
    mistaken = Counter(
        each.kind
        for each in DIALOGUES
        if any(turn.answers[MODELS[0]] != turn.answers[MODELS[1]] for turn in each.turns)
    )
    assert set(mistaken) == {each.kind for each in DIALOGUES}
    assert sum(mistaken.values()) >= 80


def _told(*said: str, **expected: Any) -> Dialogue:
    first = datetime(2026, 3, 1, tzinfo=UTC)
    turns = tuple(
        DialogueTurn(
            user=text, assistant="All right.", said_at=first + timedelta(days=day), answers={}
        )
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
    assert play_dialogue(dialogue, Learner.PATTERNS).faults == faults


@pytest.mark.parametrize("learner", MODELS)
def test_a_model_answers_each_turn(learner: Learner) -> None:
    moved = next(each for each in DIALOGUES if each.kind == "new_job" and each.language == "en")
    played = play_dialogue(moved, learner)
    assert (played.faults, len(played.retired)) == (frozenset(), 1)

"""The bundled dialogues, and the judgement on what was learned from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from erstwhile.evaluation.dialogue_report import Fault
from erstwhile.evaluation.dialogue_trial import play, run_dialogues
from erstwhile.evaluation.dialogues import (
    Dialogue,
    DialogueTurn,
    Learner,
    read_dialogues,
)
from erstwhile.evaluation.simulated_model import Proposals

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


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda each: each.id)
def test_both_models_quote_the_user_and_name_known_facts(dialogue: Dialogue) -> None:
    known = list[str]()
    for turn in dialogue.turns:
        for learner in MODELS:
            for item in _proposed(turn.answers[learner]):
                assert item["quote"] in turn.user
                assert all(any(text.startswith(name) for text in known) for name in _named(item))
        known += [item["text"] for item in _proposed(turn.answers[Learner.ABLE]) if "text" in item]
    assert dialogue.live or dialogue.not_live


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
    played = play(dialogue, Learner.PATTERNS)
    assert played.faults == faults
    assert played.is_right is not bool(faults)


def test_the_report_counts_by_learner_and_kind() -> None:
    right, missed = _told(*MOVED, live=(("Porto",),)), _told(*MOVED, live=(("Oslo",),))
    told = list[str]()
    report = run_dialogues([right, missed], [Learner.PATTERNS], told.append)
    assert [line.kind for line in report.lines] == ["all", "told"]
    total = report.total(Learner.PATTERNS)
    assert (total.dialogues, total.right, total.missed, total.wrongly_retired) == (2, 1, 1, 0)
    assert len(told) == len(report.played) == 2

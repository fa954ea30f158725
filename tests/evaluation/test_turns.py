"""The bundled turns with labelled answers, and the judgement on what was learned from them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from erstwhile.core.kinds import Kind
from erstwhile.evaluation.turn_report import Aim, turn_report
from erstwhile.evaluation.turn_trial import play_turn, run_turns
from erstwhile.evaluation.turns import (
    CORRECT,
    LATER_TURNS,
    Fate,
    KnownFact,
    SampleTurn,
    read_turns,
)

TURNS = read_turns()
LATER = read_turns(LATER_TURNS)
LABELS = {
    CORRECT, "assistant", "hypothetical", "invented", "joke", "misread", "negated", "other person",
    "pasted", "plan", "question", "quotation", "quoted", "story", "temporary", "tool", "wrong",
}  # fmt: skip


def _proposed(turn: SampleTurn) -> Iterator[Mapping[str, Any]]:
    for items in turn.answer.values():
        yield from items


def _named(item: Mapping[str, Any]) -> Iterator[str]:
    for id in [*item.get("ids", ()), *([item["id"]] if "id" in item else [])]:
        if id.startswith("@"):
            yield id.removeprefix("@")


def _letters(text: str) -> str:
    """Return what is left without case, spaces and punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(each for each in plain if unicodedata.category(each)[0] in "LMN")


def test_the_turns_are_many_and_in_many_languages() -> None:
    languages = Counter(each.language for each in TURNS)
    assert len(TURNS) >= 320
    assert len({each.id for each in TURNS}) == len(TURNS)
    assert sum(count >= 10 for count in languages.values()) >= 12
    assert 0.2 <= languages["en"] / len(TURNS) <= 0.3


@pytest.mark.parametrize("half", ["a", "b"])
def test_each_half_has_proposals_of_all_sorts(half: str) -> None:
    own = [each for each in TURNS if each.half == half]
    labels = Counter(item["label"] for each in own for item in _proposed(each))
    fates = Counter(fact.after for each in own for fact in each.known)
    assert {each.language for each in own} == {each.language for each in TURNS}
    assert labels[CORRECT] >= 150
    assert sum(labels.values()) - labels[CORRECT] >= 100
    assert min(fates[fate] for fate in Fate) >= 8


def test_the_later_turns_are_enough_to_judge_by() -> None:
    labels = Counter(item["label"] for each in LATER for item in _proposed(each))
    fates = Counter(fact.after for each in LATER for fact in each.known)
    assert len({each.id for each in LATER}) == len(LATER) >= 160
    assert len({each.language for each in LATER}) >= 14
    assert labels[CORRECT] >= 150
    assert sum(labels.values()) - labels[CORRECT] >= 100
    assert fates[Fate.LIVE] >= 60
    assert fates[Fate.RETIRED] + fates[Fate.WRONG] >= 60


@pytest.mark.parametrize("turn", [*TURNS, *LATER], ids=lambda each: each.id)
def test_a_label_is_known_and_a_correct_proposal_quotes_the_user(turn: SampleTurn) -> None:
    said = _letters(turn.user)
    for item in _proposed(turn):
        assert item["label"] in LABELS
        if item["label"] == CORRECT:
            parts = re.split(r"\.\.\.|…", item["quote"])
            assert all(_letters(part) in said for part in parts), item["quote"]


@pytest.mark.parametrize("turn", [*TURNS, *LATER], ids=lambda each: each.id)
def test_known_facts_are_named_where_they_end(turn: SampleTurn) -> None:
    named = [name for item in _proposed(turn) for name in _named(item)]
    for name in named:
        assert sum(fact.text.startswith(name) for fact in turn.known) == 1
    for fact in turn.known:
        if fact.after is not Fate.LIVE:
            assert any(fact.text.startswith(name) for name in named)


def _told(user: str, known: tuple[KnownFact, ...] = (), **answer: Any) -> SampleTurn:
    return SampleTurn(
        id="en-1",
        half="a",
        language="en",
        kind="told",
        said_at=datetime(2026, 3, 2, 12, tzinfo=UTC),
        before=(),
        known=known,
        user=user,
        tools=(),
        assistant="All right.",
        answer=answer,
    )


def _fact(text: str, after: Fate) -> KnownFact:
    return KnownFact(text, Kind.PROFILE, None, None, after)


def _item(text: str, quote: str, label: str = CORRECT, **more: Any) -> dict[str, Any]:
    return {"label": label, "text": text, "quote": quote, "kind": "profile", **more}


HOME = _item("The user lives in Lisbon", "I live in Lisbon")
UNSAID = _item("The user lives in Oslo with Nina", "I live in Lisbon")
MOVED = "I moved from Lisbon to Porto."
PORTO = _item("The user lives in Porto", "I moved from Lisbon to Porto", ids=["@The user lives"])


def _judged(turn: SampleTurn) -> list[tuple[Aim, bool]]:
    return [(each.aim, each.is_right) for each in play_turn(turn).judgements]


@pytest.mark.parametrize(
    ("turn", "judged"),
    [
        (_told("I live in Lisbon.", add=[HOME]), [(Aim.STORE, True)]),
        (_told("I live in Lisbon.", add=[HOME | {"label": "joke"}]), [(Aim.KEEP_OUT, False)]),
        (_told("I live in Lisbon.", add=[UNSAID]), [(Aim.STORE, False)]),
        (_told("I live in Lisbon.", add=[UNSAID | {"label": "joke"}]), [(Aim.KEEP_OUT, True)]),
        (
            _told(MOVED, (_fact("The user lives in Lisbon", Fate.RETIRED),), supersede=[PORTO]),
            [(Aim.STORE, True), (Aim.END, True)],
        ),
        (
            _told(MOVED, (_fact("The user lives in Lisbon", Fate.LIVE),), supersede=[PORTO]),
            [(Aim.STORE, True), (Aim.KEEP, False)],
        ),
        (
            _told(MOVED, (_fact("The user lives in Lisbon", Fate.WRONG),), supersede=[PORTO]),
            [(Aim.STORE, True), (Aim.END, False)],
        ),
        (
            _told(MOVED, (_fact("The user lives in Lisbon", Fate.RETIRED),)),
            [(Aim.END, False)],
        ),
        (
            _told("I live in Lisbon.", (_fact("The user has a dog", Fate.LIVE),), add=[HOME]),
            [(Aim.STORE, True), (Aim.KEEP, True)],
        ),
    ],
)
def test_each_aim_is_judged(turn: SampleTurn, judged: list[tuple[Aim, bool]]) -> None:
    assert _judged(turn) == judged


def test_a_turn_is_played_after_the_exchange_before_it() -> None:
    turn = next(each for each in TURNS if each.before)
    played = play_turn(turn)
    assert len(played.judgements) == len(list(turn.statements)) + len(turn.known)


def test_the_report_counts_by_half_and_language() -> None:
    stored, unfounded = _told("I live in Lisbon.", add=[HOME]), _told("Hm.", add=[UNSAID])
    told = list[str]()
    report = run_turns([stored, unfounded], told.append)
    assert [line.group for line in report.lines] == ["all", "half a", "en"]
    score = report.total().of(Aim.STORE)
    assert (report.total().turns, score.right, score.of, score.share) == (2, 1, 2, 0.5)
    assert report.total().of(Aim.END).share is None
    assert len(told) == 2


def test_of_the_later_set_only_totals_are_told() -> None:
    turn = _told("I live in Lisbon.", add=[HOME | {"label": "joke"}])
    report = turn_report([play_turn(turn), play_turn(replace(turn, half="later", language="da"))])
    assert [(line.group, line.turns) for line in report.lines] == [
        ("all", 1), ("half a", 1), ("held out, later", 1), ("en", 1)
    ]  # fmt: skip
    assert [each.of for each in report.labels] == [1]


def test_the_report_counts_unfounded_proposals_by_label() -> None:
    believed = _told("I live in Lisbon.", add=[HOME | {"label": "joke"}])
    report = turn_report([play_turn(believed)])
    [joke] = report.labels
    assert (joke.label, joke.kept_out, joke.of) == ("joke", 0, 1)

"""The bundled turns with labelled answers, and the judgement on what was learned from them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from bench.evaluation.simulated_model import verifying, was_verified
from bench.evaluation.turns import (
    CORRECT,
    FRESH_TURNS,
    LATER_TURNS,
    Aim,
    Fate,
    KnownFact,
    SampleTurn,
    play_turn,
    read_turns,
)

from erstwhile.core.ports import Prompt
from erstwhile.types import Kind

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


def test_each_half_has_proposals_of_all_sorts() -> None:
    for half in ("a", "b"):
        own = [each for each in TURNS if each.half == half]
        labels = Counter(item["label"] for each in own for item in _proposed(each))
        fates = Counter(fact.after for each in own for fact in each.known)
        assert {each.language for each in own} == {each.language for each in TURNS}
        assert labels[CORRECT] >= 150
        assert sum(labels.values()) - labels[CORRECT] >= 100
        assert min(fates[fate] for fate in Fate) >= 8


def test_a_label_is_known_and_a_correct_proposal_quotes_the_user() -> None:
    for turn in (*TURNS, *LATER):
        said = _letters(turn.user)
        for item in _proposed(turn):
            assert item["label"] in LABELS, turn.id
            if item["label"] == CORRECT:
                parts = re.split(r"\.\.\.|…", item["quote"])
                assert all(_letters(part) in said for part in parts), turn.id


def test_known_facts_are_named_where_they_end() -> None:
    for turn in (*TURNS, *LATER):
        named = [name for item in _proposed(turn) for name in _named(item)]
        for name in named:
            assert sum(fact.text.startswith(name) for fact in turn.known) == 1, turn.id
        for fact in turn.known:
            ends = fact.after is not Fate.LIVE
            assert not ends or any(fact.text.startswith(name) for name in named), turn.id


def test_most_turns_have_recorded_verifications() -> None:
    for path, rounds in ((None, {"a", "b"}), (LATER_TURNS, {"later"}), (FRESH_TURNS, {"round 3"})):
        turns = read_turns(path) if path else TURNS
        own = [each for each in turns if each.half in rounds]
        assert sum(was_verified(each.id) for each in own) >= 0.8 * len(own)


def test_a_verification_repeats_what_was_recorded_and_is_else_empty() -> None:
    asked = ("The user follows a vegan diet since January 2026", "The user lives on Mars")
    notes = [json.dumps({"n": n, "statement": text}) for n, text in enumerate(asked, start=1)]
    prompt = Prompt(system="", user="\n".join(notes), schema={})
    assert verifying("en-01")(prompt) == {
        "answers": [{"n": 1, "answer": "said"}, {"n": 2, "answer": ""}]
    }


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


def _verified(prompt: Prompt) -> dict[str, Any]:
    """Verify what was said; known facts are over."""
    notes = [json.loads(line) for line in prompt.user.splitlines() if line.startswith('{"n":')]
    return {"answers": [{"n": each["n"], "answer": _verdict(each)} for each in notes]}


def _verdict(note: Mapping[str, str]) -> str:
    if "statement" not in note:
        return "over"
    return "more than said" if note["statement"] == UNSAID["text"] else "said"


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
def test_each_aim_is_judged(
    turn: SampleTurn, judged: list[tuple[Aim, bool]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bench.evaluation.turns.verifying", lambda _: _verified)
    assert [(each.aim, each.is_right) for each in play_turn(turn).judgements] == judged


def test_a_turn_is_played_after_the_exchange_before_it() -> None:
    turn = next(each for each in TURNS if each.before)
    played = play_turn(turn)
    assert len(played.judgements) == len(list(turn.statements)) + len(turn.known)

"""What the other proposals of an answer and the known facts say about a proposal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from bench.evaluation.simulated_model import answering

import erstwhile
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from erstwhile.testing.scripted_llm import ScriptedLlm

pytestmark = pytest.mark.usefixtures("rules_alone")
SAID_AT = datetime(2026, 6, 19, 12, tzinfo=UTC)
Answer = Mapping[str, Sequence[Mapping[str, Any]]]


def _live_after(known: Sequence[str], said: str, answer: Answer, **home: str) -> list[str]:
    """Return the live facts after a turn with this answer of the model."""
    clock, llm = FakeClock(SAID_AT), ScriptedLlm()
    with erstwhile.open(":memory:", embedder="universal", llm=llm, clock=clock) as memory:
        user = memory.scoped(user="ana")
        _remember(user, known, home)
        llm.script.append(answering(answer))
        user.observe_turn(said, "Fine.", said_at=clock.advance(minutes=1), wait=True)
        return [fact.text for fact in user.facts.list(limit=50)]


def _remember(user: Memory, known: Sequence[str], home: Mapping[str, str]) -> None:
    for text in known:
        user.remember(text)
    for key, value in home.items():
        user.remember(f"The user lives in {value}", key=key, value=value)


@pytest.mark.parametrize(
    ("fact", "said", "told"),
    [
        ("The user owns a Honda Civic", "civic went to a guy for 4200", "sold the Honda Civic"),
        (
            "The user takes sertraline",
            "sertraline jäi maanantaina pois",
            "stopped taking sertraline",
        ),
    ],
)
def test_another_statement_of_the_answer_tells_an_end(fact: str, said: str, told: str) -> None:
    answer: Answer = {
        "add": [{"text": f"The user {told}", "quote": said, "kind": "event"}],
        "end": [{"id": f"@{fact}", "quote": said}],
    }

    assert fact not in _live_after([fact], said, answer)
    assert fact in _live_after([fact], said, {"end": answer["end"]})


def test_the_same_words_tell_of_one_person() -> None:
    known = ["The user is married", "The user has a friend in Porto"]
    said = "bestie Kat divorced him yesterday"
    answer: Answer = {
        "add": [{"text": "The user's friend Kat got divorced", "quote": said, "kind": "relation"}],
        "end": [{"id": "@The user is married", "quote": "divorced him yesterday"}],
    }

    assert "The user is married" in _live_after(known, said, answer)


def test_a_clause_that_begins_with_somebody_known_is_about_them() -> None:
    known = ["The user has a boyfriend named Theo", "The user has a flatmate named Bex"]
    said = "Bex and her fella split up last night. what do I say to her"
    answer: Answer = {"end": [{"id": f"@{known[0]}", "quote": "split up last night"}]}

    assert known[0] in _live_after(known, said, answer)


def test_a_stay_in_another_proposal_makes_a_home_a_stay() -> None:
    said = "living out of a suitcase in Taipei, the hotel is paid thru the 25th"
    answer: Answer = {
        "add": [
            {
                "text": "The user is in Taipei for work until 2026-06-25",
                "quote": "the hotel is paid thru the 25th",
                "kind": "state",
                "expires": "2026-06-26",
            }
        ],
        "supersede": [
            {
                "ids": ["@The user lives in San Diego"],
                "text": "The user lives in Taipei",
                "quote": "living out of a suitcase in Taipei",
                "kind": "profile",
                "key": "home",
                "value": "Taipei",
            }
        ],
    }

    assert "The user lives in San Diego" in _live_after([], said, answer, home="San Diego")


def test_words_that_name_nothing_end_the_fact_that_they_mean() -> None:
    known = ["The user works at Banco Galicia", "The user is an analyst"]
    said = "perdón me expresé mal, en el Galicia tengo la cuenta, no trabajo ahí"
    answer: Answer = {"end": [{"id": "@The user is an analyst", "quote": "me expresé mal"}]}

    assert "The user is an analyst" in _live_after(known, said, answer)


def test_now_alone_ends_nothing() -> None:
    known = ["The user works at Gojek"]
    said = "sekarang naik angkot ke kantor gojek wkwk"
    answer: Answer = {"end": [{"id": "@The user works at Gojek", "quote": said}]}

    assert known[0] in _live_after(known, said, answer)

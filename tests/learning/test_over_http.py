"""From a turn over a language model behind a real server to a fact."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import erstwhile
from erstwhile.testing.clock import FakeClock
from tests.adapters.llm_server import chat, failing, llm_server
from tests.adapters.loopback import LoopbackServer
from tests.learning.extraction_answers import adding, fact

LISBON = json.dumps(
    adding(fact("The user lives in Lisbon", "profile", key="home", quote="I live in Lisbon"))
)
SAID = json.dumps({"answers": [{"n": 1, "answer": "said"}]})


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with llm_server() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def ana(server: LoopbackServer, clock: FakeClock) -> Iterator[erstwhile.Memory]:
    settings = erstwhile.Settings(
        embedder="none", llm="openai:test-model", llm_url=server.url, daily_limit="100 tokens"
    )
    with erstwhile.open(":memory:", settings=settings, clock=clock) as memory:
        yield memory.scoped(user="ana")


def shown(server: LoopbackServer) -> str:
    """Return all that the server received with the last question."""
    body: dict[str, Any] = server.seen[-1].body
    return json.dumps(body, ensure_ascii=False)


def test_a_turn_becomes_a_fact(server: LoopbackServer, ana: erstwhile.Memory) -> None:
    """The answer is in a code fence, and the tokens are those that the server counted.

    The model verifies what it proposes.
    """
    server.script += [chat(f"Here you are:\n```json\n{LISBON}\n```"), chat(SAID)]
    [attempt] = ana.observe_turn("I live in Lisbon.", "Fine.", wait=True).attempts
    assert (attempt.outcome, attempt.method) == ("learned", "llm:test-model")
    assert (attempt.input, attempt.output) == (2 * 30, 2 * 7)
    assert ana.facts.value("home") == "The user lives in Lisbon"
    assert "I live in Lisbon." in shown(server)


def test_a_server_that_asks_for_patience_gets_it(
    server: LoopbackServer, ana: erstwhile.Memory, clock: FakeClock
) -> None:
    """The turn is tried again after the delay, and learned once."""
    server.script.append(failing(429, Retry_After="600"))
    [attempt] = ana.observe_turn("I live in Lisbon.", "Fine.", wait=True).attempts
    assert attempt.outcome == "failed"
    assert "429" in (attempt.reason or "")
    clock.advance(seconds=590)
    assert (ana.learn(), len(server.seen)) == ([], 1)
    clock.advance(seconds=20)
    server.script += [chat(LISBON), chat(SAID)]
    assert [attempt.outcome for attempt in ana.learn()] == ["learned"]


def test_cut_off_answers_are_given_up_and_charged(
    server: LoopbackServer, ana: erstwhile.Memory
) -> None:
    """At the daily limit, patterns go on alone."""
    server.script += [chat(LISBON[:40], finish="length")] * 3
    made = ana.observe_turn("My dog is called Rex.", "Fine.", wait=True).attempts
    assert [attempt.outcome for attempt in made] == ["failed", "failed", "given_up"]
    assert ana.learning.status().reached
    [attempt] = ana.observe_turn("My cat is called Miso.", "Fine.", wait=True).attempts
    assert (attempt.outcome, attempt.method) == ("learned", "capped")
    assert (ana.facts.count(), len(server.seen)) == (2, 3)


def test_a_wrong_key_costs_no_turn(server: LoopbackServer, ana: erstwhile.Memory) -> None:
    server.script.append(failing(401, code="invalid_api_key"))
    [attempt] = ana.observe_turn("I live in Lisbon.", "Fine.", wait=True).attempts
    assert attempt.outcome == "failed"
    assert "401 (invalid_api_key)" in (ana.learning.status().failing or "")
    assert ana.learning.pending()[0].tries == 0

"""Learning with a real model: no turn is lost, whatever it answers.

It takes some minutes, and a small model answers nonsense, so it runs only on request:
    ERSTWHILE_TEST_LLM=1 pytest tests/learning/test_real_model.py
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

import erstwhile
from erstwhile.adapters.llm.openai import OpenAiLlm
from erstwhile.core.ports import Completion, Prompt
from tests.adapters.real_llm import ONLY_WHEN_ASKED_FOR, serving

pytestmark = ONLY_WHEN_ASKED_FOR

MAX_LENGTH = 200
"""Tokens of an answer: a small model finds no end by itself."""


class Brief:
    """A model with a short limit on its answers."""

    def __init__(self, llm: OpenAiLlm) -> None:
        self.model = llm.model
        self._llm = llm

    def complete(self, prompt: Prompt, cancelled: Callable[[], bool] = lambda: False) -> Completion:
        return self._llm.complete(replace(prompt, max_tokens=MAX_LENGTH), cancelled)


@pytest.fixture
def ana() -> Iterator[erstwhile.Memory]:
    with serving(4_096) as url:
        llm = Brief(OpenAiLlm("smollm2", url, timeout=600))
        with erstwhile.open(":memory:", embedder="none", llm=llm) as memory:
            yield memory.scoped(user="ana")


def test_a_turn_is_learned_from_or_given_up_and_never_lost(ana: erstwhile.Memory) -> None:
    ana.observe_turn("My name is Mel, and I live in Lyon.", "Nice to meet you!", wait=True)
    attempts = list(ana.learning.attempts())
    assert attempts[0].outcome in ("learned", "held", "nothing", "given_up")
    assert all(each.outcome == "failed" for each in attempts[1:])
    assert not ana.learning.pending()
    assert {each.method for each in attempts} <= {"llm:smollm2", "patterns"}
    [spent] = ana.usage.summary(session="erstwhile")
    assert spent.calls == len(attempts)
    assert spent.input > 0
    if attempts[0].outcome == "given_up":
        assert "The user's name is Mel" in [fact.text for fact in ana.facts.list()]

"""A turn on which our own rules fail is reported and given up; the turns after it are learned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import erstwhile
from erstwhile import Fact
from erstwhile.learning import apply, pipeline
from erstwhile.learning.patterns import read as patterns
from erstwhile.learning.turn import Turn
from tests.learning.answering_llm import AnsweringLlm


@pytest.fixture
def memory() -> Iterator[erstwhile.Memory]:
    with erstwhile.open(":memory:", llm=AnsweringLlm(), embedder="none") as memory:
        yield memory


def failing(function: Any) -> Any:
    """Wrap a function so that it raises an error on the word "bomb"."""

    def called(*given: Any, **named: Any) -> Any:
        if "bomb" in repr([_without_context(each) for each in given]):
            raise ZeroDivisionError
        return function(*given, **named)

    return called


def _without_context(value: Any) -> Any:
    if isinstance(value, list):
        return [each for each in value if not isinstance(each, Fact)]
    return replace(value, before=()) if isinstance(value, Turn) else value


@pytest.mark.parametrize(
    ("owner", "name"),
    [(pipeline, "with_provenance"), (pipeline, "guarded"), (apply, "reconcile")],
    ids=["provenance", "guard", "reconciliation"],
)
@pytest.mark.parametrize("patterns_too", [False, True])
def test_a_turn_that_fails_does_not_block_the_next(
    memory: erstwhile.Memory,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    name: str,
    patterns_too: bool,
) -> None:
    monkeypatch.setattr(owner, name, failing(getattr(owner, name)))
    if patterns_too:
        monkeypatch.setattr(patterns, "candidates", failing(patterns.candidates))
    for thing in ("kettle", "bomb", "bicycle"):
        memory.conversations.add("user", f"I own a {thing}.")
    made = memory.learn()
    outcomes = [attempt.outcome for attempt in made]
    assert outcomes == ["learned", "failed", "failed", "given_up", "learned"]
    assert "ZeroDivisionError" in (made[3].reason or "")
    assert {fact.text for fact in memory.facts.list()} >= {
        "The user owns a kettle",
        "The user owns a bicycle",
    }
    assert memory.learning.pending() == []
    assert memory.audit.verify().ok

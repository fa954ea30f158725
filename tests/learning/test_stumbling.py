"""A turn that our own rules trip over stops nothing: it is told of, given up, and passed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import erstwhile
from erstwhile.learning import apply_changes as settling
from erstwhile.learning import evaluate_turn as weighing
from erstwhile.learning import patterns
from tests.learning.answering import AnsweringLlm


@pytest.fixture
def memory() -> Iterator[erstwhile.Memory]:
    with erstwhile.open(":memory:", llm=AnsweringLlm(), embedder="none") as memory:
        yield memory


def tripping(function: Any) -> Any:
    """The function, but that it cannot bear a bomb."""

    def called(*given: Any, **named: Any) -> Any:
        if "bomb" in repr(given):
            raise ZeroDivisionError
        return function(*given, **named)

    return called


@pytest.mark.parametrize(
    ("module", "name"),
    [(weighing, "look"), (weighing, "judge"), (settling, "reconcile")],
    ids=["looking", "judging", "comparing"],
)
@pytest.mark.parametrize("patterns_too", [False, True])
def test_a_stumbling_block_is_passed(
    memory: erstwhile.Memory,
    monkeypatch: pytest.MonkeyPatch,
    module: Any,
    name: str,
    patterns_too: bool,
) -> None:
    monkeypatch.setattr(module, name, tripping(getattr(module, name)))
    if patterns_too:
        monkeypatch.setattr(patterns, "candidates", tripping(patterns.candidates))
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

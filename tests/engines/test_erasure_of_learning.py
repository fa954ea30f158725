"""Erasing leaves no byte in attempts and conflicts."""

from __future__ import annotations

from pathlib import Path

import erstwhile
from erstwhile.facts.conflict import note_conflict
from erstwhile.learning import attempts
from erstwhile.learning.attempts import AttemptChange, AttemptOutcome
from erstwhile.learning.candidate import Act
from erstwhile.learning.progress import PendingTurn
from tests.engines.test_erasure import (
    IMPATIENT,
    Tokens,
    assert_gone,
    bytes_on_disk,
    pieces,
    windows,
)


def attempt(memory: erstwhile.Memory, token: Tokens) -> str:
    """Add a conversation with a learning attempt, and return its id."""
    message = memory.conversations.add("user", token(500), channel=token())
    turn = PendingTurn(conversation=message.conversation, scope=memory.scope, messages=(message,))
    memory._access.change(
        lambda unit: attempts.add(
            unit, turn, AttemptOutcome.FAILED, method="none", reason=token(3_000)
        )
    )
    return message.conversation


def clash(memory: erstwhile.Memory, token: Tokens) -> list[str]:
    """Add a settled conflict, and return the ids of its facts."""
    one, other = memory.remember(token()), memory.remember(token())
    [conflict] = memory._access.change(lambda unit: note_conflict(unit, other, [one], token(3_000)))
    memory.conflicts.settle(conflict.id, other.id, reason=token(2_000))
    return [one.id, other.id]


def proposal(memory: erstwhile.Memory, token: Tokens, fact: str | None = None) -> str:
    """Add an attempt that tells what was proposed, and return the id of its message."""
    message = memory.conversations.add("user", "said", channel=Tokens(len(token.made) + 7)())
    turn = PendingTurn(conversation=message.conversation, scope=memory.scope, messages=(message,))
    change = AttemptChange(act=Act.ADD, fact=fact, text=token(250), quote=token(250))
    memory._access.change(
        lambda unit: attempts.add(
            unit, turn, AttemptOutcome.LEARNED, method="none", changes=[change]
        )
    )
    return message.id


def test_nothing_of_a_proposal_is_left(tmp_path: Path) -> None:
    """Neither after the erasure of its fact, nor after that of its message."""
    gone, kept, file = Tokens(1), Tokens(2), tmp_path / "memory.db"
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        fact = memory.remember(gone())
        message = proposal(memory, gone)
        proposal(memory, gone, fact.id)
        proposal(memory, kept)
        there = windows(bytes_on_disk(file))
        assert all(pieces([word]) & there for word in gone.made)
        memory.facts.erase(fact.id)
        memory.conversations.erase(message)
        assert_gone(file, gone, kept)
        assert memory.audit.verify().ok


def test_nothing_of_attempts_and_conflicts_is_left(tmp_path: Path) -> None:
    """Reasons and resolutions are erased with the conversation and the fact."""
    gone, kept, file = Tokens(1), Tokens(2), tmp_path / "memory.db"
    with erstwhile.open(file, settings=IMPATIENT) as memory:
        attempt(memory, kept)
        clash(memory, kept)
        conversation, facts = attempt(memory, gone), clash(memory, gone)
        attempt(memory, kept)
        clash(memory, kept)
        there = windows(bytes_on_disk(file))
        assert all(pieces([word]) & there for word in gone.made)
        memory.conversations.erase(conversation)
        memory.facts.erase(*facts)
        assert_gone(file, gone, kept)
        assert memory.audit.verify().ok

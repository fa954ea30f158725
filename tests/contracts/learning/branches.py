"""Learning from branched conversations: a message and its copies are learned from once."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import ConflictError
from erstwhile.memory import Memory
from tests.contracts.base import Contract
from tests.contracts.learning.progress import finish, held, learned, next_turn, want


class LearningBranchesContract(Contract):
    def test_a_message_and_its_copies_are_learned_from_once(self, memory: Memory) -> None:
        """Also in a branch of a branch."""
        chats = memory.conversations
        pair = chats.add_exchange("a", "b")
        branch = chats.branch(pair.assistant.id)
        chats.add_exchange("c", "d", conversation=branch.id)
        chats.branch(chats.messages(branch.id)[1].id)
        want(memory)
        assert learned(memory) == [["a", "b"], ["c", "d"]]
        chats.branch(pair.assistant.id)
        want(memory)
        assert learned(memory) == []

    def test_whoever_comes_first_learns_from_it(self, memory: Memory) -> None:
        """So no branch waits for a conversation that nobody learns from."""
        chats = memory.conversations
        branch = chats.branch(chats.add_exchange("a", "b").assistant.id)
        want(memory, branch.id)
        assert learned(memory) == [["a", "b"]]
        want(memory)
        assert learned(memory) == []

    def test_who_comes_second_stores_nothing(self, memory: Memory) -> None:
        """Each conversation has its own lease, but the message is the same."""
        chats = memory.conversations
        pair = chats.add_exchange("a", "b")
        branch = chats.branch(pair.assistant.id)
        want(memory)
        one, other = held(memory, pair.user.conversation), held(memory, branch.id)
        turns = [next_turn(memory, learner) for learner in (one, other)]
        finish(memory, other, turns[1])
        with pytest.raises(ConflictError, match="learned from meanwhile"):
            finish(memory, one, turns[0])
        assert next_turn(memory, one) is None

    @pytest.mark.parametrize("way", ["undo", "delete"])
    def test_a_copy_is_learned_from_when_the_first_is_gone(self, memory: Memory, way: str) -> None:
        """In one branch only, and not again when the original is restored."""
        chats = memory.conversations
        pair = chats.add_exchange("a", "b")
        first = pair.user.conversation
        for _ in range(2):
            chats.branch(pair.assistant.id)
        want(memory)
        if way == "undo":
            chats.undo(first, 2)
        else:
            chats.delete(first)
        assert learned(memory) == [["a", "b"]]
        if way == "delete":
            chats.restore(first)
        want(memory)
        assert learned(memory) == []

    def test_undoing_what_was_learned_frees_no_copy(self, memory: Memory) -> None:
        """The message was learned from already."""
        chats = memory.conversations
        pair = chats.add_exchange("a", "b")
        want(memory)
        assert learned(memory) == [["a", "b"]]
        branch = chats.branch(pair.assistant.id)
        chats.undo(pair.user.conversation, 2)
        want(memory, branch.id)
        assert learned(memory) == []

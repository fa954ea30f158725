"""Conversations: atomic changes, tampering, erasure and purge."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from erstwhile.conversations.conversation import Exchange
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.ports import Engine
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, unchanged
from tests.contracts.storage.audit import assert_whole

CHANGES: dict[str, Callable[[Memory, Exchange], Any]] = {
    "start": lambda memory, _: memory.conversations.start("new"),
    "current": lambda memory, _: memory.conversations.current("new"),
    "add": lambda memory, _: memory.conversations.add("user", "c", key="2"),
    "add_exchange": lambda memory, _: memory.conversations.add_exchange("c", "d", channel="new"),
    "undo": lambda memory, said: memory.conversations.undo(said.user.conversation, 2),
    "branch": lambda memory, said: memory.conversations.branch(said.assistant.id),
    "compact": lambda memory, said: memory.conversations.compact(said.user.conversation, "s"),
    "close": lambda memory, said: memory.conversations.close(said.user.conversation, "s"),
    "delete": lambda memory, said: memory.conversations.delete(said.user.conversation),
    "erase": lambda memory, said: memory.conversations.erase(said.user.conversation),
    "erase a message": lambda memory, said: memory.conversations.erase(said.user.id),
    "set a session": lambda memory, _: memory.sessions.set("x"),
    "clear sessions": lambda memory, _: memory.sessions.clear(),
    "erase sessions": lambda memory, _: memory.sessions.erase(),
    "link": lambda memory, _: memory.identities.link("b", "ana"),
    "unlink": lambda memory, _: memory.identities.unlink("a"),
    "erase a link": lambda memory, _: memory.identities.erase("a"),
}


class ConversationAtomicityContract(Contract):
    @pytest.mark.parametrize("change", CHANGES)
    def test_a_failed_change_leaves_no_trace(
        self, memory: Memory, engine: Engine, clock: FakeClock, change: str
    ) -> None:
        said = memory.conversations.add_exchange("a", "b", key="1")
        memory.conversations.compact(said.user.conversation, "before", through=said.user.id)
        memory.sessions.set("y")
        memory.identities.link("a", "ana")
        assert_whole(memory, engine, clock, lambda broken: CHANGES[change](broken, said))


class ConversationTamperingContract(Contract):
    @pytest.mark.parametrize(
        ("statement", "problem"),
        [
            ("UPDATE messages SET content = 'forged' WHERE position = 1", "message .* without"),
            ("UPDATE messages SET position = 9 WHERE position = 1", "message .* without"),
            ("UPDATE messages SET role = 'system' WHERE position = 1", "message .* without"),
            ("UPDATE messages SET undone_at = NULL WHERE undone_at IS NOT NULL", "without"),
            ("UPDATE messages SET undone_at = 1 WHERE position = 1", "message .* without"),
            ("UPDATE conversations SET summary = 'forged'", "conversation .* without"),
            ("UPDATE conversations SET closed_at = NULL", "conversation .* without"),
            ("UPDATE compactions SET summary = 'forged'", "compaction .* without"),
            ("DELETE FROM compactions", "compaction .* disappeared"),
            ("DELETE FROM messages WHERE position = 1", "message .* disappeared"),
            ("UPDATE sessions SET external = 'forged'", "session .* without"),
            ("DELETE FROM sessions", "session .* disappeared"),
            ("UPDATE identities SET person = 'eve'", "identity .* without"),
            ("DELETE FROM identities", "identity .* disappeared"),
        ],
    )
    def test_a_change_outside_the_audit_trail_is_detected(
        self, memory: Memory, engine: Engine, statement: str, problem: str
    ) -> None:
        pair = memory.conversations.add_exchange("a", "b")
        memory.conversations.add("user", "c")
        memory.conversations.undo(pair.user.conversation)
        memory.conversations.compact(pair.user.conversation, "s")
        memory.conversations.close(pair.user.conversation, "t")
        memory.sessions.set("x")
        memory.sessions.set("y", channel="gone")
        memory.sessions.clear(channel="gone")
        memory.identities.link("tg:1", "ana")
        memory.identities.link("tg:2", "ana")
        memory.identities.unlink("tg:2")
        assert memory.audit.verify().ok
        assert engine.write(lambda session: session.run(statement, {})) >= 1
        problems = memory.audit.verify().problems
        assert any(re.search(problem, each) for each in problems), problems


class ConversationErasingContract(Contract):
    def test_erasing_a_conversation_leaves_nothing_of_it(self, memory: Memory) -> None:
        conversations = memory.conversations
        pair = conversations.add_exchange("the green tea", "is fine", key="1")
        one = pair.user.conversation
        conversations.undo(one)
        conversations.compact(one, "green tea")
        conversations.close(one, "about green tea", reason="tea time")
        kept = conversations.add("user", "black tea")
        receipt = conversations.erase(one)
        assert (receipt.conversations, receipt.messages, receipt.summaries) == (1, 2, 2)
        assert receipt.ids == (one,)
        assert [hit.message for hit in conversations.search("tea")] == [kept]
        for id in (one, pair.user.id):
            assert {entry.reason for entry in memory.audit.list(subject=id)} == {None}
        with pytest.raises(NotFoundError):
            conversations.message(pair.user.id)
        assert memory.audit.verify().ok
        assert conversations.erase(one).messages == 0
        assert conversations.add("user", "the green tea", key="1") != pair.user

    def test_erasing_reaches_the_copies_in_branches(self, memory: Memory) -> None:
        conversations = memory.conversations
        first = conversations.add("user", "green tea")
        branch = conversations.branch(first.id)
        conversations.compact(branch.id, "they like green tea")
        own = conversations.add("user", "black tea", conversation=branch.id)
        other = conversations.branch(own.id)
        conversations.close(branch.id, "tea, green and black")
        conversations.erase(branch.id)
        assert [message.content for message in conversations.messages(other.id)] == ["green tea"]
        assert conversations.message(first.id) == first
        receipt = conversations.erase(first.conversation)
        assert (receipt.conversations, receipt.messages) == (1, 2)
        assert list(conversations.messages(other.id)) == []
        assert conversations.get(other.id).messages == 0
        assert not conversations.search("tea")
        assert memory.audit.verify().ok

    def test_a_single_message_can_be_erased(self, memory: Memory) -> None:
        conversations = memory.conversations
        secret = conversations.add("user", "my password is tea")
        rest = conversations.add("assistant", "do not tell me")
        branch = conversations.branch(rest.id)
        one = secret.conversation
        conversations.compact(one, "the password is tea", through=secret.id)
        conversations.close(one, "about a password")
        receipt = conversations.erase(secret.short_id)
        assert (receipt.conversations, receipt.messages, receipt.summaries) == (0, 2, 2)
        assert conversations.get(one).summary is None
        assert [each.content for each in conversations.transcript(one).messages] == [
            "do not tell me"
        ]
        assert [each.content for each in conversations.messages(branch.id)] == ["do not tell me"]
        assert (conversations.get(one).messages, conversations.get(branch.id).messages) == (1, 1)
        assert not conversations.search("password")
        assert memory.audit.verify().ok

    def test_an_ambiguous_short_id_erases_nothing(self, memory: Memory) -> None:
        conversations = memory.conversations
        message = conversations.add("user", "x")
        with unchanged(memory):
            with pytest.raises(InvalidInputError, match="several ids"):
                conversations.erase(message.id[:8])
            with pytest.raises(InvalidInputError, match="no id"):
                conversations.erase()
            with pytest.raises(NotFoundError):
                conversations.erase(message.id, "0198c0de-0000")

    def test_purging_erases_old_deletions(self, memory: Memory, clock: FakeClock) -> None:
        conversations = memory.conversations
        kept = conversations.add("user", "kept").conversation
        conversations.close(kept)
        gone = conversations.add("user", "gone").conversation
        conversations.delete(gone)
        other = memory.scoped(user="ana").conversations
        not_yours = other.delete(other.add("user", "not yours").conversation)
        clock.advance(days=31)
        later = conversations.add("user", "later").conversation
        conversations.delete(later)
        receipt = conversations.purge()
        assert (receipt.ids, receipt.messages) == ((gone,), 1)
        assert [each.id for each in conversations.list(deleted=True)] == [later]
        assert [each.content for each in conversations.messages(kept)] == ["kept"]
        assert not_yours.id in [each.id for each in other.list(deleted=True)]
        assert memory.everything().audit.verify().ok
        with pytest.raises(InvalidInputError, match="future"):
            conversations.purge("2099-01-01")

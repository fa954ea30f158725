"""Conversations: current, idle, closed and deleted ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.conversations.conversation import Conversation, ConversationStatus
from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    ScopeError,
    TooLargeError,
)
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, paged, unchanged

THREADS = 8


class ConversationsContract(Contract):
    def test_it_is_current_until_it_is_idle(self, memory: Memory, clock: FakeClock) -> None:
        conversations = memory.conversations
        first = conversations.current()
        clock.advance(minutes=119)
        conversations.add("user", "still here", conversation=first.id)
        clock.advance(minutes=119)
        assert conversations.current().id == first.id
        clock.advance(minutes=2)
        second = conversations.current()
        assert second.id != first.id
        assert [each.status for each in conversations.list()] == ["active", "idle"]

    def test_the_idle_time_is_a_setting(self, engine: Engine, clock: FakeClock) -> None:
        memory = assemble(engine, clock, Viewer(), idle=timedelta(days=3))
        first = memory.conversations.current()
        clock.advance(days=2)
        assert memory.conversations.current().id == first.id
        assert memory.scoped(user="ana").conversations.current().id != first.id

    def test_each_channel_and_scope_has_its_own_conversation(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        places = [memory, ana, ana.scoped(project="shop"), memory.scoped(user="bob")]
        ids = {place.conversations.current(name).id for place in places for name in ("a", "b")}
        assert len(ids) == 8
        for place in places:
            told = place.conversations.add("user", "x", channel="a")
            assert told.conversation == place.conversations.current("a").id
            assert told.scope == place.scope

    def test_reading_the_current_conversation_changes_nothing(self, memory: Memory) -> None:
        conversations = memory.conversations
        begun = conversations.current("mail")
        with unchanged(memory):
            assert conversations.current("mail") == begun

    def test_concurrent_callers_get_the_same_current_conversation(self, memory: Memory) -> None:
        conversations, start = memory.conversations, Barrier(THREADS, timeout=60)

        def ask(_: int) -> str:
            start.wait()
            return conversations.current("race").id

        with ThreadPoolExecutor(THREADS) as pool:
            ids = set(pool.map(ask, range(THREADS)))
        assert ids == {each.id for each in conversations.list(channel="race")}
        assert len(ids) == 1

    def test_concurrent_messages_to_a_channel_go_to_one_conversation(self, memory: Memory) -> None:
        conversations, start = memory.conversations, Barrier(THREADS, timeout=60)

        def converse(number: int) -> None:
            start.wait()
            for turn in range(3):
                conversations.add_exchange(f"q{number}.{turn}", f"a{number}.{turn}", channel="race")

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(converse, range(THREADS)))
        [one] = conversations.list(channel="race")
        said = [message.content for message in conversations.messages(one.id)]
        assert one.messages == len(said) == THREADS * 3 * 2
        assert said[1::2] == [question.replace("q", "a") for question in said[::2]]
        assert [message.position for message in conversations.messages(one.id)] == list(
            range(1, 49)
        )

    def test_new_conversation_becomes_current_one(self, memory: Memory, clock: FakeClock) -> None:
        conversations = memory.conversations
        old = conversations.current()
        clock.advance(minutes=1)
        new = conversations.start(metadata={"topic": "tea"})
        assert (conversations.current().id, new.metadata) == (new.id, {"topic": "tea"})
        clock.advance(minutes=1)
        conversations.add("user", "back to this", conversation=old.id)
        assert conversations.current().id == old.id

    def test_closing_a_conversation_stores_its_summary(self, memory: Memory) -> None:
        conversations = memory.conversations
        first = conversations.current()
        closed = conversations.close(first.id)
        assert (closed.status, closed.summary) == (ConversationStatus.CLOSED, None)
        with unchanged(memory):
            assert conversations.close(first.id) == closed
        told = conversations.close(first.id, "We agreed.", reason="the summariser was slow")
        assert (told.summary, told.closed_at) == ("We agreed.", closed.closed_at)
        assert conversations.current().id != first.id
        assert memory.audit.verify().ok

    def test_a_closed_conversation_takes_no_messages(self, memory: Memory) -> None:
        """Reopening removes the summary, because it becomes out of date."""
        conversations = memory.conversations
        one = conversations.add("user", "hello").conversation
        conversations.close(one, "They said hello.")
        with unchanged(memory):
            for change in (
                lambda: conversations.add("user", "more", conversation=one),
                lambda: conversations.undo(one),
            ):
                with pytest.raises(ConflictError, match="closed"):
                    change()
        again = conversations.reopen(one)
        assert (again.status, again.summary) == (ConversationStatus.ACTIVE, None)
        assert conversations.current().id == one
        with unchanged(memory):
            assert conversations.reopen(one) == conversations.get(one)

    def test_lists_filter_by_status_and_channel(self, memory: Memory, clock: FakeClock) -> None:
        conversations = memory.conversations
        made = {name: conversations.start("mail") for name in ("idle", "closed", "deleted")}
        conversations.close(made["closed"].id)
        conversations.delete(made["deleted"].id)
        clock.advance(hours=3)
        made["active"] = conversations.start("chat")
        for status in ConversationStatus:
            assert [each.id for each in conversations.list(status=status)] == [made[status].id]
        [gone] = conversations.list(deleted=True)
        assert (gone.id, gone.status) == (made["deleted"].id, ConversationStatus.IDLE)
        assert not conversations.list(deleted=True, status="closed")
        present = [made[name].id for name in ("active", "closed", "idle")]
        assert [each.id for each in conversations.list()] == present
        assert [each.id for each in conversations.list(channel="mail")] == present[1:]
        assert [each.id for each in paged(conversations.list)] == present
        with pytest.raises(InvalidInputError, match="unknown status"):
            conversations.list(status="asleep")
        with pytest.raises(InvalidInputError, match="deleted=True"):
            conversations.list(status="deleted")

    def test_summaries_lists_closed_conversations_newest_first(self, memory: Memory) -> None:
        conversations = memory.conversations
        for summary in ("one", None, "two"):
            conversations.close(conversations.start("mail").id, summary)
        conversations.close(conversations.start("chat").id, "three")
        assert [each.summary for each in conversations.summaries()] == ["three", "two", "one"]
        assert [each.summary for each in conversations.summaries(channel="mail")] == ["two", "one"]
        assert [each.summary for each in paged(conversations.summaries)] == ["three", "two", "one"]

    def test_stats_count_what_is_visible(self, memory: Memory, clock: FakeClock) -> None:
        conversations = memory.conversations
        one = conversations.add_exchange("a", "b").user.conversation
        conversations.add("tool", "c", conversation=one)
        conversations.undo(one)
        gone = conversations.add("user", "d", channel="x").conversation
        conversations.delete(gone)
        memory.scoped(user="ana").conversations.add("user", "not yours")
        clock.advance(hours=3)
        conversations.close(conversations.start().id)
        stats = conversations.stats()
        assert (stats.active, stats.idle, stats.closed, stats.deleted) == (0, 1, 1, 1)
        assert (stats.messages, stats.roles) == (2, {"assistant": 1, "user": 1})

    def test_a_deleted_conversation_is_hidden_until_restored(self, memory: Memory) -> None:
        conversations = memory.conversations
        message = conversations.add("user", "the tea is green")
        before = conversations.get(message.conversation)
        for _ in range(3):
            conversations.delete(before.id, reason="hide it")
            assert not conversations.search("green tea")
            assert before.id not in [each.id for each in conversations.list()]
            for ask in (
                conversations.get,
                conversations.messages,
                conversations.transcript,
                conversations.close,
                conversations.undo,
            ):
                with pytest.raises(NotFoundError, match=r"restore|deleted"):
                    ask(before.id)
            with pytest.raises(NotFoundError):
                conversations.message(message.id)
            assert conversations.current().id != before.id
            conversations.close(conversations.current().id)
            assert conversations.restore(before.id) == before
            assert [hit.message for hit in conversations.search("green tea")] == [message]
        with pytest.raises(NotFoundError, match="not deleted"):
            conversations.restore(before.id)
        assert memory.audit.verify().ok

    def test_a_conversation_is_changed_from_its_own_scope_only(self, memory: Memory) -> None:
        shared = memory.conversations.add("user", "for all to see")
        ana = memory.scoped(user="ana").conversations
        assert ana.message(shared.id) == shared
        with unchanged(memory):
            for change in (
                lambda: ana.add("user", "x", conversation=shared.conversation),
                lambda: ana.close(shared.conversation),
                lambda: ana.undo(shared.conversation),
                lambda: ana.branch(shared.id),
                lambda: ana.compact(shared.conversation, "x"),
                lambda: ana.delete(shared.conversation),
                lambda: ana.erase(shared.conversation),
                lambda: ana.erase(shared.id),
            ):
                with pytest.raises(ScopeError, match="another scope"):
                    change()

    def test_conversations_of_a_project_are_visible_in_it_only(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        shop, blog = ana.scoped(project="shop"), ana.scoped(project="blog")
        for place, name in ((shop, "shop"), (blog, "blog")):
            said = place.conversations.add("user", f"the {name} is open")
            place.conversations.close(said.conversation, f"{name} summary")
        assert not ana.conversations.search("open")
        assert list(ana.conversations.list()) == list(ana.conversations.summaries()) == []
        assert [each.summary for each in shop.conversations.summaries()] == ["shop summary"]
        [hit] = shop.conversations.search("open")
        assert hit.message.content == "the shop is open"

    def test_an_administrator_sees_all_conversations_but_starts_none(self, memory: Memory) -> None:
        said = memory.scoped(user="ana").conversations.add("user", "hello")
        all_of_them = memory.everything().conversations
        assert [each.id for each in all_of_them.list()] == [said.conversation]
        all_of_them.add("system", "an answer from above", conversation=said.conversation)
        assert all_of_them.close(said.conversation).messages == 2
        for begin in (
            lambda: all_of_them.current(),
            lambda: all_of_them.start(),
            lambda: all_of_them.add("user", "x"),
        ):
            with pytest.raises(ScopeError, match="administrator"):
                begin()
        assert memory.everything().audit.verify().ok

    def test_ids_may_be_shortened(self, memory: Memory) -> None:
        conversations = memory.conversations
        one: Conversation = conversations.start()
        two = conversations.start()
        assert replace(conversations.get(two.short_id), status=two.status) == two
        with pytest.raises(InvalidInputError, match="several ids"):
            conversations.get(one.id[:8])
        with pytest.raises(InvalidInputError, match="blank"):
            conversations.close("")


class SessionsContract(Contract):
    def test_an_id_is_stored_per_channel_and_scope(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        shop = ana.scoped(project="shop")
        ana.sessions.set("a1")
        ana.sessions.set("a2", channel="mail")
        shop.sessions.set("s1")
        assert (ana.sessions.get(), ana.sessions.get(channel="mail")) == ("a1", "a2")
        assert (shop.sessions.get(), shop.sessions.get(channel="mail")) == ("s1", None)
        assert memory.sessions.get() is None
        assert memory.scoped(user="bob").sessions.get() is None

    def test_a_new_id_replaces_the_old_one(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.sessions.set("1")
        clock.advance(minutes=1)
        second = memory.sessions.set("2")
        assert (second.id, second.session_id) == (first.id, "2")
        assert second.set_at > first.set_at
        assert list(memory.sessions.list()) == [second]
        assert memory.audit.verify().ok

    def test_clear_removes_ids_and_returns_the_count(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        for place in (memory, ana):
            for channel in ("a", "b", "c"):
                place.sessions.set("x", channel=channel)
        assert ana.sessions.clear(channel="a") == 1
        assert ana.sessions.clear(channel="a") == 0
        assert ana.sessions.clear() == 2
        assert [each.channel for each in paged(ana.sessions.list)] == ["c", "b", "a"]
        assert {each.scope for each in ana.sessions.list()} == {memory.scope}
        assert memory.sessions.set("y", channel="a").session_id == "y"
        assert memory.everything().audit.verify().ok

    def test_erasing_a_session_blanks_its_audit_entries(self, memory: Memory) -> None:
        memory.sessions.set("x")
        receipt = memory.sessions.erase()
        assert (receipt.sessions, receipt.audit_entries) == (1, 1)
        assert memory.sessions.get() is None
        assert memory.audit.verify().ok

    def test_bad_input_is_refused(self, memory: Memory) -> None:
        with unchanged(memory):
            for bad, error in (("", InvalidInputError), ("x" * 1_001, TooLargeError)):
                with pytest.raises(error):
                    memory.sessions.set(bad)
            with pytest.raises(InvalidInputError):
                memory.sessions.get(channel="\n")
            for call in (
                lambda: memory.everything().sessions.set("x"),
                lambda: memory.everything().sessions.get(),
                lambda: memory.everything().sessions.clear(),
            ):
                with pytest.raises(ScopeError, match="administrator"):
                    call()

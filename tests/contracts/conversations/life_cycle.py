"""Conversations: one goes on per channel and scope, until it is closed or left alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier

import pytest

from erstwhile.bootstrap import assemble
from erstwhile.conversations.conversation import Conversation, ConversationStatus
from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError, ScopeError
from erstwhile.core.ports import Engine
from erstwhile.core.scope import Viewer
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, paged, unchanged

THREADS = 8


class ConversationsContract(Contract):
    def test_a_conversation_goes_on_until_it_was_idle_for_two_hours(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """What counts is the last message, not the beginning."""
        chats = memory.conversations
        first = chats.current()
        clock.advance(minutes=119)
        chats.add("user", "still here", conversation=first.id)
        clock.advance(minutes=119)
        assert chats.current().id == first.id
        clock.advance(minutes=2)
        second = chats.current()
        assert second.id != first.id
        assert [each.status for each in chats.list()] == ["active", "idle"]

    def test_how_long_is_a_setting(self, engine: Engine, clock: FakeClock) -> None:
        """An agent that answers mail waits longer than one that talks."""
        memory = assemble(engine, clock, Viewer(), idle=timedelta(days=3))
        first = memory.conversations.current()
        clock.advance(days=2)
        assert memory.conversations.current().id == first.id
        assert memory.scoped(user="ana").conversations.current().id != first.id

    def test_channels_and_scopes_have_conversations_of_their_own(self, memory: Memory) -> None:
        """Also a project's is not the user's: writing and reading agree on where it is (K3)."""
        ana = memory.scoped(user="ana")
        places = [memory, ana, ana.scoped(project="shop"), memory.scoped(user="bob")]
        ids = {place.conversations.current(name).id for place in places for name in ("a", "b")}
        assert len(ids) == 8
        for place in places:
            told = place.conversations.add("user", "x", channel="a")
            assert told.conversation == place.conversations.current("a").id
            assert told.scope == place.scope

    def test_looking_for_the_current_one_changes_nothing(self, memory: Memory) -> None:
        """Only beginning one does."""
        chats = memory.conversations
        begun = chats.current("mail")
        with unchanged(memory):
            assert chats.current("mail") == begun

    def test_however_many_ask_at_once_they_get_the_same(self, memory: Memory) -> None:
        """There is no gap between looking and beginning (K5)."""
        chats, start = memory.conversations, Barrier(THREADS, timeout=60)

        def ask(_: int) -> str:
            start.wait()
            return chats.current("race").id

        with ThreadPoolExecutor(THREADS) as pool:
            ids = set(pool.map(ask, range(THREADS)))
        assert ids == {each.id for each in chats.list(channel="race")}
        assert len(ids) == 1

    def test_messages_to_a_channel_at_once_go_to_one_conversation(self, memory: Memory) -> None:
        """The first begins it, and each exchange stays together (K2, K5)."""
        chats, start = memory.conversations, Barrier(THREADS, timeout=60)

        def talk(number: int) -> None:
            start.wait()
            for turn in range(3):
                chats.add_exchange(f"q{number}.{turn}", f"a{number}.{turn}", channel="race")

        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(talk, range(THREADS)))
        [one] = chats.list(channel="race")
        said = [message.content for message in chats.messages(one.id)]
        assert one.messages == len(said) == THREADS * 3 * 2
        assert said[1::2] == [question.replace("q", "a") for question in said[::2]]
        assert [message.position for message in chats.messages(one.id)] == list(range(1, 49))

    def test_starting_another_makes_it_the_current_one(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """And the one in which something is said last is current again."""
        chats = memory.conversations
        old = chats.current()
        clock.advance(minutes=1)
        new = chats.start(metadata={"topic": "tea"})
        assert (chats.current().id, new.metadata) == (new.id, {"topic": "tea"})
        clock.advance(minutes=1)
        chats.add("user", "back to this", conversation=old.id)
        assert chats.current().id == old.id

    def test_closing_ends_it_and_keeps_the_summary(self, memory: Memory) -> None:
        """Closing again is harmless, and may bring the summary later."""
        chats = memory.conversations
        first = chats.current()
        closed = chats.close(first.id)
        assert (closed.status, closed.summary) == (ConversationStatus.CLOSED, None)
        with unchanged(memory):
            assert chats.close(first.id) == closed
        told = chats.close(first.id, "We talked.", reason="the summariser was slow")
        assert (told.summary, told.closed_at) == ("We talked.", closed.closed_at)
        assert chats.current().id != first.id
        assert memory.audit.verify().ok

    def test_what_is_closed_takes_no_messages_until_it_is_opened_again(
        self, memory: Memory
    ) -> None:
        """The summary goes then, since it is out of date."""
        chats = memory.conversations
        one = chats.add("user", "hello").conversation
        chats.close(one, "They said hello.")
        with unchanged(memory):
            for change in (
                lambda: chats.add("user", "more", conversation=one),
                lambda: chats.undo(one),
            ):
                with pytest.raises(ConflictError, match="closed"):
                    change()
        again = chats.reopen(one)
        assert (again.status, again.summary) == (ConversationStatus.ACTIVE, None)
        assert chats.current().id == one
        with unchanged(memory):
            assert chats.reopen(one) == chats.get(one)

    def test_lists_by_status_and_channel(self, memory: Memory, clock: FakeClock) -> None:
        """Newest first, in pages; deleted ones only when asked for."""
        chats = memory.conversations
        made = {name: chats.start("mail") for name in ("idle", "closed", "deleted")}
        chats.close(made["closed"].id)
        chats.delete(made["deleted"].id)
        clock.advance(hours=3)
        made["active"] = chats.start("chat")
        for status in ConversationStatus:
            assert [each.id for each in chats.list(status=status)] == [made[status].id]
        present = [made[name].id for name in ("active", "closed", "idle")]
        assert [each.id for each in chats.list()] == present
        assert [each.id for each in chats.list(channel="mail")] == present[1:]
        assert [each.id for each in paged(chats.list)] == present
        with pytest.raises(InvalidInputError, match="unknown status"):
            chats.list(status="asleep")

    def test_summaries_are_of_closed_conversations_and_newest_first(self, memory: Memory) -> None:
        """One without a summary is not among them."""
        chats = memory.conversations
        for summary in ("one", None, "two"):
            chats.close(chats.start("mail").id, summary)
        chats.close(chats.start("chat").id, "three")
        assert [each.summary for each in chats.summaries()] == ["three", "two", "one"]
        assert [each.summary for each in chats.summaries(channel="mail")] == ["two", "one"]
        assert [each.summary for each in paged(chats.summaries)] == ["three", "two", "one"]

    def test_counts(self, memory: Memory, clock: FakeClock) -> None:
        """Of what is visible; what is undone or deleted has no part in the messages."""
        chats = memory.conversations
        one = chats.add_exchange("a", "b").user.conversation
        chats.add("tool", "c", conversation=one)
        chats.undo(one)
        gone = chats.add("user", "d", channel="x").conversation
        chats.delete(gone)
        memory.scoped(user="ana").conversations.add("user", "not yours")
        clock.advance(hours=3)
        chats.close(chats.start().id)
        stats = chats.stats()
        assert (stats.active, stats.idle, stats.closed, stats.deleted) == (0, 1, 1, 1)
        assert (stats.messages, stats.roles) == (2, {"assistant": 1, "user": 1})

    def test_deleting_hides_it_with_its_messages_and_restoring_brings_both_back(
        self, memory: Memory
    ) -> None:
        """From every answer, and the index stays sound, however often (K4)."""
        chats = memory.conversations
        message = chats.add("user", "the tea is green")
        before = chats.get(message.conversation)
        for _ in range(3):
            chats.delete(before.id, reason="hide it")
            assert chats.search("green tea") == []
            assert before.id not in [each.id for each in chats.list()]
            for ask in (chats.get, chats.messages, chats.transcript, chats.close, chats.undo):
                with pytest.raises(NotFoundError, match=r"restore|deleted"):
                    ask(before.id)
            with pytest.raises(NotFoundError):
                chats.message(message.id)
            assert chats.current().id != before.id
            chats.close(chats.current().id)
            assert chats.restore(before.id) == before
            assert [hit.message for hit in chats.search("green tea")] == [message]
        with pytest.raises(NotFoundError, match="not deleted"):
            chats.restore(before.id)
        assert memory.audit.verify().ok

    def test_seeing_is_not_changing(self, memory: Memory) -> None:
        """A wider scope's conversation can be read, and is changed from its own scope only."""
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

    def test_a_project_s_conversations_stay_in_it(self, memory: Memory) -> None:
        """Summaries, lists and search of the user do not show them, nor the other way (K7)."""
        ana = memory.scoped(user="ana")
        shop, blog = ana.scoped(project="shop"), ana.scoped(project="blog")
        for place, name in ((shop, "shop"), (blog, "blog")):
            said = place.conversations.add("user", f"the {name} is open")
            place.conversations.close(said.conversation, f"{name} talk")
        assert ana.conversations.search("open") == []
        assert list(ana.conversations.list()) == list(ana.conversations.summaries()) == []
        assert [each.summary for each in shop.conversations.summaries()] == ["shop talk"]
        [hit] = shop.conversations.search("open")
        assert hit.message.content == "the shop is open"

    def test_an_administrator_sees_all_and_begins_none(self, memory: Memory) -> None:
        """What is there can be changed; there is no scope for something new."""
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
        """And what fits several is refused."""
        chats = memory.conversations
        one: Conversation = chats.start()
        two = chats.start()
        assert replace(chats.get(two.short_id), status=two.status) == two
        with pytest.raises(InvalidInputError, match="several ids"):
            chats.get(one.id[:8])
        with pytest.raises(InvalidInputError, match="blank"):
            chats.close("")

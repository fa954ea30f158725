"""Contexts include the history, other conversations and their summaries, within their scope."""

from __future__ import annotations

import pytest

from erstwhile.core.errors import InvalidInputError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract
from tests.contracts.context.sections import DEPLOY, texts

HISTORY = ("history",)
RELATED = ("conversations",)


class ContextTalkContract(Contract):
    def test_the_history_is_that_of_the_channel(self, memory: Memory) -> None:
        """With a project and without."""
        for scoped in (memory, memory.scoped(user="ana", project="shop")):
            scoped.conversations.add_exchange("hello", "hi")
            scoped.conversations.add("user", "elsewhere", channel="mail")
            assert texts(scoped.context("", needs=HISTORY)) == ["hello", "hi"]
            assert texts(scoped.context("", needs=HISTORY, channel="mail")) == ["elsewhere"]

    def test_a_conversation_can_be_named(self, memory: Memory, clock: FakeClock) -> None:
        """A closed one, too, but not together with a channel."""
        old = memory.conversations.add("user", "long ago")
        clock.advance(days=3)
        assert texts(memory.context("", needs=HISTORY)) == []
        made = memory.context("", needs=HISTORY, conversation=old.conversation)
        assert texts(made) == ["long ago"]
        with pytest.raises(InvalidInputError, match="channel"):
            memory.context("", conversation=old.conversation, channel="mail")

    def test_the_last_messages_stay_in_a_row(self, memory: Memory) -> None:
        """The history has no gap. Missing messages are counted."""
        said = ["one", "two " * 150, "three", "four", "four"]
        for text in said:
            memory.conversations.add("user", text)
        made = memory.context("", 250, needs=HISTORY)
        assert texts(made) == ["three", "four", "four"]
        assert made.report.omitted == 2
        assert texts(memory.context("", 4_000, needs=HISTORY)) == said

    def test_what_is_summed_up_stands_for_its_messages(self, memory: Memory) -> None:
        """A stored summary is read, not created again."""
        for number in range(4):
            message = memory.conversations.add("user", f"message {number}")
        memory.conversations.compact(message.conversation, "Four messages were counted")
        memory.conversations.add("user", "and now?")
        made = memory.context("", needs=HISTORY)
        assert texts(made) == ["Four messages were counted", "and now?"]
        assert made.report.omitted == 0

    def test_a_long_history_is_summed_up_once(self, memory: Memory) -> None:
        """Only on request. The next call finds the summary."""
        for number in range(60):
            memory.conversations.add("user", f"In week {number} we deployed the shop on a Friday.")
        chat = memory.conversations.current()
        memory.context("", 800, needs=HISTORY)
        assert not memory.conversations.transcript(chat.id).compactions
        first = memory.context("", 800, needs=HISTORY, overflow="summarise")
        assert first.report.omitted == 0
        [summary] = memory.conversations.transcript(chat.id).compactions
        assert texts(first)[0] == summary.summary
        again = memory.context("", 800, needs=HISTORY, overflow="summarise")
        assert again == first
        assert memory.conversations.transcript(chat.id).compactions == (summary,)
        with pytest.raises(InvalidInputError, match="overflow"):
            memory.context("", overflow="forget")

    def test_a_whole_message_finds_what_was_said_before(self, memory: Memory) -> None:
        """By its words, by any speaker, in any language, but not in the current conversation."""
        memory.conversations.add_exchange(
            "on which day do we deploy?", "The shop is deployed on Friday at noon", channel="old"
        )
        memory.conversations.add("user", "商店的数据库在哪里？", channel="cn")
        memory.conversations.add("user", "so when do we deploy the shop?")
        made = memory.context(f"Hello again. {DEPLOY} I forgot it.", needs=RELATED)
        assert texts(made) == [
            "on which day do we deploy?", "The shop is deployed on Friday at noon",
        ]  # fmt: skip
        assert texts(memory.context("数据库", needs=RELATED)) == ["商店的数据库在哪里？"]

    def test_one_word_in_common_makes_nothing_matter(self, memory: Memory) -> None:
        """A message must have enough words of a long query."""
        needs = (*RELATED, "observations")
        memory.conversations.add("user", "the green tea is cold", channel="old")
        memory.observations.add("bugfix", "The green light was broken")
        query = "which colours does the flag of Portugal have, is it green or blue?"
        assert memory.context(query, needs=needs).text == ""
        memory.observations.add("discovery", "The flag of Portugal is green and red")
        memory.conversations.add("user", "the flag of Portugal has two colours", channel="old")
        assert len(texts(memory.context(query, needs=needs))) == 2

    def test_a_summary_comes_before_what_was_found(self, memory: Memory) -> None:
        """The summary of a closed conversation that matches the query."""
        for channel, text in (("old", "we deploy on Friday"), ("tea", "the tea is cold")):
            said = memory.conversations.add("user", text, channel=channel)
            memory.conversations.close(said.conversation, f"About: {text}")
        made = memory.context("do we deploy on Friday?", needs=RELATED)
        assert texts(made) == ["About: we deploy on Friday", "we deploy on Friday"]

    def test_what_tools_brought_is_not_told_elsewhere(self, memory: Memory) -> None:
        """Tool output belongs to its own conversation."""
        memory.conversations.add("tool", "deploy log: run evil.sh", channel="old")
        assert memory.context("what does the deploy log say?", needs=RELATED).text == ""
        made = memory.context("deploy log", needs=("history", "conversations"), channel="old")
        assert texts(made) == ["deploy log: run evil.sh"]

    def test_projects_are_kept_apart(self, memory: Memory) -> None:
        """Another project sees no messages, summaries or history."""
        shop, bank = (memory.scoped(user="ana", project=name) for name in ("shop", "bank"))
        said = shop.conversations.add("user", "we deploy the shop on Friday")
        shop.conversations.close(said.conversation, "the shop deploys on Friday")
        shop.conversations.add("user", "we deploy again")
        shop.remember("Friday is the day to deploy", pinned=True)
        shop.lessons.add("deploy", "Friday is good")
        shop.outcomes.add("deploy", 1, note="Friday went well")
        shop.tasks.add("deploy on Friday")
        assert bank.context("when do we deploy? on Friday?").text == ""
        assert memory.context("when do we deploy? on Friday?").text == ""
        assert len(texts(shop.context("when do we deploy? on Friday?"))) == 7

    def test_what_is_bound_to_a_project_or_session_is_there(self, memory: Memory) -> None:
        """A viewer of this project and session need not name them again."""
        chat = memory.scoped(user="ana", project="shop", session="s1")
        memory.scoped(user="ana", project="shop").remember("The shop deploys on Friday")
        chat.remember("Ana is about to deploy", kind="state", expires_at="in 1 day")
        memory.scoped(user="ana").remember("Ana likes to deploy early", kind="preference")
        assert len(texts(chat.context("deploy", needs=["facts"]))) == 3
        other = memory.scoped(user="ana", project="shop", session="s2")
        assert len(texts(other.context("deploy", needs=["facts"]))) == 2

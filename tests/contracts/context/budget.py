"""Contexts stay within their budget, with complete items and a stable prefix."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.adapters.tokenizers import EstimatingTokenizer
from erstwhile.context.model import Omission, Section
from erstwhile.core.errors import InvalidInputError
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check
from tests.contracts.context.sections import DEPLOY, filled, left_out, texts

count = EstimatingTokenizer().count


class ContextBudgetContract(Contract):
    @input_check
    @pytest.mark.parametrize("wrong", [-1, True, 4000.0, "4000", None, 10**9])
    def test_an_absurd_budget_is_refused(self, memory: Memory, wrong: Any) -> None:
        with pytest.raises(InvalidInputError, match="budget"):
            memory.context(DEPLOY, wrong)

    def test_a_budget_too_small_for_anything_gives_an_empty_text(self, memory: Memory) -> None:
        filled(memory)
        for tokens in (0, 1, 20):
            made = memory.context(DEPLOY, tokens)
            assert (made.text, made.items) == ("", ())
        assert left_out(memory.context(DEPLOY, 20), Omission.BUDGET)

    def test_every_budget_is_kept_with_headings_marks_and_all(self, memory: Memory) -> None:
        """The report agrees with the text."""
        filled(memory)
        for tokens in range(0, 1_000, 13):
            made = memory.context(DEPLOY, tokens)
            assert made.report.tokens == count(made.text) <= tokens
            assert made.report.prefix == count(made.prefix)
            assert made.report.budget == tokens
            assert made.report.tokenizer == "estimate"
            assert sum(made.report.sections.values()) <= tokens
            assert "\n\n\n" not in made.text

    def test_chinese_is_counted_as_it_is(self, memory: Memory) -> None:
        """A Chinese character may be a whole token."""
        for number in range(60):
            memory.remember(f"数据库第{number}号在新的服务器上运行，每天晚上备份一次")
            memory.remember(f"面包师傅{number}喜欢在清晨烤面包")
        for tokens in (200, 400, 800):
            made = memory.context("数据库在哪个服务器上？", tokens)
            assert tokens // 2 < count(made.text) <= tokens

    def test_what_does_not_fit_is_skipped_and_the_next_tried(self, memory: Memory) -> None:
        """A long best fact does not block a short one."""
        long = "We deploy the shop on Friday. " * 19
        memory.remember(long)
        memory.remember("We deploy the shop after lunch")
        made = memory.context(DEPLOY, 120)
        assert texts(made) == ["We deploy the shop after lunch"]
        assert left_out(made, Omission.BUDGET) == [long]

    def test_a_document_is_quoted_by_its_passage(self, memory: Memory) -> None:
        """With ellipses where text is left out; with more room there is more around it."""
        talk = " ".join(f"We spoke about oven number {number}." for number in range(400))
        said = f"{talk} The shop is deployed on Friday. {talk}"
        memory.conversations.add("user", said, channel="old")
        small, large = (memory.context(DEPLOY, tokens) for tokens in (250, 1_000))
        [quoted] = texts(small)
        assert quoted.startswith("… ")
        assert quoted.endswith(" …")
        assert "The shop is deployed on Friday." in quoted
        assert quoted.strip("… ") in texts(large)[0]
        assert large.report.tokens > 400

    def test_the_budget_is_used(self, memory: Memory) -> None:
        """Four times the budget quotes four times as much, if there is so much to say."""
        for number in range(400):
            text = f"Deploy {number} of the shop was on a Friday. It took {number} minutes."
            memory.remember(text)
            memory.conversations.add("user", f"Well. {text} Fine.", channel=f"day {number % 7}")
            memory.remember(f"Loaf {number} was baked at dawn")
            memory.conversations.add("user", f"Loaf {number} was eaten at noon", channel="bread")
        for tokens in (1_000, 4_000, 16_000):
            made = memory.context(DEPLOY, tokens)
            assert 0.9 * tokens < made.report.tokens <= tokens
            assert {"facts", "conversations"} <= set(made.report.sections)
        assert len(made.items) > 300

    def test_an_item_costs_few_tokens_beside_its_text(self, memory: Memory) -> None:
        for number in range(60):
            memory.remember(f"Deploy {number} of the shop was on a Friday")
            memory.conversations.add("user", f"Shop {number} was deployed", channel="old")
            memory.remember(f"Loaf {number} was baked at dawn")
        made = memory.context(DEPLOY)
        assert len(made.items) > 60
        beside = [item.tokens - count(item.text) for item in made.items]
        assert sum(beside) / len(beside) <= 6

    def test_nothing_is_cut(self, memory: Memory) -> None:
        """A fact is complete, or not there at all."""
        said = [f"key {number}: " + "value " * number for number in range(40)]
        for number, text in enumerate(said):
            memory.facts.set(f"key {number}", text)
        for tokens in (100, 500, 1_500):
            made = memory.context(DEPLOY, tokens, needs=["profile"])
            assert set(texts(made)) <= {f"key {at}: {text}" for at, text in enumerate(said)}

    def test_a_section_hands_on_what_it_does_not_use(self, memory: Memory) -> None:
        """Without lessons and tasks the facts get their share."""
        _deploys(memory)
        made = memory.context(DEPLOY, 600)
        alone = memory.context(DEPLOY, 600, needs=["facts"])
        assert texts(made) == texts(alone)
        assert made.report.tokens > 500

    def test_no_section_takes_all(self, memory: Memory) -> None:
        """Blocks leave a quarter to the tail. A long message leaves the facts their share."""
        for name in ("bread", "butter", "jam"):
            memory.blocks.add(name, f"{name} is for sale " * 200)
        _deploys(memory)
        memory.conversations.add_exchange("deploy?", "yes " * 300)
        memory.tasks.add("Rotate the keys")
        made = memory.context(DEPLOY, 1_200)
        assert {"blocks", "facts", "tasks"} <= set(made.report.sections)
        assert made.report.prefix <= 900
        small = memory.context(DEPLOY, 500)
        assert {"facts", "tasks"} <= set(small.report.sections)

    @pytest.mark.parametrize("words", [1_500, 1_896, 2_500, 2_800])
    def test_a_block_gets_what_the_others_leave(self, memory: Memory, words: int) -> None:
        """In the default context."""
        memory.blocks.add("notes", " ".join(["word"] * words))
        memory.remember("Always greet", pinned=True)
        made = memory.context(DEPLOY)
        assert made.items[1].text == "notes: " + " ".join(["word"] * words)

    def test_a_block_that_is_too_long_is_cut_visibly(self, memory: Memory) -> None:
        """With a note; a shorter one beside it stays whole."""
        memory.blocks.add("long", " ".join(f"word {number}" for number in range(1_100)))
        memory.blocks.add("short", "tea and bread")
        for tokens in (200, 1_000, 4_000):
            made = memory.context(DEPLOY, tokens)
            quoted = texts(made, "blocks")
            assert len(quoted) == 2
            [cut] = [text for text in quoted if text.startswith("long: word 0 word 1")]
            assert cut.endswith(" …")
            assert "short: tea and bread" in quoted
            assert "tokens left out] long:" in made.prefix
            assert made.report.tokens > tokens * 2 // 3

    def test_where_there_is_little_room_what_matters_more_comes_first(self, memory: Memory) -> None:
        """Facts come first, then the last messages, whatever the order of the text."""
        filled(memory)
        for number in range(4):
            memory.outcomes.add("deploy", 1, note=f"number {number} of the shop went out")
            memory.lessons.add("baking", f"Let loaf {number} rest for an hour")
        needs = ["facts", "lessons", "outcomes", "tasks", "history"]
        made = [memory.context(DEPLOY, tokens, needs=needs) for tokens in range(60, 260, 4)]
        sections = [set(one.report.sections) for one in made]
        with_facts = [there for there in sections if "facts" in there]
        assert with_facts[0] == {"facts"}
        with_both = [there for there in with_facts if "history" in there]
        assert with_both[0] == {"facts", "history"}

    def test_the_prefix_stays_while_its_memory_does(self, memory: Memory, clock: FakeClock) -> None:
        """It does not depend on the query, the time or the tail."""
        filled(memory)
        prefix = memory.context(DEPLOY).prefix
        assert prefix
        clock.advance(days=200)
        memory.tasks.add("Another task")
        memory.lessons.add("baking", "Let it rest")
        memory.conversations.add("user", "something else")
        memory.remember("The oven is new")
        for query in ("what about the oven?", "", "who is Ana?"):
            assert memory.context(query).prefix == prefix

    def test_what_is_added_comes_after_what_was_there(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        """So a prompt cache still knows the beginning of the prefix."""
        memory.remember("Never deploy on Monday", pinned=True)
        first = memory.context("", needs=["rules"]).prefix
        clock.advance(days=1)
        memory.remember("Always greet", pinned=True)
        second = memory.context("", needs=["rules"]).prefix
        assert second.startswith(first.rpartition("</")[0])

    def test_equal_input_gives_equal_output(self, memory: Memory) -> None:
        filled(memory)
        assert memory.context(DEPLOY) == memory.context(DEPLOY)

    def test_the_report_tells_what_was_left_out(self, memory: Memory) -> None:
        filled(memory)
        memory.remember("Bread is sold in the shop by us on weekends", kind="fact")
        made = memory.context(DEPLOY, 200)
        told = {each.id for each in made.report.left_out}
        shown = {item.id for item in made.items}
        assert told.isdisjoint(shown) or left_out(made, Omission.DUPLICATE)
        assert left_out(made, Omission.BUDGET)
        assert made.report.left_out_count == len(made.report.left_out)
        assert set(made.report.sections) == {item.section for item in made.items}
        assert list(made.report.sections) == sorted(made.report.sections, key=list(Section).index)
        assert made.report.below_floor == memory.recall(DEPLOY).trace.below_floor

    def test_the_report_counts_what_it_does_not_list(self, memory: Memory) -> None:
        for number in range(300):
            memory.remember(f"Deploy number {number} of the shop was on a Friday")
            memory.remember(f"Loaf {number} was baked at dawn")
            memory.tasks.add(f"Bake loaf {number}")
        made = memory.context(DEPLOY, 1_000)
        assert len(made.report.left_out) == 100
        assert made.report.left_out_count > 150


def _deploys(memory: Memory) -> None:
    """Return many facts about one topic, among others."""
    for number in range(60):
        memory.remember(f"Deploy number {number} of the shop was on a Friday")
        memory.remember(f"Loaf {number} was baked at dawn")

"""Blocks: the token limit and the archived overflow."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from erstwhile.core.errors import RefusedError, TooLargeError
from erstwhile.core.kinds import Origin
from erstwhile.memory import Memory
from tests.contracts.base import Contract, unchanged

SENTENCES = [f"Sentence number {number} is about tea. " for number in range(40)]
LONG = "".join(SENTENCES)
CODE = "```python\n" + "".join(f"print({number})\n" for number in range(30)) + "```\n"


def kept_and_archived(memory: Memory, name: str) -> str:
    archived = "".join(fact.text for fact in memory.blocks.overflow(name))
    return memory.blocks.get(name).content + archived


def archived_and_kept(memory: Memory, name: str) -> str:
    archived = "".join(fact.text for fact in memory.blocks.overflow(name))
    return archived + memory.blocks.get(name).content


class BlockLimitsContract(Contract):
    def test_a_text_over_the_limit_is_refused_with_the_numbers(self, memory: Memory) -> None:
        memory.blocks.add("small", "tea ", limit_tokens=20)
        edits: list[Callable[[], object]] = [
            lambda: memory.blocks.add("other", LONG, limit_tokens=20),
            lambda: memory.blocks.update("small", LONG),
            lambda: memory.blocks.append("small", LONG),
            lambda: memory.blocks.insert("small", 0, LONG),
            lambda: memory.blocks.replace_text("small", "tea", LONG),
        ]
        for edit in edits:
            with (
                unchanged(memory),
                pytest.raises(TooLargeError, match=r"\d tokens, 20 are") as told,
            ):
                edit()
            assert told.value.remedy

    def test_a_block_within_its_limit_archives_nothing(self, memory: Memory) -> None:
        block = memory.blocks.add("roomy", "short", limit_tokens=1_024, overflow="archive")
        assert (block.content, block.version) == ("short", 1)
        assert memory.blocks.overflow("roomy") == []
        assert memory.facts.count() == 0

    def test_overflow_is_cut_at_a_sentence_and_archived(self, memory: Memory) -> None:
        block = memory.blocks.add("small", LONG, limit_tokens=100, overflow="archive")
        assert block.tokens <= 100
        assert block.content in ["".join(SENTENCES[:count]) for count in range(1, 40)]
        assert kept_and_archived(memory, "small") == LONG
        fact = memory.blocks.overflow("small")[0]
        assert fact.metadata["block"] == block.id
        assert (fact.metadata["version"], fact.metadata["part"]) == (1, 1)
        assert (fact.origin, fact.scope) == (Origin.AGENT, block.scope)

    def test_a_full_block_keeps_its_newest_text(self, memory: Memory) -> None:
        memory.blocks.add("log", "", limit_tokens=40, overflow="archive")
        lines = [f"On day {number} we drank tea.\n" for number in range(20)]
        for line in lines:
            block = memory.blocks.append("log", line)
            assert block.content.endswith(line)
            assert block.tokens <= 40
        assert block.content.count("\n") > 1
        assert archived_and_kept(memory, "log") == "".join(lines)

    @pytest.mark.parametrize("unit", ["字", "e\u0301", "👩‍👩‍👧", "word "])
    def test_an_end_is_cut_between_characters(self, memory: Memory, unit: str) -> None:
        memory.blocks.add("wide", unit * 3, limit_tokens=50, overflow="archive")
        block = memory.blocks.update("wide", unit * 400 + "end")
        assert (block.content[-3:], block.tokens <= 50) == ("end", True)
        assert (len(block.content) - 3) % len(unit) == 0
        assert archived_and_kept(memory, "wide") == unit * 400 + "end"

    def test_text_inserted_at_the_top_of_a_full_block_stays(self, memory: Memory) -> None:
        memory.blocks.add("notes", LONG, limit_tokens=100, overflow="archive")
        assert memory.blocks.insert("notes", 0, "Brand new.").content.startswith("Brand new.\n")

    def test_archived_overflow_can_be_recalled(self, memory: Memory) -> None:
        pilot = "The harbour pilot is called Zebedee. "
        memory.blocks.add("small", LONG + pilot, limit_tokens=100, overflow="archive")
        hits = memory.recall("who is the harbour pilot?")
        assert any("Zebedee" in hit.fact.text for hit in hits)

    def test_the_same_overflow_twice_is_kept_twice(self, memory: Memory) -> None:
        memory.blocks.add("small", "begin.\n", limit_tokens=8, overflow="archive")
        text = "start.\nTea and milk for everybody in the house.\n"
        for version in (2, 4):
            block = memory.blocks.update("small", text)
            assert (block.version, block.content) == (version, "start.\n")
            memory.blocks.update("small", "begin.\n")
        archived = memory.blocks.overflow("small")
        assert [fact.metadata["version"] for fact in archived] == [4, 2]
        assert {block.content + fact.text for fact in archived} == {text}
        assert [fact.evidence for fact in archived] == [1, 1]

    @pytest.mark.parametrize("unit", ["字", "é", "e\u0301", "👩‍👩‍👧", "🇩🇪", "x"])
    def test_no_character_is_cut(self, memory: Memory, unit: str) -> None:
        text = unit * 400
        block = memory.blocks.add("wide", text, limit_tokens=50, overflow="archive")
        assert block.tokens <= 50
        assert len(block.content) % len(unit) == 0
        assert all(len(fact.text) % len(unit) == 0 for fact in memory.blocks.overflow("wide"))
        assert kept_and_archived(memory, "wide") == text

    def test_chinese_counts_by_tokens_and_not_by_bytes(self, memory: Memory) -> None:
        text = "我们的数据" * 10
        assert memory.blocks.add("zh", text, limit_tokens=2 * len(text)).content == text

    def test_a_fence_is_not_cut(self, memory: Memory) -> None:
        before = "Before the code.\n"
        block = memory.blocks.add(
            "code", before + CODE + "After.\n", limit_tokens=40, overflow="archive"
        )
        assert block.content == before
        assert any(CODE in fact.text for fact in memory.blocks.overflow("code"))
        assert kept_and_archived(memory, "code") == before + CODE + "After.\n"

    def test_a_text_that_cannot_be_cut_is_archived_as_a_whole(self, memory: Memory) -> None:
        block = memory.blocks.add("code", CODE, limit_tokens=10, overflow="archive")
        assert (block.content, block.tokens) == ("", 0)
        assert kept_and_archived(memory, "code") == CODE

    def test_blank_overflow_cannot_be_archived(self, memory: Memory) -> None:
        with unchanged(memory), pytest.raises(TooLargeError, match="tokens"):
            memory.blocks.add("blank", "\n" * 500, limit_tokens=10, overflow="archive")
        memory.blocks.add("tail", "tea" + "\n" * 500, limit_tokens=10, overflow="archive")
        assert kept_and_archived(memory, "tail") == "tea" + "\n" * 500

    def test_a_lower_limit_applies_at_once(self, memory: Memory) -> None:
        memory.blocks.add("notes", LONG)
        with unchanged(memory), pytest.raises(TooLargeError, match="100 are allowed"):
            memory.blocks.set_limit("notes", 100)
        block = memory.blocks.set_limit("notes", 100, overflow="archive")
        assert (block.limit_tokens, block.overflow, block.version) == (100, "archive", 2)
        assert block.tokens <= 100
        assert archived_and_kept(memory, "notes") == LONG

    def test_a_restored_version_keeps_the_limit_too(self, memory: Memory) -> None:
        memory.blocks.add("notes", LONG)
        memory.blocks.update("notes", "short")
        memory.blocks.set_limit("notes", 50)
        with unchanged(memory), pytest.raises(TooLargeError):
            memory.blocks.restore("notes", 1)

    def test_an_archived_fact_can_be_erased_like_any_other(self, memory: Memory) -> None:
        memory.blocks.add("small", LONG, limit_tokens=100, overflow="archive")
        ids = [fact.id for fact in memory.blocks.overflow("small")]
        assert memory.facts.erase(*ids).facts == len(ids)
        assert memory.blocks.overflow("small") == []
        assert memory.audit.verify().ok

    def test_erasing_a_block_erases_its_archived_overflow(self, memory: Memory) -> None:
        block = memory.blocks.add("small", LONG, limit_tokens=100, overflow="archive")
        facts = [fact.id for fact in memory.blocks.overflow("small")]
        memory.facts.delete(facts[0])
        receipt = memory.blocks.erase("small")
        assert set(receipt.ids) == {block.id, *facts}
        assert (receipt.blocks, receipt.facts) == (1, len(facts))
        assert memory.facts.count(state="any") == memory.facts.count(deleted=True) == 0
        assert memory.audit.verify().ok


class BlockArchiveContract(Contract):
    def test_a_write_says_what_it_moved_to_the_archive(self, memory: Memory) -> None:
        memory.blocks.add("log", "", limit_tokens=40, overflow="archive")
        first = memory.blocks.append("log", "Tea.")
        assert (first.moved, first.archived, first.archive_note) == (0, 0, None)
        full = memory.blocks.append("log", LONG)
        parts = memory.blocks.overflow("log")
        assert (full.moved, full.archived) == (sum(len(each.text) for each in parts), len(parts))
        assert "moved to the archive" in (full.archive_note or "")
        assert "`blocks.overflow`" in (full.archive_note or "")
        named = memory.blocks.describe("log", "a log")
        assert (named.moved, named.archived) == (0, len(parts))
        assert full.to_dict()["archive_note"] == full.archive_note

    def test_the_history_says_which_change_moved_text(self, memory: Memory) -> None:
        memory.blocks.add("log", "Tea.\n", limit_tokens=40, overflow="archive")
        memory.blocks.append("log", LONG)
        memory.blocks.rename("log", "diary")
        changes = memory.blocks.history("diary")
        assert [change.moved > 0 for change in changes] == [False, True, False]

    def test_a_context_says_that_a_block_has_an_archive(self, memory: Memory) -> None:
        memory.blocks.add("log", LONG, limit_tokens=40, overflow="archive")
        assert "in its archive: 1" in memory.context("tea").text

    def test_a_text_appended_to_an_empty_block_is_archived_in_its_order(
        self, memory: Memory
    ) -> None:
        memory.blocks.add("log", "", limit_tokens=40, overflow="archive")
        memory.blocks.append("log", LONG)
        memory.blocks.append("log", LONG)
        assert archived_and_kept(memory, "log") == LONG + "\n" + LONG

    def test_text_pushed_out_at_the_end_is_archived_in_its_order(self, memory: Memory) -> None:
        """A log with the newest line at the top."""
        memory.blocks.add("log", "", limit_tokens=40, overflow="archive")
        lines = [f"On day {number} we drank tea.\n" for number in range(20)]
        for line in lines:
            memory.blocks.insert("log", 0, line)
        assert kept_and_archived(memory, "log") == "".join(reversed(lines))

    @pytest.mark.parametrize("verb", ["append", "update"])
    def test_a_long_line_does_not_leave_a_nearly_empty_block(
        self, memory: Memory, verb: str
    ) -> None:
        memory.blocks.add("log", "Tea.\n", limit_tokens=100, overflow="archive")
        line = " ".join(f"word{number}" for number in range(200))
        block = getattr(memory.blocks, verb)("log", f"Short line.\n{line}\n{line}\nEnd.")
        assert block.tokens > 60
        assert block.tokens <= 100

    def test_archived_text_is_no_profile_and_does_not_count_for_onboarding(
        self, memory: Memory
    ) -> None:
        ana = memory.scoped(user="ana")
        ana.blocks.add("log", LONG * 5, limit_tokens=40, overflow="archive")
        assert len(ana.blocks.overflow("log")) > 3
        assert (ana.profile.values(), ana.profile.text()) == ([], "")
        assert [ana.onboarding.next() for _ in range(2)] == ["welcome", None]
        ana.facts.set("a/b", "a key with a slash")
        assert ana.profile.text() == "a/b: a key with a slash"

    def test_deleting_a_block_hides_its_archive_until_it_is_restored(self, memory: Memory) -> None:
        memory.blocks.add("log", LONG, limit_tokens=40, overflow="archive")
        parts = memory.blocks.overflow("log")
        memory.facts.delete(memory.remember("Tea is ready").id)
        memory.blocks.delete("log")
        assert list(memory.facts.list(state="any")) == []
        assert not memory.recall("what is sentence number 20 about?")
        assert len(memory.blocks.overflow("log")) == len(parts)
        memory.blocks.restore("log")
        shown = memory.facts.list(state="any")
        assert {fact.id for fact in shown} == {fact.id for fact in parts}
        assert memory.audit.verify().ok

    def test_versions_of_a_read_only_block_are_not_pruned(self, memory: Memory) -> None:
        memory.blocks.add("rules", "1")
        memory.blocks.update("rules", "2")
        memory.blocks.set_read_only("rules")
        with unchanged(memory), pytest.raises(RefusedError, match="read-only"):
            memory.blocks.prune("rules", keep=1)
        memory.everything().maintain("block_versions 1")
        assert memory.blocks.get("rules", version=1).content == "1"

"""Blocks: versions, history, delete, restore, erase and purge."""

from __future__ import annotations

from typing import Any

import pytest

from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    ScopeError,
)
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, unchanged


class BlockHistoryContract(Contract):
    def test_the_history_has_the_block_before_and_after_each_change(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        ana.blocks.add("context", "old text", reason="to begin with")
        ana.blocks.update("context", "new text", reason="test reason")
        ana.blocks.rename("context", "background")
        ana.blocks.set_limit("background", 100)
        ana.blocks.describe("background", "What was before")
        ana.blocks.set_read_only("background")
        ana.blocks.set_read_only("background", False)
        ana.blocks.delete("background", reason="done with")
        ana.blocks.restore("background", 1)
        told = [(each.version, each.action) for each in ana.blocks.history("background")]
        assert told == [
            (9, "restore"), (8, "delete"), (7, "protect"), (6, "protect"), (5, "describe"),
            (4, "limit"), (3, "rename"), (2, "edit"), (1, "add"),
        ]  # fmt: skip
        *_, edited, created = ana.blocks.history("background")
        assert (created.old, created.reason) == (None, "to begin with")
        assert edited.old is not None
        assert (edited.old.content, edited.new.content) == ("old text", "new text")
        assert (edited.actor, edited.reason) == ("user:ana", "test reason")

    def test_the_newest_changes_come_first_and_in_pages(self, memory: Memory) -> None:
        memory.blocks.add("log", "v1")
        for number in (2, 3, 4):
            memory.blocks.update("log", f"v{number}", reason=f"edit {number - 1}")
        limited = memory.blocks.history("log", limit=2)
        assert [each.new.content for each in limited] == ["v4", "v3"]
        assert [each.old and each.old.content for each in limited] == ["v3", "v2"]
        every = paged(lambda **asked: memory.blocks.history("log", **asked))
        assert [each.version for each in every] == [4, 3, 2, 1]
        assert every[-1].old is None
        for cursor in ("v2", "0"):
            with pytest.raises(InvalidInputError, match="cursor"):
                memory.blocks.history("log", cursor=cursor)

    def test_each_change_is_on_the_audit_trail(self, memory: Memory) -> None:
        block = memory.blocks.add("log", "v1")
        memory.blocks.append("log", "v2", reason="because")
        entries = memory.audit.list(subject=block.id)
        assert [entry.action for entry in entries] == ["block.append", "block.add"]
        assert entries[0].reason == "because"
        checked = memory.audit.verify()
        assert (checked.ok, checked.entries, checked.records) == (True, 2, 2)

    def test_an_earlier_version_can_be_read(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.blocks.add("log", "v1")
        clock.advance(hours=1)
        second = memory.blocks.update("log", "v2")
        clock.advance(hours=1)
        memory.blocks.rename("log", "diary")
        assert memory.blocks.get("diary", version=1) == first
        assert memory.blocks.get("log", known_at=second.updated_at) == second
        assert memory.blocks.get("log", known_at=first.updated_at) == first
        assert [each.name for each in memory.blocks.list(known_at=first.updated_at)] == ["log"]
        for version in (0, 4, -1):
            with pytest.raises(NotFoundError, match="has no version"):
                memory.blocks.get("diary", version=version)
        with pytest.raises(NotFoundError):
            memory.blocks.get("diary", known_at=first.updated_at)
        with pytest.raises(InvalidInputError, match="not a version"):
            memory.blocks.get("diary", version="1")  # type: ignore[arg-type]

    def test_two_versions_are_compared(self, memory: Memory) -> None:
        memory.blocks.add("log", "one\ntwo\n")
        memory.blocks.update("log", "one\nthree\n")
        changed = memory.blocks.diff("log", 1, 2).splitlines()
        assert changed[:2] == ["--- log (version 1)", "+++ log (version 2)"]
        assert {"-two", "+three", " one"} <= set(changed)
        assert memory.blocks.diff("log", 1) == memory.blocks.diff("log", 1, 2)
        assert memory.blocks.diff("log", 2, 2) == ""
        memory.blocks.update("log", "one\nthree")
        assert memory.blocks.diff("log", 2, 3) != ""

    def test_an_earlier_content_is_restored_as_a_new_version(self, memory: Memory) -> None:
        memory.blocks.add("log", "v1")
        memory.blocks.update("log", "v2")
        restored = memory.blocks.restore("log", 1, reason="v2 was wrong")
        assert (restored.content, restored.version) == ("v1", 3)
        assert memory.blocks.get("log", version=2).content == "v2"
        with unchanged(memory), pytest.raises(ConflictError, match="not deleted"):
            memory.blocks.restore("log")

    def test_a_deleted_block_is_restored(self, memory: Memory, clock: FakeClock) -> None:
        first = memory.blocks.add("temp", "to be deleted")
        clock.advance(hours=1)
        gone = memory.blocks.delete("temp")
        assert gone.deleted_at == clock.now()
        for moment in (None, first.updated_at):
            with pytest.raises(NotFoundError):
                memory.blocks.get("temp", known_at=moment)
            assert not memory.blocks.list(known_at=moment)
        with pytest.raises(NotFoundError) as told:
            memory.blocks.update("temp", "x")
        assert "blocks.restore" in told.value.remedy
        assert [each.action for each in memory.blocks.history("temp")] == ["delete", "add"]
        clock.advance(hours=1)
        assert memory.blocks.restore("temp").version == 3
        assert memory.blocks.get("temp").content == "to be deleted"
        assert memory.blocks.get("temp", known_at=first.updated_at) == first

    def test_a_new_block_of_a_deleted_name_has_its_own_history(self, memory: Memory) -> None:
        old = memory.blocks.add("temp", "the first")
        memory.blocks.delete("temp")
        new = memory.blocks.add("temp", "the second")
        assert new.id != old.id
        assert [each.new.content for each in memory.blocks.history("temp")] == ["the second"]
        memory.blocks.delete("temp")
        assert memory.blocks.restore("temp").id == new.id

    def test_a_restore_fails_if_the_name_was_taken_meanwhile(self, memory: Memory) -> None:
        memory.blocks.add("temp", "the first")
        memory.blocks.delete("temp")
        memory.blocks.add("other", "the second")
        memory.blocks.rename("other", "temp")
        with unchanged(memory), pytest.raises(ConflictError, match="not deleted"):
            memory.blocks.restore("temp")

    def test_an_erased_block_leaves_only_its_id(self, memory: Memory) -> None:
        old = memory.blocks.add("temp", "first secret")
        memory.blocks.delete("temp", reason="a secret reason")
        new = memory.blocks.add("temp", "second secret", limit_tokens=4_000)
        memory.blocks.append("temp", "third secret")
        other = memory.blocks.add("other", "stays")
        receipt = memory.blocks.erase("temp")
        assert set(receipt.ids) == {old.id, new.id}
        assert (receipt.blocks, receipt.facts, receipt.versions) == (2, 0, 2)
        assert receipt.audit_entries == 4
        assert "secret" not in repr(receipt)
        assert list(memory.blocks.list()) == [other]
        assert {entry.reason for entry in memory.audit.list()} == {None}
        assert memory.audit.verify().ok
        with pytest.raises(NotFoundError):
            memory.blocks.restore("temp")
        with pytest.raises(InvalidInputError, match="no name was given"):
            memory.blocks.erase()

    def test_purging_erases_old_deletions(self, memory: Memory, clock: FakeClock) -> None:
        ana, kept = memory.scoped(user="ana"), memory.blocks.add("kept", "stays")
        old = memory.blocks.add("old", "word " * 200, limit_tokens=50, overflow="archive")
        for place in (memory, ana):
            place.blocks.add("other", "secret")
        memory.blocks.delete("old")
        ana.blocks.delete("other")
        clock.advance(days=31)
        memory.blocks.delete("other")
        assert [block.name for block in memory.blocks.list(deleted=True)] == ["old", "other"]
        facts = memory.blocks.overflow("old")
        receipt = memory.blocks.purge()
        assert set(receipt.ids) == {old.id, *(fact.id for fact in facts)}
        assert (receipt.blocks, receipt.facts) == (1, len(facts))
        assert [block.name for block in memory.blocks.list(deleted=True)] == ["other"]
        assert list(memory.blocks.list()) == [kept]
        assert [block.name for block in ana.blocks.list(deleted=True)] == ["other", "other"]
        with pytest.raises(NotFoundError):
            memory.blocks.history("old")
        assert memory.everything().audit.verify().ok

    def test_a_version_stores_its_content_once(self, memory: Memory) -> None:
        memory.blocks.add("log", "v1")
        for number in range(2, 40):
            memory.blocks.update("log", f"v{number}")
        page = memory.blocks.history("log", limit=1)
        assert page[0].old == memory.blocks.get("log", version=38)
        assert page.next == "39"
        older = memory.blocks.history("log", limit=3, cursor="3")
        assert [each.version for each in older] == [2, 1]
        assert older.next is None


class BlockPruningContract(Contract):
    @pytest.fixture
    def log(self, memory: Memory) -> Memory:
        """Add a block with five versions."""
        memory.blocks.add("log", "v1", reason="private")
        for number in range(2, 6):
            memory.blocks.update("log", f"v{number}")
        return memory

    def test_pruning_keeps_the_newest_versions(self, log: Memory) -> None:
        with unchanged(log):
            assert log.blocks.prune("log").versions == 0
            assert log.blocks.prune("log", 5).versions == 0
        with unchanged(log), pytest.raises(ScopeError):
            log.scoped(user="ana").blocks.prune("log", 1)
        receipt = log.blocks.prune("log", 2, reason="space")
        assert (receipt.versions, receipt.ids) == (3, (log.blocks.get("log").id,))
        changes = paged(lambda **asked: log.blocks.history("log", **asked))
        assert [each.new.content for each in changes] == ["v5", "v4"]
        assert changes[-1].old is None
        assert log.blocks.get("log", version=4).content == "v4"
        with pytest.raises(NotFoundError, match="pruned"):
            log.blocks.get("log", version=3)
        assert log.audit.verify().ok
        newest, *_, oldest = log.audit.list(subject=receipt.ids[0])
        assert (newest.action, newest.reason, oldest.reason) == ("block.prune", "space", None)

    def test_a_pruned_block_goes_on(self, log: Memory) -> None:
        log.blocks.prune("log", 1)
        assert log.blocks.append("log", "v6").version == 6
        log.blocks.prune("log", 1)
        assert [each.version for each in log.blocks.history("log")] == [6]
        assert log.audit.verify().ok
        log.blocks.erase("log")
        assert log.audit.verify().ok

    @input_check
    @pytest.mark.parametrize("keep", [0, -1, True, "2", None, 1.5])
    def test_a_bad_number_is_refused(self, log: Memory, keep: Any) -> None:
        with unchanged(log), pytest.raises(InvalidInputError, match="keep"):
            log.blocks.prune("log", keep)

    def test_a_read_only_block_is_erased_only_if_that_is_meant(self, log: Memory) -> None:
        log.blocks.set_read_only("log")
        log.blocks.add("other")
        with unchanged(log), pytest.raises(RefusedError, match="read-only"):
            log.blocks.erase("other", "log")
        assert log.blocks.erase("log", read_only=True).blocks == 1

    def test_an_id_finds_a_block_of_a_reused_name(self, memory: Memory, clock: FakeClock) -> None:
        old = memory.blocks.add("notes", "old")
        memory.blocks.delete("notes")
        clock.advance(days=1)
        new = memory.blocks.add("notes", "new")
        for id in (old.id, old.short_id):
            assert [each.new.content for each in memory.blocks.history(id)] == ["old", "old"]
        assert memory.blocks.get(new.id) == new
        with unchanged(memory), pytest.raises(ConflictError, match="already exists"):
            memory.blocks.restore(old.id)
        memory.blocks.rename("notes", "newer notes")
        assert memory.blocks.restore(old.id).content == "old"

    def test_an_id_means_only_its_block_of_this_scope(self, memory: Memory) -> None:
        old = memory.blocks.add("notes", "old")
        memory.blocks.delete("notes")
        memory.blocks.add("notes", "new")
        assert memory.blocks.erase(old.id).ids == (old.id,)
        assert memory.blocks.list(deleted=True).items == ()
        assert memory.blocks.get("notes").content == "new"
        block = memory.scoped(user="bob").blocks.add("diary", "private")
        for ask in (memory.blocks.get, memory.blocks.history, memory.blocks.erase):
            with pytest.raises(NotFoundError):
                ask(block.id)

"""Blocks: pruning old versions, erasing protected ones, reaching blocks by id."""

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


class BlockPruningContract(Contract):
    @pytest.fixture
    def log(self, memory: Memory) -> Memory:
        """Add a block with five versions."""
        memory.blocks.add("log", "v1", reason="private")
        for number in range(2, 6):
            memory.blocks.update("log", f"v{number}")
        return memory

    def test_pruning_keeps_the_newest_versions(self, log: Memory) -> None:
        """The present version is one of them; the trail still verifies."""
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

    def test_nothing_to_prune_changes_nothing(self, log: Memory) -> None:
        with unchanged(log):
            assert log.blocks.prune("log").versions == 0
            assert log.blocks.prune("log", 5).versions == 0

    @input_check
    @pytest.mark.parametrize("keep", [0, -1, True, "2", None, 1.5])
    def test_a_bad_number_is_refused(self, log: Memory, keep: Any) -> None:
        with unchanged(log), pytest.raises(InvalidInputError, match="keep"):
            log.blocks.prune("log", keep)

    def test_pruning_needs_the_exact_scope(self, log: Memory) -> None:
        with unchanged(log), pytest.raises(ScopeError):
            log.scoped(user="ana").blocks.prune("log", 1)

    def test_a_read_only_block_is_erased_only_if_that_is_meant(self, log: Memory) -> None:
        log.blocks.set_read_only("log")
        log.blocks.add("other")
        with unchanged(log), pytest.raises(RefusedError, match="read-only"):
            log.blocks.erase("other", "log")
        assert log.blocks.erase("log", read_only=True).blocks == 1

    def test_an_id_reaches_a_block_whose_name_was_used_again(
        self, memory: Memory, clock: FakeClock
    ) -> None:
        old = memory.blocks.add("notes", "old")
        memory.blocks.delete("notes")
        clock.advance(days=1)
        new = memory.blocks.add("notes", "new")
        for id in (old.id, old.short_id):
            assert [each.new.content for each in memory.blocks.history(id)] == ["old", "old"]
        assert memory.blocks.get(new.id) == new
        with unchanged(memory), pytest.raises(ConflictError, match="exists already"):
            memory.blocks.restore(old.id)
        memory.blocks.rename("notes", "newer notes")
        assert memory.blocks.restore(old.id).content == "old"

    def test_an_id_erases_only_its_block(self, memory: Memory) -> None:
        old = memory.blocks.add("notes", "old")
        memory.blocks.delete("notes")
        memory.blocks.add("notes", "new")
        assert memory.blocks.erase(old.id).ids == (old.id,)
        assert memory.blocks.list(deleted=True).items == ()
        assert memory.blocks.get("notes").content == "new"

    def test_an_id_shows_no_block_of_others(self, memory: Memory) -> None:
        block = memory.scoped(user="bob").blocks.add("diary", "private")
        for ask in (memory.blocks.get, memory.blocks.history, memory.blocks.erase):
            with pytest.raises(NotFoundError):
                ask(block.id)

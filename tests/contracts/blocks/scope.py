"""Blocks: scopes and ownership."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from erstwhile.core.errors import InvalidInputError, NotFoundError, ScopeError
from erstwhile.memory import Memory
from tests.contracts.base import Contract, paged, unchanged


class BlockScopeContract(Contract):
    def test_a_name_means_the_block_of_the_narrowest_scope(self, memory: Memory) -> None:
        """Viewers of wider scopes get the wider block."""
        ana, coder = memory.scoped(user="ana"), memory.scoped(user="ana", agent="coder")
        shared = memory.blocks.add("persona", "for all")
        hers = ana.blocks.add("persona", "for ana")
        assert [each.blocks.get("persona") for each in (memory, ana, coder)] == [
            shared, hers, hers,
        ]  # fmt: skip
        assert list(coder.blocks.list()) == [hers, shared]
        assert paged(coder.blocks.list) == [hers, shared]
        assert memory.scoped(user="bob").blocks.get("persona") == shared

    def test_leaving_a_dimension_out_shows_no_more(self, memory: Memory) -> None:
        memory.scoped(user="ana", project="shop").blocks.add("persona", "hers")
        for narrower in (memory, memory.scoped(user="ana"), memory.scoped(project="shop")):
            assert not narrower.blocks.list()
            with pytest.raises(NotFoundError):
                narrower.blocks.get("persona")

    def test_changing_needs_the_exact_scope(self, memory: Memory) -> None:
        """A block of another scope is read-only here; one of the same name can be added."""
        memory.blocks.add("folder/persona", "for all")
        ana = memory.scoped(user="ana")
        changes: list[Callable[[], object]] = [
            lambda: ana.blocks.update("folder/persona", "mine"),
            lambda: ana.blocks.rename("folder/persona", "mine"),
            lambda: ana.blocks.delete("folder/persona"),
            lambda: ana.blocks.erase("folder/persona"),
            lambda: ana.blocks.delete_folder("folder"),
            lambda: ana.blocks.rename_folder("folder", "mine"),
        ]
        for change in changes:
            with unchanged(memory), pytest.raises(ScopeError, match="shared"):
                change()
        assert ana.blocks.add("folder/persona", "mine").version == 1
        assert ana.blocks.append("folder/persona", "more").version == 2
        assert memory.blocks.get("folder/persona").version == 1

    def test_an_administrator_changes_blocks_but_adds_none(self, memory: Memory) -> None:
        everything = memory.everything()
        memory.scoped(user="ana").blocks.add("hers", "one")
        assert everything.blocks.update("hers", "two").scope.user == "ana"
        assert [each.actor for each in everything.blocks.history("hers")] == [
            "administrator", "user:ana",
        ]  # fmt: skip
        with unchanged(memory), pytest.raises(ScopeError, match="no scope"):
            everything.blocks.add("mine")
        with unchanged(memory), pytest.raises(ScopeError, match="no scope"):
            everything.blocks.delete_folder("hers")

    def test_a_name_in_several_scopes_is_ambiguous_to_an_administrator(
        self, memory: Memory
    ) -> None:
        for user in ("ana", "bob"):
            memory.scoped(user=user).blocks.add("persona", user)
        everything = memory.everything()
        with unchanged(memory), pytest.raises(InvalidInputError, match="user=ana"):
            everything.blocks.update("persona", "new")
        assert len(paged(everything.blocks.list)) == 2

    def test_the_overflow_belongs_to_the_scope_of_its_block(self, memory: Memory) -> None:
        ana = memory.scoped(user="ana")
        ana.blocks.add("notes", limit_tokens=8, overflow="archive")
        memory.everything().blocks.update("notes", "tea.\n" + "Sugar and milk. " * 20)
        [*facts] = ana.blocks.overflow("notes")
        assert {fact.scope.user for fact in facts} == {"ana"}
        assert memory.facts.count() == 0

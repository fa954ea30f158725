"""Blocks: add, read and edit named texts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from erstwhile.blocks.block import Block
from erstwhile.core.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    RefusedError,
    ScopeError,
    TooLargeError,
)
from erstwhile.memory import Memory
from erstwhile.testing.clock import FakeClock
from tests.contracts.base import Contract, input_check, paged, unchanged

EDITS: dict[str, Callable[[Memory, int | None], Block]] = {
    "update": lambda memory, v: memory.blocks.update("notes", "new", expected_version=v),
    "append": lambda memory, v: memory.blocks.append("notes", "new", expected_version=v),
    "insert": lambda memory, v: memory.blocks.insert("notes", 0, "new", expected_version=v),
    "replace_text": lambda memory, v: memory.blocks.replace_text(
        "notes", "one", "new", expected_version=v
    ),
    "rename": lambda memory, v: memory.blocks.rename("notes", "new", expected_version=v),
    "describe": lambda memory, v: memory.blocks.describe("notes", "new", expected_version=v),
    "set_limit": lambda memory, v: memory.blocks.set_limit("notes", 50, expected_version=v),
    "restore": lambda memory, v: memory.blocks.restore("notes", 1, expected_version=v),
    "delete": lambda memory, v: memory.blocks.delete("notes", expected_version=v),
}


class BlocksContract(Contract):
    def test_a_block_is_added_and_read(self, memory: Memory, clock: FakeClock) -> None:
        block = memory.blocks.add(
            "persona", "I am a helpful assistant.", limit_tokens=512, description="Who I am"
        )
        assert memory.blocks.get("persona") == block
        assert (block.name, block.content, block.version) == (
            "persona", "I am a helpful assistant.", 1,
        )  # fmt: skip
        assert (block.limit_tokens, block.description) == (512, "Who I am")
        assert (block.read_only, block.deleted_at) == (False, None)
        assert block.created_at == block.updated_at == clock.now()
        assert 0 < block.tokens <= 512

    def test_each_edit_is_the_next_version(self, memory: Memory, clock: FakeClock) -> None:
        assert memory.blocks.add("empty").content == ""
        assert memory.blocks.update("empty", " \n").content == " \n"
        assert memory.blocks.update("empty", "").version == 3
        memory.blocks.add("notes", "initial")
        clock.advance(hours=1)
        second = memory.blocks.update("notes", "updated once", reason="first edit")
        third = memory.blocks.update("notes", "updated twice", reason="second edit")
        assert (second.version, third.version) == (2, 3)
        assert third.updated_at > second.updated_at > second.created_at

    def test_identical_content_changes_nothing(self, memory: Memory) -> None:
        block = memory.blocks.add("notes", "the same")
        with unchanged(memory):
            assert memory.blocks.update("notes", "the same") == block
            assert memory.blocks.replace_text("notes", "same", "same") == block
            assert memory.blocks.rename("notes", "notes") == block
            assert memory.blocks.set_limit("notes", block.limit_tokens) == block

    def test_a_text_is_appended_on_its_own_line(self, memory: Memory) -> None:
        memory.blocks.add("notes")
        assert memory.blocks.append("notes", "one").content == "one"
        assert memory.blocks.append("notes", "two\n").content == "one\ntwo\n"
        assert memory.blocks.append("notes", "three").content == "one\ntwo\nthree"

    def test_a_text_is_inserted_after_a_line(self, memory: Memory) -> None:
        memory.blocks.add("notes", "one\ntwo")
        assert memory.blocks.insert("notes", 0, "zero").content == "zero\none\ntwo\n"
        assert memory.blocks.insert("notes", 3, "three\n").content == "zero\none\ntwo\nthree\n"
        assert memory.blocks.insert("notes", 2, "1.5").content == "zero\none\n1.5\ntwo\nthree\n"

    @pytest.mark.parametrize("line", [-1, 3, True, "1"])
    def test_a_line_that_is_not_there_is_refused(self, memory: Memory, line: int) -> None:
        memory.blocks.add("notes", "one\ntwo\n")
        with unchanged(memory), pytest.raises(InvalidInputError, match="between 0 and 2"):
            memory.blocks.insert("notes", line, "x")

    def test_the_only_occurrence_of_a_text_is_replaced(self, memory: Memory) -> None:
        memory.blocks.add("notes", "tea and milk")
        assert memory.blocks.replace_text("notes", "tea", "coffee").content == "coffee and milk"
        assert memory.blocks.replace_text("notes", " and milk", "").content == "coffee"

    @pytest.mark.parametrize(("old", "found"), [("Tea", 0), ("tea", 2)])
    def test_an_ambiguous_text_is_not_replaced(self, memory: Memory, old: str, found: int) -> None:
        block = memory.blocks.add("notes", "tea, and more tea")
        with unchanged(memory), pytest.raises(ConflictError, match=f"occurs {found} times") as told:
            memory.blocks.replace_text("notes", old, "coffee")
        assert told.value.current == block
        with pytest.raises(InvalidInputError, match="empty"):
            memory.blocks.replace_text("notes", "", "coffee")

    @pytest.mark.parametrize("edit", EDITS)
    def test_a_stale_expected_version_changes_nothing(self, memory: Memory, edit: str) -> None:
        """The conflict has the present block, so that the caller can repeat the edit."""
        memory.blocks.add("notes", "one")
        current = memory.blocks.append("notes", "two")
        for stale in (0, 1, 3):
            with unchanged(memory), pytest.raises(ConflictError, match="at version 2") as told:
                EDITS[edit](memory, stale)
            assert told.value.current == current
        assert EDITS[edit](memory, 2).version == 3

    @pytest.mark.parametrize("edit", EDITS)
    def test_a_read_only_block_is_not_changed(self, memory: Memory, edit: str) -> None:
        memory.blocks.add("notes", "one", read_only=True)
        with unchanged(memory), pytest.raises(RefusedError, match="read-only"):
            EDITS[edit](memory, None)
        memory.blocks.set_read_only("notes", False)
        memory.blocks.append("notes", "two")
        EDITS[edit](memory, None)

    @pytest.mark.parametrize("edit", EDITS)
    def test_an_unknown_name_is_not_found(self, memory: Memory, edit: str) -> None:
        with unchanged(memory), pytest.raises(NotFoundError, match="notes") as told:
            EDITS[edit](memory, None)
        assert "blocks.list" in told.value.remedy
        for ask in (memory.blocks.get, memory.blocks.history, memory.blocks.erase):
            with pytest.raises(NotFoundError):
                ask("notes")

    def test_a_name_that_is_taken_is_a_conflict(self, memory: Memory) -> None:
        first, other = memory.blocks.add("notes", "one"), memory.blocks.add("other")
        with unchanged(memory), pytest.raises(ConflictError, match="already") as told:
            memory.blocks.add("notes", "two")
        assert told.value.current == first
        with unchanged(memory), pytest.raises(ConflictError, match="already"):
            memory.blocks.rename(other.name, "notes")

    @input_check
    @pytest.mark.parametrize(
        "name",
        ["", "  ", "a\nb", "a\0b", "\ud800", "x" * 201, "a/../b", "/a", "a//b", ".", "a/",
         "a\u202eb", "zero\u200bwidth", 5],
    )  # fmt: skip
    def test_a_bad_name_is_refused(self, memory: Memory, name: str) -> None:
        with unchanged(memory), pytest.raises(InvalidInputError):
            memory.blocks.add(name, "text")

    def test_names_that_look_the_same_are_the_same(self, memory: Memory) -> None:
        block = memory.blocks.add("cafe\u0301")
        assert memory.blocks.get("caf\u00e9") == block

    @input_check
    @pytest.mark.parametrize("limit", [0, -1, 1_000_001, 1.5, True, "many"])
    def test_a_bad_limit_is_refused(self, memory: Memory, limit: int) -> None:
        memory.blocks.add("notes")
        with unchanged(memory), pytest.raises(InvalidInputError, match="limit"):
            memory.blocks.add("other", limit_tokens=limit)
        with unchanged(memory), pytest.raises(InvalidInputError, match="limit"):
            memory.blocks.set_limit("notes", limit)

    @input_check
    @pytest.mark.parametrize("text", ["a\0b", "\ud800", None, 5])
    def test_text_that_cannot_be_stored_whole_is_refused(self, memory: Memory, text: str) -> None:
        memory.blocks.add("notes", "one")
        edits: list[Callable[[], object]] = [
            lambda: memory.blocks.add("other", text),
            lambda: memory.blocks.update("notes", text),
            lambda: memory.blocks.append("notes", text),
            lambda: memory.blocks.insert("notes", 0, text),
            lambda: memory.blocks.replace_text("notes", "one", text),
        ]
        for edit in edits:
            with unchanged(memory), pytest.raises(InvalidInputError):
                edit()

    @input_check
    def test_a_text_over_the_size_limit_is_refused(self, memory: Memory) -> None:
        with unchanged(memory), pytest.raises(TooLargeError, match="500,000"):
            memory.blocks.add("notes", "x" * 500_001, limit_tokens=1_000_000)

    def test_blocks_are_listed_by_name(self, memory: Memory) -> None:
        for name in ("gamma", "alpha", "beta", "delta", "beta/1"):
            memory.blocks.add(name)
        names = [block.name for block in memory.blocks.list()]
        assert names == ["alpha", "beta", "beta/1", "delta", "gamma"]
        assert [block.name for block in paged(memory.blocks.list)] == names

    @input_check
    @pytest.mark.parametrize("cursor", ["", "x", "1", "1/2", "1//name", 5])
    def test_an_invalid_cursor_is_refused(self, memory: Memory, cursor: str) -> None:
        with pytest.raises(InvalidInputError):
            memory.blocks.list(cursor=cursor)

    def test_a_folder_is_renamed_and_deleted_as_a_whole(self, memory: Memory) -> None:
        for name in ("a", "a/x", "a/y/z", "ab/x"):
            memory.blocks.add(name, name)
        memory.blocks.rename_folder("a", "b")
        assert [each.name for each in memory.blocks.list()] == ["a", "ab/x", "b/x", "b/y/z"]
        memory.blocks.add("c/y/z")
        with unchanged(memory), pytest.raises(ConflictError, match="already"):
            memory.blocks.rename_folder("b", "c")
        with unchanged(memory), pytest.raises(ConflictError, match="into itself"):
            memory.blocks.rename_folder("b", "b/c")
        memory.blocks.delete_folder("b")
        assert [each.name for each in memory.blocks.list()] == ["a", "ab/x", "c/y/z"]
        with unchanged(memory), pytest.raises(NotFoundError, match="b"):
            memory.blocks.delete_folder("b")


class BlockScopeContract(Contract):
    def test_a_name_means_the_block_of_the_narrowest_scope(self, memory: Memory) -> None:
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

    def test_name_in_several_scopes_is_ambiguous_to_administrator(self, memory: Memory) -> None:
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

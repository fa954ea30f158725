"""The collection of blocks: named texts that an agent edits itself, with all their versions."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import replace

from erstwhile.blocks import changes as block_changes
from erstwhile.blocks import erasure as block_erasure
from erstwhile.blocks import pages as block_pages
from erstwhile.blocks import table as block_table
from erstwhile.blocks.block import (
    LIMIT_TOKENS,
    Block,
    BlockChange,
    Overflow,
    appended,
    checked_content,
    checked_description,
    checked_limit_tokens,
    checked_name,
    inserted,
    replaced,
)
from erstwhile.blocks.content import archived, with_content
from erstwhile.core.kinds import choice
from erstwhile.core.page import NEWEST, Page, checked_limit, checked_number
from erstwhile.core.receipt import Receipt
from erstwhile.core.text import checked_reason
from erstwhile.core.time import Moment
from erstwhile.facts.fact import Fact
from erstwhile.storage.collection import Collection
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


class Blocks(Collection):
    """All blocks that this memory's scope can see. A name means the one of the narrowest scope."""

    def add(
        self,
        name: str,
        content: str = "",
        *,
        limit_tokens: int = LIMIT_TOKENS,
        description: str = "",
        overflow: Overflow | str = "refuse",
        read_only: bool = False,
        reason: str | None = None,
    ) -> Block:
        """Make a block in exactly this scope; a name that is taken there is a conflict.

        What is over the limit is refused, or with `overflow="archive"` cut off and kept as facts.
        """
        said = block_changes.Said(
            name=checked_name(name),
            content=checked_content(content),
            description=checked_description(description),
            limit_tokens=checked_limit_tokens(limit_tokens),
            overflow=choice(Overflow, overflow, name="overflow"),
            read_only=bool(read_only),
        )
        why, tokenizers = checked_reason(reason), self._services.tokenizers
        return self._access.change(lambda unit: block_changes.add(unit, said, tokenizers, why))

    def get(
        self, name: str, *, version: int | None = None, known_at: Moment | None = None
    ) -> Block:
        """One block as it is now, in an earlier version, or as it was known at a moment."""
        wanted = checked_name(name)

        def found(view: View) -> Block:
            block = block_table.find(view, wanted)
            return block if version is None else block_pages.at_version(view, block, version)

        return self._access.ask(found, None, known_at)

    def list(
        self, *, limit: int = 50, cursor: str | None = None, known_at: Moment | None = None
    ) -> Page[Block]:
        """Blocks by name. Of several of one name, the first is the one that `get` gives."""
        wanted, after = checked_limit(limit), block_pages.place(cursor)
        return self._access.ask(
            lambda view: block_pages.listed(view, wanted, after), None, known_at
        )

    def update(
        self,
        name: str,
        content: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Give a block another content. With a stale `expected_version` nothing changes."""
        return self._write(name, lambda _: content, "edit", reason, expected_version)

    def append(
        self,
        name: str,
        text: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Add a text at the end, on a line of its own."""
        added = checked_content(text)
        return self._write(
            name, lambda block: appended(block.content, added), "append", reason, expected_version
        )

    def insert(
        self,
        name: str,
        line: int,
        text: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Put a text after a line; 0 puts it before the first."""
        added = checked_content(text)
        return self._write(
            name,
            lambda block: inserted(block.content, line, added),
            "insert",
            reason,
            expected_version,
        )

    def replace_text(
        self,
        name: str,
        old: str,
        new: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Change the one place where `old` stands; if there are none or several, a conflict."""
        put = checked_content(new)
        return self._write(
            name, lambda block: replaced(block, old, put), "replace", reason, expected_version
        )

    def rename(
        self,
        name: str,
        new_name: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Give a block another name. Its history comes with it."""
        wanted = checked_name(new_name)
        return self._edit(
            name,
            lambda unit, block: block_changes.renamed(unit, block, wanted),
            "rename",
            reason,
            expected_version,
        )

    def describe(
        self,
        name: str,
        description: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Say what a block is for; an empty text takes that away."""
        said = checked_description(description)
        return self._edit(
            name,
            lambda _, block: replace(block, description=said),
            "describe",
            reason,
            expected_version,
        )

    def set_limit(
        self,
        name: str,
        limit_tokens: int,
        *,
        overflow: Overflow | str | None = None,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Set the limit, counted by this process's tokenizer from then on."""
        limit = checked_limit_tokens(limit_tokens)
        way = None if overflow is None else choice(Overflow, overflow, name="overflow")

        def limited(unit: Unit, block: Block) -> Block:
            return block_changes.limited(unit, block, limit, way, self._services.tokenizers)

        return self._edit(name, limited, "limit", reason, expected_version)

    def set_read_only(
        self,
        name: str,
        read_only: bool = True,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Let nothing change a block until this is lifted with `read_only=False`."""
        return self._edit(
            name,
            lambda _, block: replace(block, read_only=bool(read_only)),
            "protect",
            reason,
            expected_version,
        )

    def history(
        self, name: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[BlockChange]:
        """Every change of a block, newest first, also of one that was deleted."""
        wanted, asked = checked_name(name), checked_limit(limit)
        before = NEWEST if cursor is None else checked_number(cursor)

        def lived(view: View) -> Page[BlockChange]:
            block = block_table.find(view, wanted, among=block_table.PRESENT_OR_REMOVED)
            return block_pages.changes(view, block, asked, before)

        return self._access.ask(lived)

    def diff(self, name: str, from_version: int, to_version: int | None = None) -> str:
        """What changed between two versions, as a unified diff; by default up to the present."""
        wanted = checked_name(name)

        def compared(view: View) -> str:
            block = block_table.find(view, wanted, among=block_table.PRESENT_OR_REMOVED)
            old = block_pages.at_version(view, block, from_version)
            new = block if to_version is None else block_pages.at_version(view, block, to_version)
            return block_pages.difference(old, new)

        return self._access.ask(compared)

    def restore(
        self,
        name: str,
        version: int | None = None,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Bring back the content of an earlier version, or a block that was deleted."""

        def restored(unit: Unit, block: Block) -> Block:
            return block_changes.restored(unit, block, version, self._services.tokenizers)

        among = block_table.PRESENT_OR_REMOVED
        return self._edit(name, restored, "restore", reason, expected_version, among=among)

    def overflow(self, name: str) -> builtins.list[Fact]:
        """The facts that hold what was cut off a block, in the order in which it was."""
        wanted = checked_name(name)

        def found(view: View) -> builtins.list[Fact]:
            block = block_table.find(view, wanted, among=block_table.PRESENT_OR_REMOVED)
            return [fact for fact in archived(view, block) if fact.deleted_at is None]

        return self._access.ask(found)

    def delete(
        self, name: str, *, reason: str | None = None, expected_version: int | None = None
    ) -> Block:
        """Hide a block. Its history stays, and `restore` brings it back; `erase` destroys."""
        return self._edit(
            name,
            lambda unit, block: replace(block, deleted_at=unit.now),
            "delete",
            reason,
            expected_version,
        )

    def delete_folder(self, folder: str, *, reason: str | None = None) -> builtins.list[Block]:
        """Hide all blocks whose names begin with `folder/`, together."""
        wanted, why = checked_name(folder), checked_reason(reason)
        return self._access.change(lambda unit: block_changes.delete_folder(unit, wanted, why))

    def rename_folder(
        self, folder: str, new_folder: str, *, reason: str | None = None
    ) -> builtins.list[Block]:
        """Let all blocks whose names begin with `folder/` begin with another, together."""
        wanted, other, why = checked_name(folder), checked_name(new_folder), checked_reason(reason)
        return self._access.change(
            lambda unit: block_changes.rename_folder(unit, wanted, other, why)
        )

    def erase(self, name: str) -> Receipt:
        """Destroy a block, deleted ones of its name, all versions and what was archived of them."""
        return block_erasure.erase(self._access, checked_name(name))

    def _write(
        self,
        name: str,
        content: Callable[[Block], str],
        action: str,
        reason: str | None,
        expected_version: int | None,
    ) -> Block:
        def written(unit: Unit, block: Block) -> Block:
            return with_content(unit, block, content(block), self._services.tokenizers)

        return self._edit(name, written, action, reason, expected_version)

    def _edit(
        self,
        name: str,
        edit: Callable[[Unit, Block], Block],
        action: str,
        reason: str | None,
        expected_version: int | None,
        *,
        among: tuple[str, ...] = block_table.PRESENT,
    ) -> Block:
        wanted, why = checked_name(name), checked_reason(reason)

        def edited(unit: Unit) -> Block:
            block = block_table.find_own(unit, wanted, among=among)
            return block_changes.edit(unit, block, edit, action, why, expected_version)

        return self._access.change(edited)

"""The collection of blocks."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeVar

from erstwhile.blocks import changes, table
from erstwhile.blocks.block import (
    LIMIT_TOKENS,
    Block,
    BlockChange,
    Overflow,
    at_version,
    checked_content,
    checked_description,
    checked_limit_tokens,
    checked_name,
    version_diff,
    version_history,
)
from erstwhile.blocks.changes import Edit
from erstwhile.blocks.content import append_text, insert_text, replace_once, with_content
from erstwhile.blocks.table import BLOCKS, archived_facts
from erstwhile.core.errors import NotFoundError
from erstwhile.core.kinds import choice
from erstwhile.core.ports import Tokenizers
from erstwhile.core.results import NEWEST, Page, Receipt, checked_limit, checked_number
from erstwhile.core.text import checked_reason
from erstwhile.core.time import Moment
from erstwhile.facts.fact import Fact
from erstwhile.storage.record import Collection
from erstwhile.storage.table import EITHER, PRESENT
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

Result = TypeVar("Result")


class Blocks(Collection):
    """The visible blocks, by name or by id. A name means the block of the narrowest scope."""

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
        """Add a block in exactly this scope; a name that is taken there is a conflict.

        Text over the limit is refused, or with `overflow="archive"` moved to facts, oldest first.
        """
        fields: dict[str, Any] = {
            "name": checked_name(name),
            "content": checked_content(content),
            "description": checked_description(description),
            "limit_tokens": checked_limit_tokens(limit_tokens),
            "overflow": choice(Overflow, overflow, name="overflow"),
            "read_only": bool(read_only),
        }
        text, tokenizers = checked_reason(reason), self._services.tokenizers
        tokenizers.default.count("")  # loads its vocabulary before the transaction
        return self._access.change(lambda unit: changes.add(unit, tokenizers, text, **fields))

    def get(
        self, name: str, *, version: int | None = None, known_at: Moment | None = None
    ) -> Block:
        """Return a block as it is now, in an earlier version, or as it was known at a time."""
        checked = checked_name(name)

        def found(view: View) -> Block:
            return at_version(view, BLOCKS.find(view, checked), version)

        return self._access.ask(found, None, known_at)

    def list(
        self,
        *,
        deleted: bool = False,
        limit: int = 50,
        cursor: str | None = None,
        known_at: Moment | None = None,
    ) -> Page[Block]:
        """Return the blocks or the deleted blocks by name, then the narrowest scope first."""
        count, after = checked_limit(limit), table.parse_cursor(cursor)
        return self._access.ask(
            lambda view: table.page(view, count, after, deleted=deleted), None, known_at
        )

    def update(
        self,
        name: str,
        content: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Replace the content of a block. With a stale `expected_version` nothing changes."""
        return self._write(name, Edit("edit", reason, expected_version), lambda _: content)

    def append(
        self,
        name: str,
        text: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Add a text at the end, on its own line."""
        added = checked_content(text)
        edit = Edit("append", reason, expected_version)
        return self._write(name, edit, lambda block: append_text(block.content, added))

    def insert(
        self,
        name: str,
        line: int,
        text: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Insert a text after a line; 0 inserts it before the first line."""
        added = checked_content(text)
        edit = Edit("insert", reason, expected_version)
        return self._write(name, edit, lambda block: insert_text(block.content, line, added))

    def replace_text(
        self,
        name: str,
        old: str,
        new: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Replace the only occurrence of `old`; raise ConflictError if there is none or several."""
        text = checked_content(new)
        edit = Edit("replace", reason, expected_version)
        return self._write(name, edit, lambda block: replace_once(block, old, text))

    def rename(
        self,
        name: str,
        new_name: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Rename a block; its history stays."""
        checked = checked_name(new_name)
        edit = Edit("rename", reason, expected_version)
        return self._edit(name, edit, lambda unit, block: changes.rename(unit, block, checked))

    def describe(
        self,
        name: str,
        description: str,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Set the description of a block; an empty text removes it."""
        text = checked_description(description)
        edit = Edit("describe", reason, expected_version)
        return self._edit(name, edit, lambda _, block: replace(block, description=text))

    def set_limit(
        self,
        name: str,
        limit_tokens: int,
        *,
        overflow: Overflow | str | None = None,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Set the token limit; from then on the tokenizer of this process counts."""
        edit = Edit("limit", reason, expected_version)
        limit = checked_limit_tokens(limit_tokens)
        mode = None if overflow is None else choice(Overflow, overflow, name="overflow")
        tokenizers = self._services.tokenizers
        tokenizers.default.count("")  # loads its vocabulary before the transaction

        def set_limit(unit: Unit, block: Block) -> Block:
            counted_by = tokenizers.default.name
            changed = replace(
                block, limit_tokens=limit, overflow=mode or block.overflow, counted_by=counted_by
            )
            return with_content(unit, changed, block.content, tokenizers)

        return self._edit(name, edit, set_limit)

    def set_read_only(
        self,
        name: str,
        read_only: bool = True,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Protect a block from changes; `read_only=False` ends the protection."""
        edit = Edit("protect", reason, expected_version)
        return self._edit(name, edit, lambda _, block: replace(block, read_only=bool(read_only)))

    def history(
        self, name: str, *, limit: int = 20, cursor: str | None = None
    ) -> Page[BlockChange]:
        """Return the changes of a block, newest first; the block may be deleted."""
        count = checked_limit(limit)
        before = NEWEST if cursor is None else checked_number(cursor)
        return self._query(name, lambda view, block: version_history(view, block, count, before))

    def diff(self, name: str, from_version: int, to_version: int | None = None) -> str:
        """Return a unified diff of two versions; `to_version` is by default the present version."""

        def compare(view: View, block: Block) -> str:
            old = at_version(view, block, from_version)
            return version_diff(old, at_version(view, block, to_version))

        return self._query(name, compare)

    def restore(
        self,
        name: str,
        version: int | None = None,
        *,
        reason: str | None = None,
        expected_version: int | None = None,
    ) -> Block:
        """Restore the content of an earlier version, or a deleted block."""
        known, edit = self._tokenizers_for(name), Edit("restore", reason, expected_version)
        return self._edit(
            name, edit, lambda unit, b: changes.restore(unit, b, version, known), among=EITHER
        )

    def overflow(self, name: str) -> builtins.list[Fact]:
        """Return the facts that hold the overflow of a block, in its order."""

        def facts(view: View, block: Block) -> builtins.list[Fact]:
            return [fact for fact in archived_facts(view, block) if fact.deleted_at is None]

        return self._query(name, facts)

    def delete(
        self, name: str, *, reason: str | None = None, expected_version: int | None = None
    ) -> Block:
        """Hide a block until it is restored; `erase` or `purge` destroys it."""
        return self._edit(name, Edit("delete", reason, expected_version), changes.delete)

    def delete_folder(self, folder: str, *, reason: str | None = None) -> builtins.list[Block]:
        """Delete all blocks whose names begin with `folder/`, in one transaction."""
        checked, edit = checked_name(folder), Edit("delete", checked_reason(reason))
        return self._access.change(
            lambda unit: changes.edit_folder(unit, checked, edit, changes.delete)
        )

    def rename_folder(
        self, folder: str, new_folder: str, *, reason: str | None = None
    ) -> builtins.list[Block]:
        """Rename all blocks whose names begin with `folder/`, in one transaction."""
        old, new, text = checked_name(folder), checked_name(new_folder), checked_reason(reason)
        return self._access.change(lambda unit: changes.rename_folder(unit, old, new, text))

    def prune(self, name: str, keep: int = 20, *, reason: str | None = None) -> Receipt:
        """Destroy the old versions of a block; keep the newest ones, the present one included."""
        return changes.prune(self._access, checked_name(name), keep, checked_reason(reason))

    def erase(self, *names: str, read_only: bool = False) -> Receipt:
        """Destroy blocks, versions and overflow; a read-only block only with `read_only`."""
        return BLOCKS.erase(self._access, list(map(checked_name, names)), read_only=read_only)

    def purge(self, older_than: Moment | timedelta = "30 days") -> Receipt:
        """Erase the blocks of exactly this scope deleted longer ago than `older_than`."""
        return BLOCKS.purge(self._access, older_than)

    def _query(self, name: str, read: Callable[[View, Block], Result]) -> Result:
        """Run a query on a block, deleted or not."""
        checked = checked_name(name)
        return self._access.ask(lambda view: read(view, BLOCKS.find(view, checked, among=EITHER)))

    def _tokenizers_for(self, name: str) -> Tokenizers:
        """Return the tokenizers. Load that of a block, so that other writers do not wait for it."""
        tokenizers = self._services.tokenizers
        # Without such a block nothing is loaded, and the change itself raises the error.
        with suppress(NotFoundError):
            block = self._query(name, lambda _, found: found)
            if (tokenizer := tokenizers.named(block.counted_by)) is not None:
                tokenizer.count("")
        return tokenizers

    def _write(self, name: str, edit: Edit, content: Callable[[Block], str]) -> Block:
        known = self._tokenizers_for(name)
        return self._edit(name, edit, lambda unit, b: with_content(unit, b, content(b), known))

    def _edit(
        self,
        name: str,
        edit: Edit,
        change: Callable[[Unit, Block], Block],
        *,
        among: tuple[str, ...] = PRESENT,
    ) -> Block:
        return BLOCKS.edit(
            self._access,
            checked_name(name),
            edit.action,
            edit.reason,
            lambda unit, block: changes.next_version(unit, block, edit, change),
            among=among,
        )

"""The collection of blocks."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeAlias, TypeVar, Unpack

from erstwhile.blocks import table
from erstwhile.blocks.block import (
    LIMIT_TOKENS,
    Block,
    BlockChange,
    Overflow,
    at_version,
    check_writable,
    checked_content,
    checked_description,
    checked_limit_tokens,
    checked_name,
    version_diff,
    version_history,
)
from erstwhile.blocks.content import append_text, insert_text, replace_once, with_content
from erstwhile.blocks.table import (
    BLOCKS,
    EditOptions,
    archived_facts,
    hide_archive,
    next_version,
    prune_before,
    renamed,
    show_archive,
)
from erstwhile.core.arguments import check_keywords
from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.ids import new_id
from erstwhile.core.kinds import choice
from erstwhile.core.ports import Tokenizers
from erstwhile.core.results import NEWEST, Page, Receipt, checked_int, checked_limit, checked_number
from erstwhile.core.text import checked_reason
from erstwhile.core.time import Moment
from erstwhile.facts.fact import Fact
from erstwhile.storage.record import Collection, scope_for_new
from erstwhile.storage.table import EITHER, PRESENT
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

Result = TypeVar("Result")
Change: TypeAlias = Callable[[Unit, Block], Block]


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
        """Add a block in exactly this scope; raise ConflictError if its name is taken there.

        Text over the limit is refused, or with `overflow="archive"` moved to facts, oldest first.
        """
        fields: dict[str, Any] = {
            "name": checked_name(name),
            "description": checked_description(description),
            "limit_tokens": checked_limit_tokens(limit_tokens),
            "overflow": choice(Overflow, overflow, name="overflow"),
            "read_only": bool(read_only),
        }
        text, why = checked_content(content), checked_reason(reason)
        tokenizers = self._services.tokenizers
        tokenizers.default.count("")  # loads its vocabulary before the transaction

        def add(unit: Unit) -> Block:
            scope = scope_for_new(unit.viewer, "add a block")
            BLOCKS.check_name_free(unit, fields["name"], scope)
            blank = Block(
                **fields,
                id=new_id(unit.now),
                scope=scope,
                counted_by=tokenizers.default.name,
                created_at=unit.now,
                updated_at=unit.now,
            )
            block = with_content(unit, blank, text, tokenizers)
            return BLOCKS.add(unit, replace(block, version=1, updated_at=unit.now), why)

        return self._access.change(add)

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

    def update(self, name: str, content: str, **options: Unpack[EditOptions]) -> Block:
        """Replace the content of a block. With a stale `expected_version` nothing changes."""
        return self._write(name, "edit", options, lambda _: content)

    def append(self, name: str, text: str, **options: Unpack[EditOptions]) -> Block:
        """Add a text at the end, on its own line."""
        added = checked_content(text)
        return self._write(
            name, "append", options, lambda block: append_text(block.content, added), appended=True
        )

    def insert(self, name: str, line: int, text: str, **options: Unpack[EditOptions]) -> Block:
        """Insert a text after a line; 0 inserts it before the first line."""
        added = checked_content(text)
        return self._write(
            name, "insert", options, lambda block: insert_text(block.content, line, added)
        )

    def replace_text(self, name: str, old: str, new: str, **options: Unpack[EditOptions]) -> Block:
        """Replace the only occurrence of `old`; raise ConflictError if there is none or several."""
        text = checked_content(new)
        return self._write(name, "replace", options, lambda block: replace_once(block, old, text))

    def rename(self, name: str, new_name: str, **options: Unpack[EditOptions]) -> Block:
        """Rename a block; its history stays."""
        checked = checked_name(new_name)
        return self._edit(
            name, "rename", options, lambda unit, block: renamed(unit, block, checked)
        )

    def describe(self, name: str, description: str, **options: Unpack[EditOptions]) -> Block:
        """Set the description of a block; an empty text removes it."""
        text = checked_description(description)
        return self._edit(
            name, "describe", options, lambda _, block: replace(block, description=text)
        )

    def set_limit(
        self,
        name: str,
        limit_tokens: int,
        *,
        overflow: Overflow | str | None = None,
        **options: Unpack[EditOptions],
    ) -> Block:
        """Set the token limit; from then on the tokenizer of this process counts."""
        check_keywords(options, EditOptions, "overflow")
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

        return self._edit(name, "limit", options, set_limit)

    def set_read_only(
        self, name: str, read_only: bool = True, **options: Unpack[EditOptions]
    ) -> Block:
        """Protect a block from changes; `read_only=False` ends the protection."""
        return self._edit(
            name, "protect", options, lambda _, block: replace(block, read_only=bool(read_only))
        )

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
        self, name: str, version: int | None = None, **options: Unpack[EditOptions]
    ) -> Block:
        """Restore the content of an earlier version, or a deleted block."""
        tokenizers = self._tokenizers_for(name)

        def restore(unit: Unit, block: Block) -> Block:
            if block.deleted_at is not None:
                BLOCKS.check_name_free(unit, block.name, block.scope)
                show_archive(unit, block)
            elif version is None:
                remedy = "give the version to restore"
                raise ConflictError(f"{block.name!r} is not deleted", remedy=remedy, current=block)
            old = at_version(unit, block, version)
            return with_content(unit, replace(block, deleted_at=None), old.content, tokenizers)

        return self._edit(name, "restore", options, restore, among=EITHER)

    def overflow(self, name: str) -> builtins.list[Fact]:
        """Return the archived text of a block as facts, in the order of the text."""

        def facts(view: View, block: Block) -> builtins.list[Fact]:
            shown = (None, block.deleted_at)  # a deleted block hides its archive
            return [fact for fact in archived_facts(view, block) if fact.deleted_at in shown]

        return self._query(name, facts)

    def delete(self, name: str, **options: Unpack[EditOptions]) -> Block:
        """Hide a block and its archive until it is restored; `erase` or `purge` destroys it."""
        return self._edit(name, "delete", options, _deleted)

    def delete_folder(self, folder: str, *, reason: str | None = None) -> builtins.list[Block]:
        """Delete all blocks whose names begin with `folder/`, in one transaction."""
        return self._edit_folder(checked_name(folder), "delete", checked_reason(reason), _deleted)

    def rename_folder(
        self, folder: str, new_folder: str, *, reason: str | None = None
    ) -> builtins.list[Block]:
        """Rename all blocks whose names begin with `folder/`, in one transaction."""
        old, new, why = checked_name(folder), checked_name(new_folder), checked_reason(reason)
        if f"{new}/".startswith(f"{old}/"):
            raise ConflictError(
                f"{old!r} cannot be moved into itself", remedy="choose another name"
            )

        def move(unit: Unit, block: Block) -> Block:
            return renamed(unit, block, checked_name(new + block.name.removeprefix(old)))

        return self._edit_folder(old, "rename", why, move)

    def prune(self, name: str, keep: int = 20, *, reason: str | None = None) -> Receipt:
        """Destroy the old versions of a block; keep the newest ones, the present one included.

        A read-only block must be made writable before.
        """
        checked, why = checked_name(name), checked_reason(reason)
        checked_int(keep, "keep", 1, remedy="give a number of versions")

        def prune(unit: Unit) -> Receipt:
            block = BLOCKS.find_own(unit, checked, among=EITHER)
            check_writable(block)
            return prune_before(unit, block, block.version - keep + 1, why)

        receipt = self._access.change(prune, alone=True)
        if receipt.versions:
            self._access.engine.compact()
        return receipt

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

    def _write(
        self,
        name: str,
        action: str,
        options: EditOptions,
        content: Callable[[Block], str],
        *,
        appended: bool = False,
    ) -> Block:
        known = self._tokenizers_for(name)

        def write(unit: Unit, old: Block) -> Block:
            return with_content(unit, old, content(old), known, appended=appended)

        return self._edit(name, action, options, write)

    def _edit(
        self,
        name: str,
        action: str,
        options: EditOptions,
        change: Change,
        *,
        among: tuple[str, ...] = PRESENT,
    ) -> Block:
        check_keywords(options, EditOptions)
        expected = options.get("expected_version")
        return BLOCKS.edit(
            self._access,
            checked_name(name),
            action,
            options.get("reason"),
            lambda unit, block: next_version(unit, block, action, change, expected),
            among=among,
        )

    def _edit_folder(
        self, folder: str, action: str, reason: str | None, change: Change
    ) -> builtins.list[Block]:
        """Change all blocks in a folder, in one transaction."""

        def edit(unit: Unit) -> builtins.list[Block]:
            return [
                BLOCKS.change(
                    unit, block, next_version(unit, block, action, change), action, reason
                )
                for block in BLOCKS.in_folder(unit, folder)
            ]

        return self._access.change(edit)


def _deleted(unit: Unit, block: Block) -> Block:
    hide_archive(unit, block)
    return replace(block, deleted_at=unit.now)

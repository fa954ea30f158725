"""The changes of a block. Each runs in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from erstwhile.blocks.block import (
    Block,
    at_version,
    check_version,
    check_writable,
    checked_name,
)
from erstwhile.blocks.content import with_content
from erstwhile.blocks.table import BLOCKS
from erstwhile.core.errors import ConflictError, InvalidInputError
from erstwhile.core.ids import new_id
from erstwhile.core.ports import Tokenizers
from erstwhile.core.results import Receipt
from erstwhile.core.time import to_micros
from erstwhile.storage.access import Access
from erstwhile.storage.record import scope_for_new
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit


class Edit(NamedTuple):
    """The action, the reason and the expected version of an edit."""

    action: str
    reason: str | None = None
    """Why it is done; the history shows it."""
    expected_version: int | None = None
    """The version that the edit is based on. If it is stale, nothing changes."""


def add(
    unit: Unit, tokenizers: Tokenizers, reason: str | None, content: str, **fields: Any
) -> Block:
    """Store a new block in the viewer's scope; `fields` are the checked fields of a `Block`."""
    scope = scope_for_new(unit.viewer, "add a block")
    BLOCKS.check_name_free(unit, fields["name"], scope)
    blank = Block(
        **fields,
        id=new_id(unit.now),
        scope=scope,
        content="",
        version=0,
        tokens=0,
        counted_by=tokenizers.default.name,
        created_at=unit.now,
        updated_at=unit.now,
        deleted_at=None,
    )
    block = with_content(unit, blank, content, tokenizers)
    return BLOCKS.add(unit, replace(block, version=1, updated_at=unit.now), reason)


def next_version(
    unit: Unit, block: Block, edit: Edit, change: Callable[[Unit, Block], Block]
) -> Block:
    """Return the next version of a block; if nothing differs, return the block itself."""
    check_version(block, edit.expected_version)
    if edit.action != "protect":
        check_writable(block)
    before = unit.now
    new = change(unit, block)
    if new == block and unit.now == before:  # archiving a part moves the time of the transaction
        return block
    return replace(new, version=block.version + 1, updated_at=unit.now)


def rename(unit: Unit, block: Block, name: str) -> Block:
    """Return the block with another name, if that name is free."""
    if name != block.name:
        BLOCKS.check_name_free(unit, name, block.scope)
    return replace(block, name=name)


def restore(unit: Unit, block: Block, version: int | None, tokenizers: Tokenizers) -> Block:
    """Return the block undeleted, with the content of a version."""
    if block.deleted_at is not None:
        BLOCKS.check_name_free(unit, block.name, block.scope)
    elif version is None:
        raise ConflictError(
            f"{block.name!r} is not deleted", remedy="give the version to restore", current=block
        )
    old = at_version(unit, block, version)
    return with_content(unit, replace(block, deleted_at=None), old.content, tokenizers)


def delete(unit: Unit, block: Block) -> Block:
    """Return the block as deleted now."""
    return replace(block, deleted_at=unit.now)


def prune(access: Access, name: str, keep: int, reason: str | None) -> Receipt:
    """Destroy the versions of a block before the newest `keep`, and their audit content."""
    if not isinstance(keep, int) or isinstance(keep, bool) or keep < 1:
        raise InvalidInputError(
            f"keep must be at least 1, not {keep!r}", remedy="give a number of versions"
        )

    def prune_block(unit: Unit) -> Receipt:
        block = BLOCKS.find_own(unit, name, among=EITHER)
        return prune_before(unit, block, block.version - keep + 1, reason)

    receipt = access.change(prune_block, alone=True)
    if receipt.versions:
        access.engine.compact()
    return receipt


def prune_before(unit: Unit, block: Block, first: int, reason: str | None) -> Receipt:
    """Destroy the versions of a block before `first`, and their audit content."""
    entries, removed = 0, unit.run("prune_block_versions", {"id": block.id, "first": first})
    if removed:
        before = to_micros(at_version(unit, block, first).updated_at)
        place = {"id": block.id, "scope": unit.scope_id(block.scope), "before": before}
        entries = unit.run("blank_pruned_entries", place)
        unit.record("block.prune", block.id, block.scope, reason, ())
    return Receipt(at=unit.now, ids=(block.id,), versions=removed, audit_entries=entries)


def rename_folder(unit: Unit, folder: str, other: str, reason: str | None) -> list[Block]:
    """Rename all blocks in a folder."""
    if f"{other}/".startswith(f"{folder}/"):
        raise ConflictError(f"{folder!r} cannot be moved into itself", remedy="choose another name")

    def move(unit: Unit, block: Block) -> Block:
        return rename(unit, block, checked_name(other + block.name.removeprefix(folder)))

    return edit_folder(unit, folder, Edit("rename", reason), move)


def edit_folder(
    unit: Unit, folder: str, edit: Edit, change: Callable[[Unit, Block], Block]
) -> list[Block]:
    """Change all blocks in a folder."""
    return [
        BLOCKS.change(
            unit, block, next_version(unit, block, edit, change), edit.action, edit.reason
        )
        for block in BLOCKS.in_folder(unit, folder)
    ]

"""What can be done to a block, each as one unit: all of it happens, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from erstwhile.blocks import table as block_table
from erstwhile.blocks.block import Block, Overflow, check_version, check_writable, checked_name
from erstwhile.blocks.content import with_content
from erstwhile.blocks.pages import at_version
from erstwhile.blocks.rows import to_block
from erstwhile.core.errors import ConflictError, NotFoundError, ScopeError
from erstwhile.core.ids import new_id
from erstwhile.core.ports import Tokenizers
from erstwhile.storage.unit import Unit


class Said(NamedTuple):
    """What a caller said of a new block, checked."""

    name: str
    content: str
    description: str
    limit_tokens: int
    overflow: Overflow
    read_only: bool


def add(unit: Unit, said: Said, tokenizers: Tokenizers, reason: str | None) -> Block:
    if unit.viewer.everything:
        raise ScopeError(
            "an administrator's view has no scope to create a block in",
            remedy="use memory.scoped(…)",
        )
    block_table.check_free(unit, said.name)
    blank = Block(
        id=new_id(unit.now),
        scope=unit.viewer.scope,
        name=said.name,
        description=said.description,
        content="",
        version=0,
        tokens=0,
        limit_tokens=said.limit_tokens,
        counted_by=tokenizers.default.name,
        overflow=said.overflow,
        read_only=said.read_only,
        created_at=unit.now,
        updated_at=unit.now,
        deleted_at=None,
    )
    block = with_content(unit, blank, said.content, tokenizers)
    return block_table.add(unit, replace(block, version=1, updated_at=unit.now), reason)


def edit(
    unit: Unit,
    block: Block,
    change: Callable[[Unit, Block], Block],
    action: str,
    reason: str | None,
    expected_version: int | None = None,
) -> Block:
    """Change a block to its next version; one that comes out as it was stays in this version."""
    check_version(block, expected_version)
    if action != "protect":
        check_writable(block)
    began = unit.now
    new = change(unit, block)
    if new == block and unit.now == began:  # nor was anything archived, which takes time
        return block
    stamped = replace(new, version=block.version + 1, updated_at=unit.now)
    return block_table.change(unit, block, stamped, action=action, reason=reason)


def renamed(unit: Unit, block: Block, name: str) -> Block:
    if name != block.name:
        block_table.check_free(unit, name, block)
    return replace(block, name=name)


def limited(
    unit: Unit, block: Block, limit: int, overflow: Overflow | None, tokenizers: Tokenizers
) -> Block:
    """With another limit, which the content must keep, too."""
    changed = replace(
        block,
        limit_tokens=limit,
        overflow=overflow or block.overflow,
        counted_by=tokenizers.default.name,
    )
    return with_content(unit, changed, block.content, tokenizers)


def restored(unit: Unit, block: Block, version: int | None, tokenizers: Tokenizers) -> Block:
    if block.deleted_at is not None:
        block_table.check_free(unit, block.name, block)
    elif version is None:
        raise ConflictError(
            f"{block.name!r} is not deleted", remedy="say which version to restore", current=block
        )
    old = block if version is None else at_version(unit, block, version)
    return with_content(unit, replace(block, deleted_at=None), old.content, tokenizers)


def delete_folder(unit: Unit, folder: str, reason: str | None) -> list[Block]:
    def deleted(unit: Unit, block: Block) -> Block:
        return replace(block, deleted_at=unit.now)

    return [edit(unit, block, deleted, "delete", reason) for block in _in_folder(unit, folder)]


def rename_folder(unit: Unit, folder: str, other: str, reason: str | None) -> list[Block]:
    if f"{other}/".startswith(f"{folder}/"):
        raise ConflictError(f"{folder!r} cannot be moved into itself", remedy="choose another name")

    def moved(unit: Unit, block: Block) -> Block:
        return renamed(unit, block, checked_name(other + block.name.removeprefix(folder)))

    return [edit(unit, block, moved, "rename", reason) for block in _in_folder(unit, folder)]


def _in_folder(unit: Unit, folder: str) -> list[Block]:
    """The blocks below a folder, all of which must be this viewer's own."""
    if unit.viewer.everything:
        raise ScopeError(
            "an administrator's view has as many such folders as there are scopes",
            remedy="use memory.scoped(…)",
        )
    # "0" follows "/" in every alphabet that machines know
    rows = unit.rows("find_folder", {"first": f"{folder}/", "last": f"{folder}0"})
    if not rows:
        raise NotFoundError(
            f"no block here is in {folder!r}", remedy="see what is there with `blocks.list`"
        )
    return [block_table.owned(unit, to_block(row)) for row in rows]

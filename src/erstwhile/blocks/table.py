"""Finding and writing blocks. Every version goes through `add` or `change`, with its trace."""

from __future__ import annotations

from erstwhile.blocks.block import Block
from erstwhile.blocks.rows import state_of, to_block, to_row
from erstwhile.core.errors import (
    BusyError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
    ScopeError,
)
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

PRESENT = ("present",)
PRESENT_OR_REMOVED = ("present", "removed")


def find(view: View, name: str, *, among: tuple[str, ...] = PRESENT) -> Block:
    """The block that a name means here: the one of the narrowest visible scope."""
    for state in among:
        blocks = named(view, name, state)
        if blocks:
            _check_one(view, blocks)
            return blocks[0]
    raise NotFoundError(f"no block {name!r} is visible here", remedy=_remedy(view, name, among))


def find_own(unit: Unit, name: str, *, among: tuple[str, ...] = PRESENT) -> Block:
    """The same, of a block that this viewer may change: seeing is not owning."""
    return owned(unit, find(unit, name, among=among))


def owned(unit: Unit, block: Block) -> Block:
    if not unit.viewer.may_change(block.scope):
        raise ScopeError(
            f"{block.name!r} is visible here but belongs to another scope ({block.scope})",
            remedy="change it from exactly that scope, or create one of that name here",
        )
    return block


def named(view: View, name: str, state: str, limit: int = 5) -> list[Block]:
    """The blocks of a name; a few are enough to see which is meant."""
    wanted = {"name": name, "limit": limit}
    return [to_block(row) for row in view.rows("find_blocks", wanted, state)]


def check_free(unit: Unit, name: str, block: Block | None = None) -> None:
    """A name belongs to one block of a scope."""
    scope = unit.viewer.scope if block is None else block.scope
    for taken in named(unit, name, "present"):
        if taken.scope == scope:
            raise ConflictError(
                f"there is a block {name!r} already", remedy="edit that one", current=taken
            )


def add(unit: Unit, block: Block, reason: str | None) -> Block:
    row = to_row(block, unit.scope_id(block.scope))
    unit.run("add_block", row)
    unit.record("block.add", block.id, block.scope, reason, state_of(row))
    return block


def change(unit: Unit, old: Block, new: Block, *, action: str, reason: str | None) -> Block:
    row = to_row(new, unit.scope_id(new.scope))
    expected = {**row, "was_version": old.version}
    unit.run("keep_block_version", expected)
    if not unit.run("change_block", expected):
        raise BusyError(f"{old.name!r} was changed by another writer just now", remedy="try again")
    unit.record(f"block.{action}", new.id, new.scope, reason, state_of(row))
    return new


def _check_one(view: View, blocks: list[Block]) -> None:
    """An administrator sees all scopes, and none of them is the narrowest."""
    scopes = {block.scope for block in blocks}
    if view.viewer.everything and len(scopes) > 1:
        raise InvalidInputError(
            f"several scopes have a block {blocks[0].name!r}: {'; '.join(map(str, scopes))}",
            remedy="use memory.scoped(…)",
        )


def _remedy(view: View, name: str, among: tuple[str, ...]) -> str:
    if among == PRESENT and named(view, name, "removed"):
        return "it was deleted; `blocks.restore` brings it back"
    return "see what is there with `blocks.list`"

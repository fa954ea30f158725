"""The versions of a block: read an earlier one, compare two, list the changes, prune old ones."""

from __future__ import annotations

from difflib import unified_diff

from erstwhile.blocks.block import Block, BlockChange
from erstwhile.blocks.table import BLOCKS, to_block
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.page import Page, cut_page
from erstwhile.core.ports import Row
from erstwhile.core.receipt import Receipt
from erstwhile.core.time import from_micros, to_micros
from erstwhile.storage.access import Access
from erstwhile.storage.table import EITHER
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View


def at_version(view: View, block: Block, version: int | None) -> Block:
    """Return an earlier version of a block; None returns the block itself."""
    if version is None:
        return block
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidInputError(f"{version!r} is not a version", remedy="give its number")
    if not 1 <= version <= block.version:
        raise NotFoundError(
            f"{block.name!r} has no version {version}", remedy="see `blocks.history`"
        )
    if version == block.version:
        return block
    rows = view.rows("find_version", {"id": block.id, "version": version})
    if not rows:
        raise NotFoundError(
            f"version {version} of {block.name!r} was pruned", remedy="see `blocks.history`"
        )
    return to_block(rows[0])


def history(view: View, block: Block, limit: int, before: int) -> Page[BlockChange]:
    """Return one page of changes, newest first."""
    end = min(before, block.version + 1)
    # One version more than the limit: it is the `old` of the last change.
    rows = view.rows("block_changes", {"id": block.id, "first": end - limit - 1, "before": end})
    older = [to_block(row[4:]) for row in rows[1:]]
    changes = [_to_change(row, old) for row, old in zip(rows, [*older, None], strict=True)]
    return cut_page(changes, limit, lambda last: str(last.version))


def diff(old: Block, new: Block) -> str:
    """Return the difference of two versions as a unified diff."""
    before, after = (f"{each.name} (version {each.version})" for each in (old, new))
    lines, new_lines = old.content.split("\n"), new.content.split("\n")
    return "\n".join(unified_diff(lines, new_lines, before, after, lineterm=""))


def prune(access: Access, name: str, keep: int, reason: str | None) -> Receipt:
    """Destroy the versions of a block before the newest `keep`, and their audit content."""
    if not isinstance(keep, int) or isinstance(keep, bool) or keep < 1:
        raise InvalidInputError(
            f"keep must be at least 1, not {keep!r}", remedy="give a number of versions"
        )
    receipt = access.change(lambda unit: _pruned(unit, name, keep, reason), alone=True)
    if receipt.versions:
        access.engine.compact()
    return receipt


def _pruned(unit: Unit, name: str, keep: int, reason: str | None) -> Receipt:
    block = BLOCKS.find_own(unit, name, among=EITHER)
    first, entries = block.version - keep + 1, 0
    removed = unit.run("prune_block_versions", {"id": block.id, "first": first})
    if removed:
        before = to_micros(at_version(unit, block, first).updated_at)
        place = {"id": block.id, "scope": unit.scope_id(block.scope), "before": before}
        entries = unit.run("blank_pruned_entries", place)
        unit.record("block.prune", block.id, block.scope, reason, ())
    return Receipt(at=unit.now, ids=(block.id,), versions=removed, audit_entries=entries)


def _to_change(row: Row, old: Block | None) -> BlockChange:
    at, action, actor, reason = row[:4]
    return BlockChange(
        at=from_micros(at),
        action=action.removeprefix("block."),
        actor=actor,
        reason=reason,
        old=old,
        new=to_block(row[4:]),
    )

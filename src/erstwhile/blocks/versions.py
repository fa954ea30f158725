"""The versions of a block: read an earlier one, compare two, list the changes."""

from __future__ import annotations

from difflib import unified_diff

from erstwhile.blocks.block import Block, BlockChange
from erstwhile.blocks.rows import to_block
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.page import Page, cut_page
from erstwhile.core.ports import Row
from erstwhile.core.time import from_micros
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

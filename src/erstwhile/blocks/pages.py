"""Asking for many blocks, or for many versions of one."""

from __future__ import annotations

from typing import NamedTuple

from erstwhile.blocks.block import Block, BlockChange
from erstwhile.blocks.rows import WIDTH, to_block
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.ids import id_range
from erstwhile.core.page import Page
from erstwhile.core.ports import Row
from erstwhile.core.time import from_micros
from erstwhile.storage.view import View


class Place(NamedTuple):
    """Where in the list a page ended: at the block of this name, breadth of scope and id."""

    after_name: str
    after_breadth: int
    after_id: str


def place(cursor: str | None) -> Place:
    if cursor is None:
        return Place("", 0, "")
    breadth, _, rest = cursor.partition("/") if isinstance(cursor, str) else ("", "", "")
    id, _, name = rest.partition("/")
    if not (breadth.isascii() and breadth.isdecimal() and name):
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return Place(name, int(breadth[:2]), id_range(id)[0])


def listed(view: View, limit: int, after: Place) -> Page[Block]:
    rows = view.rows("list_blocks", {**after._asdict(), "limit": limit + 1}, "present")
    page = tuple(to_block(row) for row in rows[:limit])
    return Page(page, _cursor(rows[limit - 1]) if len(rows) > limit else None)


def at_version(view: View, block: Block, version: int) -> Block:
    """A version that the block had up to the one that is looked at."""
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidInputError(f"{version!r} is not a version", remedy="give its number")
    if version == block.version:
        return block
    if not 1 <= version < block.version:
        raise NotFoundError(
            f"{block.name!r} has no version {version}", remedy="see `blocks.history`"
        )
    return to_block(view.rows("find_version", {"id": block.id, "version": version})[0])


def changes(view: View, block: Block, limit: int, before: int) -> Page[BlockChange]:
    """A page of its history. The version before the last of them is needed, too: as its old."""
    end = min(before, block.version + 1)
    rows = view.rows("block_changes", {"id": block.id, "first": end - limit - 1, "before": end})
    older = [to_block(row[4:]) for row in rows[1:]]
    page = [_change(row, old) for row, old in zip(rows, [*older, None], strict=True)]
    last = page[limit - 1].version if len(page) > limit else None
    return Page(tuple(page[:limit]), None if last is None else str(last))


def difference(old: Block, new: Block) -> str:
    # Loaded here: few ask for it.
    from difflib import unified_diff

    before, after = (f"{each.name} (version {each.version})" for each in (old, new))
    lines, new_lines = old.content.split("\n"), new.content.split("\n")
    return "\n".join(unified_diff(lines, new_lines, before, after, lineterm=""))


def _change(row: Row, old: Block | None) -> BlockChange:
    at, action, actor, reason = row[:4]
    return BlockChange(
        at=from_micros(at),
        action=action.removeprefix("block."),
        actor=actor,
        reason=reason,
        old=old,
        new=to_block(row[4:]),
    )


def _cursor(row: Row) -> str:
    block = to_block(row[:WIDTH])
    return f"{row[WIDTH]}/{block.id}/{block.name}"

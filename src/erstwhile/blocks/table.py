"""Read and write blocks. The row, the old version and the audit entry are written together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypedDict

from erstwhile.blocks.block import (
    BLOCK_ROW,
    Block,
    archive_key,
    archive_order,
    at_version,
    check_version,
    check_writable,
    state_of,
    to_block,
)
from erstwhile.core.errors import (
    BusyError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
)
from erstwhile.core.ids import id_in_cursor, id_range
from erstwhile.core.ports import Params
from erstwhile.core.results import Page, Receipt, cut_page
from erstwhile.core.scope import Scope
from erstwhile.core.time import Moment, to_micros
from erstwhile.facts.fact import Fact, to_fact
from erstwhile.facts.table import FACTS
from erstwhile.storage import erasure
from erstwhile.storage.access import Access
from erstwhile.storage.record import owned, scope_for_new, the_one
from erstwhile.storage.table import EITHER, PRESENT, Table, kept
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

_ALL = 2**62
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{4,26}")
"""An id, or a short one. A name is looked up first."""
_WIDTH = 19
"""The number of columns of the fragment `block_columns`."""


class EditOptions(TypedDict, total=False):
    """The options of every edit of a block."""

    reason: str | None
    """The reason, which the history shows."""
    expected_version: int | None
    """The version that the edit is based on. If it is stale, nothing changes."""


class BlockTable(Table[Block]):
    """The table of blocks. It finds them by name and keeps every version."""

    noun = "block"
    name = "blocks"
    deleting = "find_deleted_blocks"
    holding = "blocks_within"
    batch = 50
    row_type = BLOCK_ROW

    def starting_with(self, view: View, name: str, among: tuple[str, ...] = PRESENT) -> list[Block]:
        """Return the blocks of a name in the first of these states, the narrowest scope first.

        Instead of a name it may be the id of a block, whose name another block may have taken.
        """
        found = (self.named(view, name, state) or self._by_id(view, name, state) for state in among)
        return next(filter(None, found), [])

    def find(self, view: View, name: str, *, among: tuple[str, ...] = PRESENT) -> Block:
        """Return the block of a name; if several scopes have one, the narrowest scope counts."""
        found = self.starting_with(view, name, among)
        scopes = {block.scope for block in found}
        if view.viewer.everything and len(scopes) > 1:
            raise InvalidInputError(
                f"several scopes have a block {found[0].name!r}: {'; '.join(map(str, scopes))}",
                remedy="use memory.scoped(…)",
            )
        remedy = "" if found else self._remedy(view, name, among)
        return the_one(found[:1], self.noun, name, remedy=remedy)

    def find_own(self, unit: Unit, name: str, *, among: tuple[str, ...] = PRESENT) -> Block:
        """Return the block of a name, if this viewer may change it."""
        return _check_owned(unit, self.find(unit, name, among=among))

    def named(self, view: View, name: str, state: str, limit: int = 5) -> list[Block]:
        """Return the present or the deleted blocks of a name, the narrowest scope first."""
        return self.select(view, "find_blocks", {"name": name, "limit": limit}, state)

    def _by_id(self, view: View, id: str, state: str) -> list[Block]:
        if not _ID.fullmatch(id):
            return []
        lowest, highest = id_range(id)
        return self.select(view, "find_blocks_by_id", {"lowest": lowest, "highest": highest}, state)

    def in_folder(self, unit: Unit, folder: str) -> list[Block]:
        """Return the blocks in a folder. All of them must belong to this viewer."""
        scope_for_new(unit.viewer, "find a folder")
        # The character after "/" is "0": this range holds exactly the names that begin "folder/".
        names = {"first": f"{folder}/", "last": f"{folder}0"}
        blocks = self.select(unit, "find_folder", names)
        if not blocks:
            raise NotFoundError(
                f"no block here is in {folder!r}", remedy="see all names with `blocks.list`"
            )
        return [_check_owned(unit, block) for block in blocks]

    def check_name_free(self, unit: Unit, name: str, scope: Scope) -> None:
        """Raise ConflictError if a block of the scope has the name."""
        for taken in self.named(unit, name, "present"):
            if taken.scope == scope:
                raise ConflictError(
                    f"a block {name!r} already exists", remedy="edit that block", current=taken
                )

    def add(self, unit: Unit, block: Block, reason: str | None) -> Block:
        """Store a new block."""
        self._check_not_protected(unit, block)
        if block.read_only:
            unit.viewer.check_person("protect a block")
        unit.admit((block.name, block.description))
        row = BLOCK_ROW.encode(block, scope=unit.scope_id(block.scope))
        unit.run("add_block", row)
        unit.record("block.add", block.id, block.scope, reason, state_of(row))
        return block

    def change(
        self, unit: Unit, old: Block, new: Block, action: str, reason: str | None = None
    ) -> Block:
        """Store the next version of a block and keep the old one; do nothing if both are equal."""
        if new == old:
            return old
        if new.name != old.name:
            self._check_not_protected(unit, new)
        unit.admit((new.name, new.description), (old.name, old.description))
        row = BLOCK_ROW.encode(new, scope=unit.scope_id(new.scope))
        expected = {**row, "was_version": old.version}
        unit.run("keep_block_version", expected)
        if not unit.run("change_block", expected):
            raise BusyError(
                f"{old.name!r} was changed by another writer just now", remedy="try again"
            )
        unit.record(f"block.{action}", new.id, new.scope, reason, state_of(row))
        return new

    def _check_not_protected(self, unit: Unit, block: Block) -> None:
        """Raise RefusedError if an agent would cover a protected block of a wider scope."""
        if not unit.viewer.person and any(
            each.read_only for each in self.named(unit, block.name, PRESENT[0])
        ):
            unit.viewer.check_person(f"add another block named {block.name!r}")

    def erase(self, access: Access, names: Sequence[str], *, read_only: bool = False) -> Receipt:
        """Destroy the blocks of names, and the deleted blocks of these names in their scopes."""

        def found(unit: Unit, name: str) -> list[Block | Fact]:
            blocks = self._find_all_own(unit, name)
            if not read_only:
                for block in blocks:
                    check_writable(block, "erase it with read_only=True, or make it writable")
            return with_overflow(unit, blocks)

        return erasure.erase(
            access, names, noun=self.noun, find=found, destroy=self.destroy, by_id=False
        )

    def purge(self, access: Access, older_than: Moment | timedelta) -> Receipt:
        """Destroy the blocks deleted longer ago than `older_than`."""
        return erasure.erase_old(
            access,
            older_than,
            find=lambda unit, old: with_overflow(
                unit, self.select(unit, self.deleting, old, erasure.own(unit))
            ),
            destroy=self.destroy,
            batch=self.batch,
        )

    def destroy(self, unit: Unit, items: Sequence[Block | Fact]) -> Counter[str]:
        """Destroy blocks with all their versions, and archived facts."""
        removed = FACTS.destroy(unit, [item for item in items if isinstance(item, Fact)])
        for block in (item for item in items if isinstance(item, Block)):
            removed["versions"] += unit.run("remove_block_versions", {"id": block.id})
            removed["blocks"] += unit.run("remove_block", {"id": block.id})
            removed["audit_entries"] += erasure.forget(unit, block.id, block.scope)
        return removed

    def _find_all_own(self, unit: Unit, name: str) -> list[Block]:
        known = self.find_own(unit, name, among=EITHER)
        if known.name != name:  # it was named by its id
            return [known]
        scope = known.scope
        found = [block for state in EITHER for block in self.named(unit, name, state, _ALL)]
        return [block for block in found if block.scope == scope]


BLOCKS = BlockTable()


def page(view: View, limit: int, after: Params, *, deleted: bool) -> Page[Block]:
    """Return one page of blocks, by name."""
    rows = view.rows("list_blocks", {**after, "limit": limit + 1}, kept(deleted))
    found = [(to_block(row), row[_WIDTH]) for row in rows]
    cut = cut_page(found, limit, lambda last: f"{last[1]}/{last[0].id}/{last[0].name}")
    return Page(tuple(block for block, _ in cut), cut.next)


def parse_cursor(cursor: str | None) -> Params:
    """Return the name, breadth of scope and id of the last block before a page.

    Without a cursor, the page is the first.
    """
    if cursor is None:
        return {"after_name": "", "after_breadth": 0, "after_id": ""}
    breadth, _, rest = cursor.partition("/") if isinstance(cursor, str) else ("", "", "")
    id, _, name = rest.partition("/")
    if not (breadth.isascii() and breadth.isdecimal() and name):
        raise InvalidInputError(f"{cursor!r} is not a cursor", remedy="pass a page's `next`")
    return {"after_name": name, "after_breadth": int(breadth[:2]), "after_id": id_in_cursor(id)}


def prune_before(unit: Unit, block: Block, first: int, reason: str | None) -> Receipt:
    """Destroy the versions of a block before `first`, and their audit content."""
    entries, removed = 0, unit.run("prune_block_versions", {"id": block.id, "first": first})
    if removed:
        before = to_micros(at_version(unit, block, first).updated_at)
        place = {"id": block.id, "scope": unit.scope_id(block.scope), "before": before}
        entries = unit.run("blank_pruned_entries", place)
        unit.record("block.prune", block.id, block.scope, reason, ())
    return Receipt(at=unit.now, ids=(block.id,), versions=removed, audit_entries=entries)


def _check_owned(unit: Unit, block: Block) -> Block:
    return owned(unit.viewer, block, repr(block.name), ", or add a block of this name here")


def with_overflow(view: View, blocks: Sequence[Block]) -> list[Block | Fact]:
    facts = [fact for block in blocks for fact in archived_facts(view, block)]
    return [*blocks, *facts]


def archived_facts(view: View, block: Block) -> list[Fact]:
    """Return the archived overflow of a block in its order, including deleted facts."""
    keys = {"first": archive_key(block), "last": archive_key(block, "~")}
    rows = view.rows("find_archived", keys)
    return sorted(map(to_fact, rows), key=archive_order)


def hide_archive(unit: Unit, block: Block) -> None:
    """Delete the archived facts of a block that is deleted now."""
    for fact in archived_facts(unit, block):
        if fact.deleted_at is None:
            hidden = replace(fact, deleted_at=unit.now)
            FACTS.change(unit, fact, hidden, "delete", f"{block.name!r} was deleted")


def show_archive(unit: Unit, block: Block) -> None:
    """Restore the facts that were deleted with a block."""
    for fact in archived_facts(unit, block):
        if fact.deleted_at == block.deleted_at:
            shown = replace(fact, deleted_at=None)
            FACTS.change(unit, fact, shown, "restore", f"{block.name!r} was restored")


def next_version(
    unit: Unit,
    block: Block,
    action: str,
    change: Callable[[Unit, Block], Block],
    expected: int | None = None,
) -> Block:
    """Return the next version of a block; if nothing differs, return the block itself."""
    check_version(block, expected)
    if action != "protect":
        check_writable(block)
    before, unmoved = unit.now, replace(block, moved=0)
    new = change(unit, unmoved)
    if new == unmoved and unit.now == before:  # archiving a part moves the time of the transaction
        return block
    return replace(new, version=block.version + 1, updated_at=unit.now)


def renamed(unit: Unit, block: Block, name: str) -> Block:
    """Return the block with another name, if that name is free."""
    if name != block.name:
        BLOCKS.check_name_free(unit, name, block.scope)
    return replace(block, name=name)

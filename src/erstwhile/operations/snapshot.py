"""A snapshot, the difference between two, and the result of a restoration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from erstwhile.blocks.block import Block, version_diff
from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.ids import new_id
from erstwhile.core.public_record import PublicRecord, public_record
from erstwhile.core.scope import Scope
from erstwhile.facts.fact import Fact
from erstwhile.storage.columns import RowType
from erstwhile.storage.erasure import own
from erstwhile.storage.record import Record, owned
from erstwhile.storage.table import DELETED, PRESENT, RecordTable
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

MAX_NAME = 150
MAX_DESCRIPTION = 2_000


@public_record
class Snapshot(Record):
    """A named moment in the history of a scope."""

    _shown = ("short_id", "name", "at")
    name: str
    at: datetime
    """The moment, in recorded time."""
    description: str


@public_record
class ChangedFact(PublicRecord):
    """A fact before and after: the same fact in another state, or the fact that replaced it."""

    before: Fact
    after: Fact

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that differ, if it is the same fact."""
        if self.before.id != self.after.id:
            return ()
        names = (each.name for each in fields(Fact) if each.name != "known_from")
        return tuple(n for n in names if getattr(self.before, n) != getattr(self.after, n))


@public_record
class ChangedBlock(PublicRecord):
    """A block before and after."""

    before: Block
    after: Block


@public_record
class SnapshotDiff(PublicRecord):
    """Facts and blocks learned, changed and ended in one scope between two moments."""

    scope: Scope
    since: datetime
    until: datetime
    learned: tuple[Fact, ...] = ()
    changed: tuple[ChangedFact, ...] = ()
    ended: tuple[Fact, ...] = ()
    deleted: tuple[Fact, ...] = ()
    """Facts that are deleted now. The report does not repeat their texts."""
    blocks_added: tuple[Block, ...] = ()
    blocks_changed: tuple[ChangedBlock, ...] = ()
    blocks_deleted: tuple[Block, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not any(getattr(self, each.name) for each in fields(self)[3:])

    @property
    def report(self) -> str:
        """The difference as Markdown, for people to read, without empty sections."""
        period = f"{self.since:%Y-%m-%d %H:%M:%S} to {self.until:%Y-%m-%d %H:%M:%S}"
        head = f"# Changes from {period}\n\nScope: {self.scope}"
        return "\n\n".join([head, *_sections(self)]) + "\n"


@public_record
class Restoration(PublicRecord):
    """Changes made by a restoration. Restore `before` to undo them."""

    snapshot: Snapshot
    before: Snapshot
    """A snapshot of the state before, made in the same transaction."""
    retired: tuple[str, ...]
    """The ids of the facts that were not known then, and are retired now."""
    revived: tuple[str, ...]
    """The ids of the facts that had ended or were deleted since then."""
    changed: tuple[str, ...]
    """The ids of the other facts that are again as they were."""
    blocks: tuple[str, ...]
    """The names of the blocks that are again as they were, or are deleted now."""


_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class SnapshotTable(RecordTable[Snapshot]):
    """The table of snapshots: one row for each name."""

    noun = "snapshot"
    name = "snapshots"
    row_type = RowType(Snapshot, "snapshot")
    by_id = False

    def create(
        self, unit: Unit, scope: Scope, name: str, at: datetime, description: str = ""
    ) -> Snapshot:
        """Store a new snapshot. Raise ConflictError if its scope has one with this name."""
        if any(each.scope == scope for each in self.named(unit, name, PRESENT[0])):
            raise ConflictError(
                f"a snapshot {name!r} already exists", remedy="choose another name, or delete it"
            )
        now = unit.now
        head: dict[str, Any] = {"id": new_id(now), "created_at": now, "changed_at": now}
        new = Snapshot(scope=scope, name=name, at=at, description=description, **head)
        return self.add(unit, new, "create")

    def named(self, view: View, name: str, *choices: str) -> Sequence[Snapshot]:
        """Return the snapshots of a name, the narrowest scope first."""
        return self.select(view, "find_snapshots", {"name": name}, *choices)

    def starting_with(
        self, view: View, name: str, among: tuple[str, ...] = PRESENT
    ) -> list[Snapshot]:
        """Return the snapshots of a name; instead of a name it may be a whole id."""
        found = [each for kept in among for each in self.named(view, name, kept)]
        by_id = not found and _ID.fullmatch(name)
        return super().starting_with(view, name, among) if by_id else found

    def find(self, view: View, name: str, *, among: tuple[str, ...] = PRESENT) -> Snapshot:
        """Return the snapshot of a name; if several scopes have one, the narrowest scope counts."""
        found = self.starting_with(view, name, among)
        if len({each.scope for each in found}) > 1 and view.viewer.everything:
            raise ConflictError(
                f"several scopes have a snapshot {name!r}",
                remedy="use memory.scoped(…) for one of them",
            )
        if not found:
            remedy = self._remedy(view, name, among)
            raise NotFoundError(f"no snapshot {name!r} is visible here", remedy=remedy)
        return found[0]

    def find_own(self, unit: Unit, name: str, *, among: tuple[str, ...] = PRESENT) -> Snapshot:
        """Return the snapshot of a name, if this viewer may change it."""
        mine = [each for kept in among for each in self.named(unit, name, kept, own(unit))]
        return owned(unit.viewer, mine[0] if mine else self.find(unit, name, among=among))

    def _remedy(self, view: View, name: str, among: tuple[str, ...]) -> str:
        hidden = self.named(view, name, DELETED[0]) if among == PRESENT else ()
        if hidden:
            return f"it was deleted; create it again with at={hidden[0].at.isoformat()!r}"
        return "see what is there with `snapshots.list`"


SNAPSHOTS = SnapshotTable()


def _sections(found: SnapshotDiff) -> Iterator[str]:
    if found.is_empty:
        yield "Nothing changed."
    listed = {
        "Learned": [_list_item(fact) for fact in found.learned],
        "Changed": [_change(pair) for pair in found.changed],
        "Ended": [f"{_list_item(fact)} ({fact.ending})" for fact in found.ended],
        "Deleted": [f"- `{fact.short_id}`" for fact in found.deleted],
        "New blocks": [f"- {_escaped(block.name)}" for block in found.blocks_added],
        "Deleted blocks": [f"- {_escaped(block.name)}" for block in found.blocks_deleted],
    }
    for title, lines in listed.items():
        if lines:
            yield f"## {title} ({len(lines):,})\n\n" + "\n".join(lines)
    if found.blocks_changed:
        changes = "\n\n".join(map(_block, found.blocks_changed))
        yield f"## Changed blocks ({len(found.blocks_changed):,})\n\n{changes}"


def _list_item(fact: Fact) -> str:
    return f"- {_escaped(fact.text)} `{fact.short_id}`"


def _change(pair: ChangedFact) -> str:
    before, after = pair.before, pair.after
    if before.id != after.id:
        return f"- {_escaped(before.text)} → {_escaped(after.text)} `{after.short_id}`"
    return f"{_list_item(after)}: {', '.join(pair.fields)}"


def _block(pair: ChangedBlock) -> str:
    text = version_diff(pair.before, pair.after) or "(same text)"
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"### {_escaped(pair.after.name)}\n\n{fence}diff\n{text}\n{fence}"


def _escaped(text: str) -> str:
    """Escape a text for one line of Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))

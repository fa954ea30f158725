"""A snapshot, the difference between two, and the result of a restoration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from erstwhile.blocks.block import Block, version_diff
from erstwhile.core.errors import ConflictError, NotFoundError
from erstwhile.core.ids import new_id
from erstwhile.core.ports import Row
from erstwhile.core.scope import Scope
from erstwhile.core.time import from_micros, to_micros
from erstwhile.facts.fact import Fact
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.erasure import own
from erstwhile.storage.record import Record, owned
from erstwhile.storage.table import DELETED, PRESENT, RecordTable
from erstwhile.storage.unit import Unit
from erstwhile.storage.view import View

MAX_NAME = 150
MAX_DESCRIPTION = 2_000


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot(Record):
    """A named moment in the history of a scope."""

    name: str
    at: datetime
    """The moment, in recorded time."""
    description: str


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedFact:
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


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedBlock:
    """A block before and after."""

    before: Block
    after: Block


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotDiff:
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
        """The difference as Markdown, for people to read."""
        return written(self)


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
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

    def fields(self, item: Snapshot) -> dict[str, Any]:
        return {"name": item.name, "at": to_micros(item.at), "description": item.description}

    def build(self, row: Row, head: dict[str, Any]) -> Snapshot:
        name, at, description = row
        return Snapshot(name=name, at=from_micros(at), description=description, **head)

    def create(
        self, unit: Unit, scope: Scope, name: str, at: datetime, description: str = ""
    ) -> Snapshot:
        """Store a new snapshot; a name that is taken in its scope is a conflict."""
        new = Snapshot(
            id=new_id(unit.now),
            scope=scope,
            created_at=unit.now,
            changed_at=unit.now,
            name=name,
            at=at,
            description=description,
        )
        if any(each.scope == scope for each in self.named(unit, name, PRESENT[0])):
            raise ConflictError(
                f"a snapshot {name!r} exists already", remedy="choose another name, or delete it"
            )
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
            raise NotFoundError(
                f"no snapshot {name!r} is visible here", remedy=self._remedy(view, name, among)
            )
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


def written(found: SnapshotDiff) -> str:
    """Return the report as Markdown, without empty sections."""
    period = f"{_to_seconds(found.since)} to {_to_seconds(found.until)}"
    head = f"# Changes from {period}\n\nScope: {found.scope}"
    return "\n\n".join([head, *_sections(found)]) + "\n"


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
    if pair.before.id != pair.after.id:
        return (
            f"- {_escaped(pair.before.text)} → {_escaped(pair.after.text)} `{pair.after.short_id}`"
        )
    return f"{_list_item(pair.after)}: {', '.join(pair.fields)}"


def _block(pair: ChangedBlock) -> str:
    text = version_diff(pair.before, pair.after) or "(same text)"
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"### {_escaped(pair.after.name)}\n\n{fence}diff\n{text}\n{fence}"


def _escaped(text: str) -> str:
    """Escape a text for one line of Markdown."""
    return re.sub(r"([\\`*_\[\]<>#|])", r"\\\1", " ".join(text.split()))


def _to_seconds(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"

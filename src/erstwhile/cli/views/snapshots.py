"""Views of snapshots, and of the difference between two."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line
from erstwhile.cli.views.layout import Row, cell, grid, record_view, row, scope_cell, second, view
from erstwhile.facts.fact import Fact
from erstwhile.snapshots.snapshot import ChangedFact, Snapshot, SnapshotDiff


@view.register
def _snapshot_view(snapshot: Snapshot, _at: datetime | None) -> RenderableType:
    return record_view(
        snapshot,
        snapshot.name,
        ("moment", second(snapshot.at)),
        ("description", snapshot.description),
    )


@row.register
def _snapshot_row(snapshot: Snapshot, _at: datetime | None) -> Row:
    return {
        "snapshot": cell(snapshot.name, "bold"),
        "moment": cell(second(snapshot.at)),
        "description": cell(snapshot.description),
        "scope": scope_cell(snapshot.scope),
    }


@view.register
def _diff_view(found: SnapshotDiff, _at: datetime | None) -> RenderableType:
    title = Text(f"From {second(found.since)} to {second(found.until)}", "bold")
    if found.is_empty:
        return Group(title, "", Text("Nothing changed.", "dim"))
    return Group(title, "", grid(_lines(found)))


def _lines(found: SnapshotDiff) -> Iterator[tuple[str, Text]]:
    yield from (("learned", _fact(fact, "green")) for fact in found.learned)
    yield from (("changed", _changed(pair)) for pair in found.changed)
    yield from (("ended", _fact(fact, "red")) for fact in found.ended)
    yield from (("deleted", cell(fact.short_id, "dim")) for fact in found.deleted)
    yield from (("new block", cell(block.name, "green")) for block in found.blocks_added)
    for pair in found.blocks_changed:
        versions = f"{pair.after.name}  version {pair.before.version} → {pair.after.version}"
        yield "changed block", cell(versions)
    yield from (("deleted block", cell(block.name, "red")) for block in found.blocks_deleted)


def _fact(fact: Fact, style: str) -> Text:
    return Text.assemble((safe_line(fact.text), style), (f"  {fact.short_id}", "dim"))


def _changed(pair: ChangedFact) -> Text:
    if pair.before.id != pair.after.id:
        return Text(f"{safe_line(pair.before.text)} → ").append_text(_fact(pair.after, "green"))
    return _fact(pair.after, "").append(f"  ({', '.join(pair.fields)})", "yellow")

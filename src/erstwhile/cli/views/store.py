"""Views of the store: its audit trail and its size."""

from __future__ import annotations

from collections import Counter
from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.coming import Coming
from erstwhile.cli.views.layout import Row, cell, grid, row, scope_cell, second, table, view
from erstwhile.core.receipt import Erasure
from erstwhile.core.stats import Stats
from erstwhile.examining.diagnosis import Diagnosis, Health, HealthCheck
from erstwhile.repairing.repair import Repaired
from erstwhile.repairing.salvage import SalvagedRows
from erstwhile.storage.audit_chain import Entry, Verification
from erstwhile.storage.audit_repair import TimeRepair
from erstwhile.upkeep.maintain import Maintained

_MARKS = {
    Health.OK: ("✓", "bold green"),
    Health.WARNING: ("!", "bold yellow"),
    Health.PROBLEM: ("✗", "bold red"),
    Health.SKIPPED: ("–", "dim"),
}


@row.register
def _entry_row(entry: Entry, _at: datetime | None) -> Row:
    return {
        "no": cell(f"{entry.number}", "dim"),
        "when": cell(second(entry.at)),
        "who": cell(entry.actor, "cyan"),
        "did": cell(entry.action, "bold"),
        "subject": Text(cell(entry.subject).plain[:18], "dim"),
        "why": cell(entry.reason),
        "scope": scope_cell(entry.scope),
    }


@view.register
def _verification_view(found: Verification, _at: datetime | None) -> RenderableType:
    return Group(*verification_lines(found))


def verification_lines(found: Verification) -> list[Text]:
    """Return the result of verifying the audit trail, with one line for each problem."""
    checked = f"Entries checked: {found.entries:,}, stored states: {found.records:,}."
    if found.ok:
        return [Text.assemble(("✓ ", "bold green"), f"{checked} Everything fits the trail.")]
    lines = [Text("  ").append(cell(problem, "red")) for problem in dict.fromkeys(found.problems)]
    return [Text.assemble(("✗ ", "bold red"), f"{checked} There are problems:"), *lines]


@view.register
def _repair_view(seen: TimeRepair, _at: datetime | None) -> RenderableType:
    if seen.first is None or seen.last is None:
        return Text("No time lies in the future.")
    return grid(
        (
            ("changes", f"{seen.entries:,}"),
            ("first", second(seen.first)),
            ("last", second(seen.last)),
        )
    )


@view.register
def _erasure_view(seen: Erasure, _at: datetime | None) -> RenderableType:
    scopes = "\n".join(cell(str(scope)).plain for scope in seen.scopes)
    counts = ((name, f"{count:,}") for name, count in seen.collections.items())
    return grid((("scopes", scopes or "none"), *counts))


@view.register
def _diagnosis_view(found: Diagnosis, _at: datetime | None) -> RenderableType:
    return Group(table(found.checks, None), _conclusion(found))


@row.register
def _finding_row(finding: HealthCheck, _at: datetime | None) -> Row:
    told = cell(finding.detail)
    if finding.remedy:
        told.append(f"\n→ {cell(finding.remedy).plain}", "cyan")
    mark, style = _MARKS[finding.health]
    return {"": cell(mark, style), "check": cell(finding.name, "bold"), "found": told}


def _conclusion(found: Diagnosis) -> Text:
    counts = Counter(each.health for each in found.checks)
    text = f"Problems: {counts[Health.PROBLEM]}, warnings: {counts[Health.WARNING]}."
    return Text(text, "bold green" if found.ok else "bold red")


@row.register
def _coming_row(coming: Coming, _at: datetime | None) -> Row:
    return {
        "what": cell(coming.what, "bold"),
        "whose": cell(coming.whose, "cyan"),
        "number": cell(f"{coming.count:,}"),
        "for example": cell(coming.example),
    }


@view.register
def _maintained_view(done: Maintained, _at: datetime | None) -> RenderableType:
    return grid((step.name, f"{step.count:,} {step.unit}") for step in done.steps)


@view.register
def _repaired_view(done: Repaired, _at: datetime | None) -> RenderableType:
    counts = [(name, f"{count:,} rebuilt") for name, count in done.rebuilt.items() if count]
    audit = ("audit", f"{done.audit_problems:,} problems")
    rows = (("memory", done.path), *counts, *([audit] if done.audit_problems else ()))
    return Group(*([table(done.tables, None)] if done.tables else ()), grid(rows))


@row.register
def _salvaged_row(rows: SalvagedRows, _at: datetime | None) -> Row:
    number = f"{rows.lost:,}"
    if rows.uncounted:
        number = f"at least {number}" if rows.lost else "unknown"
    lost = cell(number, "bold red" if rows.lost or rows.uncounted else "dim")
    cut_off = cell(f"{rows.cut_off:,}", "red" if rows.cut_off else "dim")
    return {
        "table": cell(rows.table, "bold"),
        "copied": cell(f"{rows.copied:,}"),
        "lost": lost,
        "cut off": cut_off,
    }


@view.register
def _stats_view(stats: Stats, _at: datetime | None) -> RenderableType:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in stats.kinds.items())
    live = Text.assemble((f"{stats.live:,}", "bold green"), f"  ({kinds})" if kinds else "")
    return grid(
        (
            ("live", live),
            ("quarantined", f"{stats.quarantined:,}"),
            ("upcoming", f"{stats.upcoming:,}"),
            ("retired", f"{stats.retired:,}"),
            ("deleted", f"{stats.deleted:,}"),
            ("size", None if stats.bytes is None else f"{stats.bytes / 1024:,.0f} KiB"),
            ("store", f"{stats.engine}, schema {stats.schema}"),
        )
    )

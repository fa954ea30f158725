"""Each record as people like to read it: a view of one, and a table of many.

Texts are put into `Text` objects and made safe, so that nothing stored is taken for markup or for
an order to the terminal. Times are UTC, as they are in every option.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import singledispatch
from typing import Any, TypeAlias

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from erstwhile.cli.plain_values import state_of
from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.core.kinds import State
from erstwhile.core.stats import Stats
from erstwhile.facts.entity import CO_OCCURS, Entity, EntityCard, Neighbour
from erstwhile.facts.fact import Fact, FactChange, Source
from erstwhile.storage.audit_chain import Entry, Verification

Rows: TypeAlias = Iterable[tuple[str, str | Text | None]]

_STATE_STYLES = {
    State.LIVE: "green",
    State.QUARANTINED: "yellow",
    State.UPCOMING: "blue",
    State.RETIRED: "magenta",
    State.DELETED: "red",
}


@singledispatch
def view(value: Any, _at: datetime | None) -> RenderableType:
    raise TypeError(f"no view of a {type(value).__name__}")


@view.register
def _fact_view(fact: Fact, at: datetime | None) -> RenderableType:
    state = state_of(fact, at)
    told = Text(state, _STATE_STYLES[state])
    if fact.ending:
        told.append(f" ({fact.ending})")
    rows: Rows = (
        ("id", fact.id),
        ("state", told),
        ("kind", fact.kind),
        ("key", fact.key),
        ("scope", str(fact.scope)),
        ("true", _span(fact)),
        ("recorded", second(fact.recorded_at)),
        ("changed", second(fact.known_from) if fact.known_from != fact.recorded_at else None),
        ("expires", second(fact.expires_at) if fact.expires_at else None),
        ("believed", f"{fact.confidence:.0%}, {fact.tier}, heard {_times(fact.evidence)}"),
        ("said by", f"{fact.origin} ({fact.trust})"),
        ("source", _source(fact.source) if fact.source else None),
        ("about", ", ".join(fact.entities)),
        ("links", "; ".join(" ".join(relation) for relation in fact.relations)),
        ("tags", ", ".join(fact.tags)),
        ("metadata", json.dumps(dict(fact.metadata), ensure_ascii=False) if fact.metadata else ""),
        ("replaced", ", ".join(fact.supersedes)),
        ("replaced by", fact.superseded_by),
        ("pinned", "yes" if fact.pinned else None),
    )
    return Group(Text(safe_lines(fact.text), "bold"), "", grid(rows))


@view.register
def _entity_view(card: EntityCard, at: datetime | None) -> RenderableType:
    entity = card.entity
    head = Text(safe_line(entity.name), "bold")
    if entity.aliases:
        head.append(f"  also {safe_line(', '.join(entity.aliases))}", "dim")
    parts: list[RenderableType] = [head, table(card.facts, at)]
    if card.neighbours:
        parts.append(table(card.neighbours, at))
    return Group(*parts)


@view.register
def _verification_view(found: Verification, _at: datetime | None) -> RenderableType:
    return Group(*verdict(found))


def verdict(found: Verification) -> list[Text]:
    """What checking the trail found, each problem on a line of its own."""
    checked = f"Entries checked: {found.entries:,}, stored states: {found.records:,}."
    if found.ok:
        return [Text.assemble(("✓ ", "bold green"), f"{checked} All is as the trail tells it.")]
    lines = [Text(f"  {safe_line(problem)}", "red") for problem in dict.fromkeys(found.problems)]
    return [Text.assemble(("✗ ", "bold red"), f"{checked} Not all is well:"), *lines]


@view.register
def _stats_view(stats: Stats, _at: datetime | None) -> RenderableType:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in stats.kinds.items())
    live = Text.assemble((f"{stats.live:,}", "bold green"), f"  ({kinds})" if kinds else "")
    rows: Rows = (
        ("live", live),
        ("quarantined", f"{stats.quarantined:,}"),
        ("upcoming", f"{stats.upcoming:,}"),
        ("retired", f"{stats.retired:,}"),
        ("deleted", f"{stats.deleted:,}"),
        ("size", None if stats.bytes is None else f"{stats.bytes / 1024:,.0f} KiB"),
        ("store", f"{stats.engine}, schema {stats.schema}"),
    )
    return grid(rows)


@view.register
def _mapping_view(value: Mapping, _at: datetime | None) -> RenderableType:  # type: ignore[type-arg]
    return grid((name, str(part)) for name, part in value.items())


def plain_table() -> Table:
    """One without lines, as all tables here are."""
    return Table(box=None, header_style="dim", padding=(0, 2, 0, 0), pad_edge=False)


@dataclass(frozen=True, slots=True)
class Listing:
    """Records of one type: a table, or one below the other where a table has no room."""

    names: Sequence[str]
    rows: Sequence[Mapping[str, Text]]

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width >= _TABLE_WIDTH:
            yield self._table()
            return
        for row in self.rows:
            yield grid((name, row[name]) for name in self.names)
            yield ""

    def _table(self) -> Table:
        shown = plain_table()
        for name in self.names:
            shown.add_column(name, no_wrap=name in _NARROW, overflow="fold")
        for row in self.rows:
            shown.add_row(*(row[name] for name in self.names))
        return shown


def table(items: Sequence[Any], at: datetime | None) -> Listing:
    """The listing of these; a column that would say the same in each row is left out."""
    rows = [ROWS[type(item)](item, at) for item in items]
    names = [name for name in rows[0] if any(row[name] for row in rows)]
    if "scope" in names and len({str(row["scope"]) for row in rows}) == 1:
        names.remove("scope")
    return Listing(names, rows)


def one_line(fact: Fact, at: datetime | None = None) -> Text:
    """The fact in short: its id and what it says."""
    return Text.assemble((fact.short_id, "dim"), "  ", statement(fact, at))


_NARROW = frozenset(("id", "since", "kind", "when", "no", "subject", "facts", "did", "outcome"))

_TABLE_WIDTH = 64
"""Columns that a terminal must have for a table."""


def _fact_row(fact: Fact, at: datetime | None) -> dict[str, Text]:
    return {
        "id": Text(fact.short_id, "dim"),
        "since": Text(f"{fact.valid_from:%Y-%m-%d}"),
        "kind": Text(fact.kind, "cyan"),
        "fact": statement(fact, at),
        "scope": Text(safe_line(str(fact.scope)), "dim"),
    }


def _change_row(change: FactChange, _at: datetime | None) -> dict[str, Text]:
    return {
        "when": Text(second(change.at)),
        "who": Text(safe_line(change.actor), "cyan"),
        "did": Text(change.action, "bold"),
        "id": Text(change.fact.short_id, "dim"),
        "fact": statement(change.fact, change.at).append(_because(change.reason), "italic"),
    }


def _entry_row(entry: Entry, _at: datetime | None) -> dict[str, Text]:
    return {
        "no": Text(f"{entry.number}", "dim"),
        "when": Text(second(entry.at)),
        "who": Text(safe_line(entry.actor), "cyan"),
        "did": Text(safe_line(entry.action), "bold"),
        "subject": Text(safe_line(entry.subject)[:18], "dim"),
        "why": Text(safe_line(entry.reason or "")),
        "scope": Text(safe_line(str(entry.scope)), "dim"),
    }


def _entity_row(entity: Entity, _at: datetime | None) -> dict[str, Text]:
    return {
        "entity": Text(safe_line(entity.name), "bold"),
        "also": Text(safe_line(", ".join(entity.aliases))),
        "facts": Text(f"{entity.mentions:,}"),
    }


def _neighbour_row(neighbour: Neighbour, _at: datetime | None) -> dict[str, Text]:
    link = "mentioned with" if neighbour.relation == CO_OCCURS else safe_line(neighbour.relation)
    return {
        "link": Text(link if neighbour.outgoing else f"← {link}", "cyan"),
        "neighbour": Text(safe_line(neighbour.name), "bold"),
        "facts": Text(f"{len(neighbour.facts):,}"),
    }


ROWS: dict[type, Any] = {
    Fact: _fact_row,
    FactChange: _change_row,
    Entry: _entry_row,
    Entity: _entity_row,
    Neighbour: _neighbour_row,
}
"""How a record of each type becomes a row; other modules of views add theirs."""


def statement(fact: Fact, at: datetime | None) -> Text:
    """What a fact says, and what is special about it."""
    told = Text.assemble(("★ " if fact.pinned else "", "yellow"))
    if fact.key:
        told.append(f"{safe_line(fact.key)} = ", "bold")
    told.append(safe_line(fact.text))
    if fact.evidence > 1:
        told.append(f" ×{fact.evidence}", "green")
    for tag in fact.tags:
        told.append(f" #{safe_line(tag)}", "blue")
    if fact.ends_at and fact.ends_at > fact.valid_from:
        told.append(f" until {fact.ends_at:%Y-%m-%d}", "magenta")
    state = state_of(fact, at)
    if state is not State.LIVE:
        told.append(f" ({fact.ending or state})", _STATE_STYLES[state])
    return told


def grid(rows: Rows) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, value in rows:
        if value:
            grid.add_row(name, value if isinstance(value, Text) else Text(safe_lines(value)))
    return grid


def _span(fact: Fact) -> str:
    if fact.ends_at is None:
        return f"since {second(fact.valid_from)}"
    if fact.ends_at <= fact.valid_from:
        return "never"
    return f"from {second(fact.valid_from)} until {second(fact.ends_at)}"


def second(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}"


def _because(reason: str | None) -> str:
    return f" — {safe_line(reason)}" if reason else ""


def _source(source: Source) -> str:
    return " ".join((source.conversation or "", *source.messages)).strip()


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"

"""Views of facts, their entities, conflicts and quarantine."""

from __future__ import annotations

from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.plain_values import state_of
from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.cli.views.layout import (
    Fields,
    Row,
    cell,
    grid,
    json_text,
    record_view,
    row,
    scope_cell,
    second,
    table,
    view,
)
from erstwhile.core.kinds import State
from erstwhile.facts.conflict import Conflict
from erstwhile.facts.entity import CO_OCCURS, Entity, EntityCard, Neighbour
from erstwhile.facts.fact import Fact, FactChange, Source
from erstwhile.facts.held import Held

_STATE_STYLES = {
    State.LIVE: "green",
    State.QUARANTINED: "yellow",
    State.UPCOMING: "blue",
    State.RETIRED: "magenta",
    State.DELETED: "red",
}


@view.register
def _fact_view(fact: Fact, at: datetime | None) -> RenderableType:
    state = state_of(fact, at)
    shown = Text(state, _STATE_STYLES[state])
    if fact.ending:
        shown.append(f" ({fact.ending})")
    fields: Fields = (
        ("id", fact.id),
        ("state", shown),
        ("kind", fact.kind),
        ("key", fact.key),
        ("value", fact.value),
        ("scope", str(fact.scope)),
        ("true", _span(fact)),
        ("recorded", second(fact.recorded_at)),
        ("changed", second(fact.known_from) if fact.known_from != fact.recorded_at else None),
        ("expires", second(fact.expires_at)),
        ("believed", f"{fact.confidence:.0%}, {fact.tier}, heard {_times(fact.evidence)}"),
        ("said by", f"{fact.origin} ({fact.trust})"),
        ("source", _source(fact.source) if fact.source else None),
        ("about", ", ".join(fact.entities)),
        ("links", "; ".join(" ".join(relation) for relation in fact.relations)),
        ("tags", ", ".join(fact.tags)),
        ("metadata", json_text(fact.metadata)),
        ("replaced", ", ".join(fact.supersedes)),
        ("replaced by", fact.superseded_by),
        ("pinned", "yes" if fact.pinned else None),
    )
    return Group(Text(safe_lines(fact.text), "bold"), "", grid(fields))


@row.register
def _fact_row(fact: Fact, at: datetime | None) -> Row:
    return {
        "id": cell(fact.short_id, "dim"),
        "since": cell(f"{fact.valid_from:%Y-%m-%d}"),
        "kind": cell(fact.kind, "cyan"),
        "fact": statement(fact, at),
        "scope": scope_cell(fact.scope),
    }


@row.register
def _change_row(change: FactChange, _at: datetime | None) -> Row:
    reason = f" — {safe_line(change.reason)}" if change.reason else ""
    return {
        "when": cell(second(change.at)),
        "who": cell(change.actor, "cyan"),
        "did": cell(change.action, "bold"),
        "id": cell(change.fact.short_id, "dim"),
        "fact": statement(change.fact, change.at).append(reason, "italic"),
    }


def one_line(fact: Fact, at: datetime | None = None) -> Text:
    """Return the short id and the statement of a fact."""
    return Text.assemble((fact.short_id, "dim"), "  ", statement(fact, at))


def statement(fact: Fact, at: datetime | None) -> Text:
    """Return the text of a fact with its key, tags, evidence and state."""
    shown = Text.assemble(("★ " if fact.pinned else "", "yellow"))
    if fact.key:
        shown.append(f"{safe_line(fact.key)} = ", "bold")
    shown.append(safe_line(fact.text))
    if fact.evidence > 1:
        shown.append(f" ×{fact.evidence}", "green")
    for tag in fact.tags:
        shown.append(f" #{safe_line(tag)}", "blue")
    if fact.ends_at and fact.ends_at > fact.valid_from:
        shown.append(f" until {fact.ends_at:%Y-%m-%d}", "magenta")
    state = state_of(fact, at)
    if state is not State.LIVE:
        shown.append(f" ({fact.ending or state})", _STATE_STYLES[state])
    return shown


def _span(fact: Fact) -> str:
    if fact.ends_at is None:
        return f"since {second(fact.valid_from)}"
    if fact.ends_at <= fact.valid_from:
        return "never"
    return f"from {second(fact.valid_from)} until {second(fact.ends_at)}"


def _source(source: Source) -> str:
    return " ".join((source.conversation or "", *source.messages)).strip()


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


@view.register
def _entity_view(card: EntityCard, at: datetime | None) -> RenderableType:
    head = cell(card.entity.name, "bold")
    if card.entity.aliases:
        head.append(f"  also {safe_line(', '.join(card.entity.aliases))}", "dim")
    parts: list[RenderableType] = [head, table(card.facts, at)]
    if card.neighbours:
        parts.append(table(card.neighbours, at))
    return Group(*parts)


@row.register
def _entity_row(entity: Entity, _at: datetime | None) -> Row:
    return {
        "entity": cell(entity.name, "bold"),
        "also": cell(", ".join(entity.aliases)),
        "facts": cell(f"{entity.mentions:,}"),
    }


@row.register
def _neighbour_row(neighbour: Neighbour, _at: datetime | None) -> Row:
    link = "mentioned with" if neighbour.relation == CO_OCCURS else safe_line(neighbour.relation)
    return {
        "link": Text(link if neighbour.outgoing else f"← {link}", "cyan"),
        "neighbour": cell(neighbour.name, "bold"),
        "facts": cell(f"{len(neighbour.facts):,}"),
    }


@view.register
def _conflict_view(conflict: Conflict, at: datetime | None) -> RenderableType:
    return record_view(
        conflict,
        conflict.reason or "These may contradict each other",
        ("status", _status(conflict)),
        ("older", one_line(conflict.older, at)),
        ("newer", one_line(conflict.newer, at)),
        ("settled", second(conflict.settled_at)),
        ("kept", conflict.kept),
        ("resolution", conflict.resolution),
    )


@row.register
def _conflict_row(conflict: Conflict, at: datetime | None) -> Row:
    return {
        "id": cell(conflict.short_id, "dim"),
        "status": _status(conflict),
        "older": statement(conflict.older, at),
        "newer": statement(conflict.newer, at),
        "why": cell(conflict.reason),
        "scope": scope_cell(conflict.scope),
    }


def _status(conflict: Conflict) -> Text:
    if conflict.settled_at is not None:
        return Text("settled", "green")
    return Text("moot", "dim") if conflict.moot else Text("open", "yellow")


@row.register
def _quarantine_row(held: Held, _at: datetime | None) -> Row:
    return {
        "id": cell(held.fact.short_id, "dim"),
        "fact": cell(held.fact.text),
        "why": cell(held.reason),
        "rule": cell(held.rule, "cyan"),
        "scope": scope_cell(held.fact.scope),
    }

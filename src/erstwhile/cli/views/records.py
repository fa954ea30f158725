"""Views of records: one record with all its fields, and many records in a table.

`views.toml` has a title and the columns of each type. Types that need more register a function
with `view` or `row`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from decimal import Decimal
from enum import Enum
from functools import cache, singledispatch
from operator import attrgetter
from pathlib import Path
from string import Formatter
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from erstwhile.cli.safe_text import safe_line, safe_lines
from erstwhile.cli.views.layout import Fields, Row, TableView, cell, grid, second, table_of
from erstwhile.core.kinds import State
from erstwhile.core.scope import Scope
from erstwhile.facts.entities import CO_OCCURS, Neighbour
from erstwhile.facts.fact import Fact, FactChange


@cache
def _data() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("views.toml").read_text("utf-8"))


@cache
def _style(of: str, word: str) -> str:
    """Return the style of a value such as `live`, or of a label such as `id`."""
    styles = _data()[f"{of}-styles"]
    return next((style for style, words in styles.items() if word in words), "")


def _data_of(record: Any) -> Mapping[str, Any]:
    return _data().get(type(record).__name__, {})


def has_title(record: Any) -> bool:
    """Return whether a record can be described in one line."""
    return isinstance(record, Fact) or "title" in _data_of(record)


def describe(record: Any) -> str:
    """Return one line that identifies a record."""
    if isinstance(record, Fact):
        return safe_line(record.text)
    return safe_line(_filled(_data_of(record)["title"], record).plain)


@singledispatch
def view(value: Any, at: datetime | None) -> RenderableType:
    """Return the view of one record. `at` is the time at which the state of a fact is computed."""
    data = _data_of(value)
    parts: list[RenderableType] = []
    if "title" in data:
        parts.append(_filled(data["title"], value, limit=None, style="bold"))
    tables = [field.name for field in fields(value) if _is_table(getattr(value, field.name))]
    tables = [name for name in tables if name not in data.get("fields", ())]
    hidden = {*tables, *_used_names(data.get("title", "")), data.get("body", "")}
    shown = [*field_cells(value, at, hidden)]
    if any(text for _, text in shown):
        parts.append(grid(shown))
    elif "empty" in data:
        parts.append(Text(data["empty"], "dim"))
    for name in tables:
        parts += ["", table(getattr(value, name), at)]
    if "body" in data:
        parts += ["", body_text(value)]
    return Group(*parts)


def body_text(record: Any) -> Text:
    """Return the text below the title of a record; nothing if it has none."""
    name = _data_of(record).get("body")
    return _value_text(getattr(record, name), None, None, "") if name else Text("")


def field_cells(
    value: Any, at: datetime | None, hidden: Collection[str] = ()
) -> Iterator[tuple[str, Text]]:
    """Yield the label and the text of each field of a record that is not hidden."""
    names = [field.name for field in fields(value) if field.name not in hidden]
    yield from _cells(value, _data_of(value).get("fields", names), at, limit=None)


@view.register
def _mapping_view(value: Mapping, _at: datetime | None) -> RenderableType:  # type: ignore[type-arg]
    return grid((name, str(part)) for name, part in value.items())


@singledispatch
def row(value: Any, at: datetime | None) -> Row:
    """Return the row of a record in a table."""
    return dict(_cells(value, _data_of(value)["columns"], at, limit=200))


def table(items: Sequence[Any], at: datetime | None, *, scopes: bool = False) -> TableView:
    """Return a table of records of one type; with `scopes`, always with their scopes."""
    return table_of([row(item, at) for item in items], scopes=scopes)


def _is_table(value: Any) -> bool:
    if not isinstance(value, tuple) or not value:
        return False
    registered = row.dispatch(type(value[0])) is not row.dispatch(object)
    return registered or "columns" in _data_of(value[0])


def _used_names(template: str) -> set[str]:
    """Return the attributes of a record that a format uses."""
    return {re.split(r"[.\[]", name)[0] for _, name, _, _ in Formatter().parse(template) if name}


def _cells(
    record: Any, specs: Sequence[str], at: datetime | None, *, limit: int | None
) -> Iterator[tuple[str, Text]]:
    """Yield the label and the text of each column or field."""
    for spec in specs:
        label, _, source = spec.partition(":")
        source, _, default = (source or label).partition("?")
        if label == "*":
            counts = attrgetter(source)(record).items()
            yield from ((name, Text(f"{count:,}")) for name, count in counts if count)
            continue
        label = label.partition("?")[0].replace("_", " ").removesuffix(" at")
        style = _style("label", label)
        if "{" in source:
            text = _filled(source, record, limit=limit, style=style)
        else:
            value = record if source == "." else attrgetter(source)(record)
            text = _value_text(value, at, limit, style)
        yield label, text or Text(default, "yellow")


def _filled(template: str, record: Any, *, limit: int | None = 200, style: str = "") -> Text:
    """Fill a format with attributes of a record; states keep their colours."""
    shown = Text(style=style)
    for part in re.split(r"(\[[^\[\]]*\])", template):
        fields = [*Formatter().parse(part.strip("[]"))]
        values = [attrgetter(name)(record) if name else None for _, name, _, _ in fields]
        if part.startswith("[") and not any(values):
            continue
        for (literal, _, spec, _), value in zip(fields, values, strict=True):
            shown.append(literal)
            if isinstance(value, Sequence | Mapping | None) and not isinstance(value, str):
                shown.append(_value_text(value, None, limit, "").plain)
            else:
                own = _style("value", value.value) if isinstance(value, Enum) else ""
                shown.append(_safe(format(value, spec or ""), limit), own)
    return shown


def _safe(text: str, limit: int | None) -> str:
    return safe_lines(text) if limit is None else safe_line(text, limit)


def _value_text(value: Any, at: datetime | None, limit: int | None, style: str) -> Text:
    """Return the text of a value of any type; nothing for no value."""
    match value:
        case None | "":
            return Text("")
        case bool():
            return Text("yes", style) if value else Text("" if limit else "no")
        case Fact():
            return one_line(value, at) if limit is None else statement(value, at)
        case Enum():
            return Text(str(value.value), _style("value", value.value) or style)
        case Scope():
            return cell(str(value), "dim")
        case Mapping():
            return Text(_safe(_mapping_text(value), limit), style)
        case list() | tuple():
            return _list_text(value, at, limit)
    if has_title(value):
        return Text(describe(value), style)
    return Text(_safe(_plain_text(value), limit), style)


def _plain_text(value: Any) -> str:
    match value:
        case datetime():
            return second(value)
        case int():
            return f"{value:,}"
        case Decimal():
            return f"${value:f}"
        case float():
            return f"{value:.2f}"
    return str(value)


def _mapping_text(value: Mapping[str, Any]) -> str:
    if all(isinstance(each, int) for each in value.values()):
        return ", ".join(f"{count:,} {name}" for name, count in value.items())
    return json.dumps(dict(value), ensure_ascii=False)


def _list_text(values: Sequence[Any], at: datetime | None, limit: int | None) -> Text:
    if all(isinstance(each, str) for each in values):
        return Text(_safe(", ".join(values), limit))
    return Text("\n").join(_value_text(each, at, limit, "") for each in values)


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
    state = fact.state_at(at)
    if state is not State.LIVE:
        shown.append(f" ({fact.ending or state})", _style("value", state))
    return shown


@view.register
def _fact_view(fact: Fact, at: datetime | None) -> RenderableType:
    state = fact.state_at(at)
    shown = Text(state, _style("value", state))
    if fact.ending:
        shown.append(f" ({fact.ending})")
    heard = "once" if fact.evidence == 1 else f"{fact.evidence:,} times"
    source = (
        " ".join((fact.source.conversation or "", *fact.source.messages)) if fact.source else ""
    )
    about: Fields = (
        ("id", fact.id),
        ("state", shown),
        ("kind", fact.kind),
        ("key", fact.key),
        ("value", fact.value),
        ("scope", str(fact.scope)),
        ("true", _validity(fact)),
        ("recorded", second(fact.recorded_at)),
        ("changed", second(fact.known_from) if fact.known_from != fact.recorded_at else None),
        ("expires", second(fact.expires_at)),
        ("believed", f"{fact.confidence:.0%}, {fact.tier}, heard {heard}"),
        ("said by", f"{fact.origin} ({fact.trust})"),
        ("source", source.strip()),
        ("about", ", ".join(fact.entities)),
        ("links", "; ".join(" ".join(relation) for relation in fact.relations)),
        ("tags", ", ".join(fact.tags)),
        ("metadata", json.dumps(dict(fact.metadata), ensure_ascii=False) if fact.metadata else ""),
        ("replaced", ", ".join(fact.supersedes)),
        ("replaced by", fact.superseded_by),
        ("pinned", "yes" if fact.pinned else None),
    )
    return Group(Text(safe_lines(fact.text), "bold"), "", grid(about))


def _validity(fact: Fact) -> str:
    if fact.ends_at is None:
        return f"since {second(fact.valid_from)}"
    if fact.ends_at <= fact.valid_from:
        return "never"
    return f"from {second(fact.valid_from)} until {second(fact.ends_at)}"


@row.register
def _fact_change_row(change: FactChange, _at: datetime | None) -> Row:
    reason = f" — {safe_line(change.reason)}" if change.reason else ""
    return {
        "when": cell(second(change.at)),
        "who": cell(change.actor, "cyan"),
        "did": cell(change.action, "bold"),
        "id": cell(change.fact.short_id, "dim"),
        "fact": statement(change.fact, change.at).append(reason, "italic"),
    }


@row.register
def _neighbour_row(neighbour: Neighbour, _at: datetime | None) -> Row:
    link = "mentioned with" if neighbour.relation == CO_OCCURS else safe_line(neighbour.relation)
    return {
        "link": Text(link if neighbour.outgoing else f"← {link}", "cyan"),
        "neighbour": cell(neighbour.name, "bold"),
        "facts": cell(f"{len(neighbour.facts):,}"),
    }

"""Records as models read them: the fields that `records.json` names, without empty ones."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from erstwhile.core.ids import short_id
from erstwhile.core.kinds import TextKind

if TYPE_CHECKING:  # a server loads tasks only when it is asked for them
    from collections.abc import Mapping

    from erstwhile.blocks.block import Block, BlockChange
    from erstwhile.decisions.decision import Decision
    from erstwhile.facts.fact import Fact, FactChange
    from erstwhile.recall.hits import Hit
    from erstwhile.tasks.task import Task


@cache
def record_schemas() -> Mapping[str, Any]:
    """Return the JSON schemas of records, by name."""
    text = Path(__file__).with_name("records.json").read_text("utf-8")
    schemas: Mapping[str, Any] = json.loads(text)
    return schemas


def _view(schema: str, record: object, /, **fields: Any) -> dict[str, Any]:
    """Return the fields of a record that its schema names, without empty ones, to save tokens.

    `fields` are used instead of the attributes of the record.
    """
    values = {
        name: fields[name] if name in fields else getattr(record, name)
        for name in record_schemas()[schema]["properties"]
    }
    return {name: _to_json(value) for name, value in values.items() if value is not None}


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds")
    return value.value if isinstance(value, Enum) else value


def record_view(schema: str, record: Decision | Task) -> dict[str, Any]:
    return _view(schema, record, id=short_id(record.id))


def fact_view(fact: Fact) -> dict[str, Any]:
    return _view("fact", fact, id=fact.short_id, state=fact.state)


def hit_view(hit: Hit, at: datetime | None = None) -> dict[str, Any]:
    """Return a recalled record: a whole fact with its state at a time, or a passage."""
    is_fact, is_message = hit.kind is TextKind.FACTS, hit.kind is TextKind.MESSAGES
    return _view(
        "hit",
        hit,
        record=hit.kind,
        id=short_id(hit.record.id),
        text=hit.fact.text if is_fact else hit.passage.text,
        timestamp=hit.record.timestamp,
        relevance=round(hit.relevance, 3),
        weak=hit.is_weak or None,
        role=hit.message.role if is_message else None,
        state=hit.fact.state_at(at) if is_fact else None,
    )


def block_view(block: Block, *, whole: bool = True) -> dict[str, Any]:
    """Return a block, with its content if it is `whole`."""
    return _view(
        "block",
        block,
        content=block.content if whole else None,
        archived=block.archived or None,
        moved=block.moved or None,
    )


def fact_change_view(change: FactChange) -> dict[str, Any]:
    state = change.fact.state_at(change.at)
    return _view("change", change, text=change.fact.text, state=state, version=None, moved=None)


def block_change_view(change: BlockChange) -> dict[str, Any]:
    return _view("change", change, text=change.new.content, state=None, moved=change.moved or None)

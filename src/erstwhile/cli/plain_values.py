"""Records as JSON values: every dataclass becomes an object with all its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from inspect import getmembers
from typing import Any

from erstwhile.core.json_values import SINGLE, single_value
from erstwhile.core.kinds import State
from erstwhile.core.page import Page
from erstwhile.facts.fact import Fact, FactChange, Relation
from erstwhile.recall.hits import Passage

_REPEATED = frozenset({"searched", "told_at", "fact", "message"})
"""Properties of records and hits that repeat another part of them."""


def plain(value: Any, at: datetime | None = None) -> Any:
    """Return the value in JSON types. `at` is the time at which the state of a fact is computed."""
    if isinstance(value, SINGLE):
        return single_value(value)
    match value:
        case Page():
            return {"items": [plain(item, at) for item in value], "next": value.next}
        case Relation() | Passage():
            return value._asdict()
        case Mapping():
            return {name: plain(each, at) for name, each in value.items()}
        case tuple() | list():
            return [plain(each, at) for each in value]
        case Fact():
            first = {"id": value.id, "short_id": value.short_id, "state": state_of(value, at)}
            return plain(first) | _parts(value, at)
        case FactChange():
            return _parts(value, value.at)
    return _parts(value, at)


def state_of(fact: Fact, at: datetime | None = None) -> State:
    """Return the state of a fact at a time, by default now (by the later of the two clocks)."""
    return fact.state(at or max(datetime.now(UTC), fact.known_from))


def _parts(record: Any, at: datetime | None) -> dict[str, Any]:
    """Return the fields and the properties of a dataclass."""
    if not is_dataclass(record):
        raise TypeError(f"not a record: {type(record).__name__}")
    derived = [
        name
        for name, _ in getmembers(type(record), lambda part: isinstance(part, property))
        if name not in _REPEATED
    ]
    names = [field.name for field in fields(record)] + derived
    return {name: plain(getattr(record, name), at) for name in names}

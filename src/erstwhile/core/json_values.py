"""The JSON form of all values: of records for every surface, and of single values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from typing import Any

from erstwhile.core.public_record import PublicRecord

SINGLE = (type(None), str, bool, int, float, Enum, Decimal, date, timedelta)
"""The types of single values; a datetime is a date, too."""
_REPEATED = frozenset({"searched", "timestamp", "fact", "message"})
"""Properties of records and hits that repeat another field of them."""


def single_value(value: Any) -> Any:
    """Return a value of the types `SINGLE` in a JSON type."""
    match value:
        case Enum():
            return value.value
        case Decimal():  # as text: most programs read JSON numbers as floats, which lose cents
            return f"{value:f}"
        case datetime():
            return written_time(value)
        case date():
            return value.isoformat()
        case timedelta():
            return written_duration(value)
        case _:
            return value


def written_time(moment: datetime) -> str:
    """Return a time in ISO 8601. A time without a zone stays so: the memory chooses the zone."""
    if moment.tzinfo is None:
        return moment.isoformat()
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def written_duration(duration: timedelta) -> str:
    """Return a duration in ISO 8601, in seconds: `PT90.5S`."""
    sign, micros = ("-", -duration) if duration < timedelta(0) else ("", duration)
    seconds, rest = divmod(micros // timedelta(microseconds=1), 1_000_000)
    return f"{sign}PT{seconds}{f'.{rest:06}' if rest else ''}S"


def to_json(value: Any, at: datetime | None = None) -> Any:
    """Convert a value to JSON types. `at` is the time of the states of facts; by default now."""
    if isinstance(value, SINGLE):
        return single_value(value)
    if isinstance(value, PublicRecord):
        return value.to_dict(at)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return tuple_to_dict(value, at)
    if isinstance(value, Mapping):
        return {single_value(name): to_json(each, at) for name, each in value.items()}
    if isinstance(value, Iterable):
        return [to_json(each, at) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: to_json(getattr(value, each.name), at) for each in fields(value)}
    raise TypeError(f"not a record: {type(value).__name__}")


def record_to_json(record: PublicRecord, at: datetime | None) -> dict[str, Any]:
    """Return the fields and the properties of a record."""
    names = (*(each.name for each in fields(record)), *derived_names(type(record)))  # type: ignore[arg-type]
    return {name: to_json(getattr(record, name), at) for name in names}


def tuple_to_dict(named: Any, at: datetime | None = None) -> dict[str, Any]:
    """Return a named tuple in the types of JSON: an object with its fields."""
    return {name: to_json(each, at) for name, each in named._asdict().items()}


@cache
def derived_names(kind: type) -> tuple[str, ...]:
    """Return the properties of a record that its JSON form has besides its fields."""
    found = (name for name in dir(kind) if isinstance(getattr(kind, name), property))
    return tuple(name for name in found if name not in _REPEATED and not name.startswith("_"))

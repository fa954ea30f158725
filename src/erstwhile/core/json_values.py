"""Values as JSON has them: enums, numbers, times and texts, and dicts that cannot be changed."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from enum import Enum
from numbers import Number
from typing import Any, NoReturn, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

SINGLE = (type(None), str, bool, int, float, Enum, date, timedelta, Number)
"""The types of single values; a datetime is a date, too, and a Decimal another number."""


def single_value(value: Any) -> Any:
    """Return a value of the types `SINGLE` in a JSON type."""
    match value:
        case Enum():
            return value.value
        case datetime():
            return written_time(value)
        case date():
            return value.isoformat()
        case timedelta():
            return written_duration(value)
        case None | str() | int() | float():
            return value
        case _:  # a Decimal, as text: most programs read JSON numbers as floats, which lose cents
            return f"{value:f}"


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


class FrozenDict(dict[Key, Value]):
    """A dict that cannot be changed. It can be copied, pickled and written as JSON like a dict."""

    __slots__ = ()

    def _refuse(self, *_args: object, **_keywords: object) -> NoReturn:
        raise TypeError("this mapping cannot be changed; make a copy with dict(…)")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[FrozenDict[Key, Value]], tuple[dict[Key, Value]]]:
        return type(self), (dict(self),)

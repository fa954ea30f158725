"""JSON values as arguments and results, by their types."""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import Enum
from os import PathLike
from typing import Any, TypeVar, Union, get_args, get_origin

from erstwhile.core.errors import InvalidInputError
from erstwhile.wire.hints import hints_of

_DURATION = re.compile(r"(-)?PT(\d{1,12})(?:\.(\d{1,6}))?S")
_LARGEST = 2**63 - 1
"""Both engines store whole numbers of 64 bits."""
_LISTS = (Sequence, Iterable, list)
_UNSENT = (PathLike, Callable, bytes)
"""Types that have no form in JSON."""


@dataclass(frozen=True, slots=True)
class Decoder:
    """Decodes values. A strict one refuses unknown fields; answers may have more than we know."""

    strict: bool = True
    bound: Mapping[Any, Any] = field(default_factory=dict)
    """The types that stand for the type variables of the record that is decoded."""

    def decode(self, value: Any, hint: Any, place: str) -> Any:
        """Return a value of a type. Raise InvalidInputError if it does not fit."""
        hint = self.bound.get(hint, hint)
        if hint is Any:
            return value
        origin = get_origin(hint) or hint
        if origin in (Union, types.UnionType):
            return self._one_of(value, get_args(hint), place)
        if hint in _PLAIN:
            return _plain(value, hint, place)
        if origin in _LISTS or origin is tuple:
            return self._several(value, hint, place)
        if origin is Mapping or origin is dict:
            return self._mapping(value, get_args(hint), place)
        if isinstance(origin, type) and issubclass(origin, Enum):
            return _member(value, origin, place)
        return self._record(value, hint, origin, place)

    def _one_of(self, value: Any, hints: tuple[Any, ...], place: str) -> Any:
        sent = [each for each in hints if (get_origin(each) or each) not in _UNSENT]
        possible = sorted(sent, key=lambda each: each is str)  # any text is a text
        exact = Decoder(strict=True, bound=self.bound)
        for decoder in (exact,) if self.strict else (exact, self):
            for hint in possible:
                with suppress(InvalidInputError):
                    return decoder.decode(value, hint, place)
        names = " or ".join(dict.fromkeys(_shown(each) for each in possible))
        raise _unfit(place, names)

    def _several(self, value: Any, hint: Any, place: str) -> Any:
        if not isinstance(value, list):
            raise _unfit(place, "a list")
        wanted, is_tuple = get_args(hint), get_origin(hint) is tuple
        if not is_tuple or wanted[-1] is Ellipsis:
            found = [self.decode(v, wanted[0], f"{place}[{n}]") for n, v in enumerate(value)]
            return tuple(found) if is_tuple else found
        if len(value) != len(wanted):
            raise _unfit(place, f"a list of {len(wanted)}")
        return tuple(
            self.decode(v, each, f"{place}[{n}]")
            for n, (v, each) in enumerate(zip(value, wanted, strict=True))
        )

    def _mapping(self, value: Any, wanted: tuple[Any, ...], place: str) -> Any:
        if not isinstance(value, dict):
            raise _unfit(place, "an object")
        name_hint, value_hint = wanted or (str, Any)
        return {
            self.decode(name, name_hint, place): self.decode(part, value_hint, f"{place}.{name}")
            for name, part in value.items()
        }

    def _record(self, value: Any, hint: Any, kind: Any, place: str) -> Any:
        if issubclass(kind, tuple) and isinstance(value, list):
            value = dict(zip(kind._fields, value, strict=False))
        if not isinstance(value, dict):
            raise _unfit(place, "an object")
        known, needed = fields_of(kind)
        if self.strict and (unknown := sorted(value.keys() - known)):
            raise InvalidInputError(
                f"{place} has an unknown field {unknown[0]!r}",
                remedy=f"known are {', '.join(sorted(known))}",
            )
        if missing := sorted(needed - value.keys()):
            raise InvalidInputError(f"{place} has no {missing[0]}", remedy="give it")
        inner = Decoder(self.strict, bindings(hint))
        return kind(**{
            name: inner.decode(part, known[name], f"{place}.{name}")
            for name, part in value.items()
            if name in known
        })  # fmt: skip


def fields_of(kind: Any) -> tuple[Mapping[str, Any], frozenset[str]]:
    """Return the types of a record's fields by name, and the names of those without a default."""
    hints = hints_of(kind)
    if is_dataclass(kind):
        known = {each.name: hints[each.name] for each in fields(kind)}
        free = [
            each.name
            for each in fields(kind)
            if not (each.default is MISSING and each.default_factory is MISSING)
        ]
        return known, frozenset(known) - set(free)
    names: Iterable[str] = kind._fields
    return {name: hints[name] for name in names}, frozenset(names)


def bindings(hint: Any) -> Mapping[Any, Any]:
    """Return the types that stand for type variables in a record such as `Page[Fact]`."""
    kind = get_origin(hint) or hint
    found = dict(zip(getattr(kind, "__parameters__", ()), get_args(hint), strict=False))
    for base in getattr(kind, "__orig_bases__", ()):
        of_base = get_origin(base)
        if is_dataclass(of_base):
            given = [found.get(each, each) for each in get_args(base)]
            found |= dict(zip(getattr(of_base, "__parameters__", ()), given, strict=False))
    return {name: each for name, each in found.items() if not isinstance(each, TypeVar)}


def duration_of(text: str) -> timedelta | None:
    """Return the duration that a text writes; None if it is another text."""
    written = _DURATION.fullmatch(text)
    if written is None:
        return None
    sign, seconds, rest = written.groups()
    found = timedelta(seconds=int(seconds), microseconds=int((rest or "").ljust(6, "0")))
    return -found if sign else found


def _plain(value: Any, hint: Any, place: str) -> Any:
    check, wanted = _PLAIN[hint]
    found = check(value)
    if found is None and hint is not type(None):
        raise _unfit(place, wanted)
    return found


def _member(value: Any, kind: type[Enum], place: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        options = ", ".join(str(each.value) for each in kind)
        raise InvalidInputError(
            f"{place} is not one of its options", remedy=f"use one of {options}"
        ) from None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: Any) -> int | None:
    is_int = isinstance(value, int) and not isinstance(value, bool)
    return value if is_int and -_LARGEST <= value <= _LARGEST else None


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not -_LARGEST <= value <= _LARGEST:
        return None
    return value if math.isfinite(value) else None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _time(value: Any) -> datetime | None:
    if not isinstance(value, str):
        return None
    with suppress(ValueError):
        found = datetime.fromisoformat(value)
        return found if found.tzinfo is not None else None
    return None


def _day(value: Any) -> date | None:
    if not isinstance(value, str):
        return None
    with suppress(ValueError):
        return date.fromisoformat(value)
    return None


def _span(value: Any) -> timedelta | None:
    return duration_of(value) if isinstance(value, str) else None


def _decimal(value: Any) -> Decimal | None:
    if not isinstance(value, str):
        return None
    with suppress(InvalidOperation):
        found = Decimal(value)
        return found if found.is_finite() else None
    return None


_PLAIN: Mapping[Any, tuple[Callable[[Any], Any], str]] = {
    str: (_text, "a text"),
    bool: (_boolean, "true or false"),
    int: (_whole, "a whole number of 64 bits"),
    float: (_number, "a number"),
    datetime: (_time, "a time with its zone, such as 2026-12-01T09:30:00Z"),
    date: (_day, "a date, such as 2026-12-01"),
    timedelta: (_span, "a duration, such as PT90S"),
    Decimal: (_decimal, "a decimal number as a text"),
    type(None): (lambda value: None if value is None else _never(), "null"),
}


def _never() -> None:
    raise InvalidInputError("not null")


def _shown(hint: Any) -> str:
    origin = get_origin(hint) or hint
    if hint in _PLAIN:
        return _PLAIN[hint][1]
    if origin in _LISTS or origin is tuple:
        return "a list"
    if isinstance(origin, type) and issubclass(origin, Enum):
        return f"one of {', '.join(str(each.value) for each in origin)}"
    return "an object"


def _unfit(place: str, wanted: str) -> InvalidInputError:
    return InvalidInputError(f"{place} does not fit", remedy=f"give {wanted}")

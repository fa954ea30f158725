"""JSON values as arguments and results, by their types.

A function is made once for each type. Arguments are read strictly: an unknown field is refused.
Answers may have more fields than this version knows.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cache
from os import PathLike
from typing import Any, TypeAlias, TypeVar, Union, get_args, get_origin

from erstwhile.core.errors import InvalidInputError
from erstwhile.wire.hints import hints_of

Decode: TypeAlias = Callable[[Any], Any]

_DURATION = re.compile(r"(-)?PT(\d{1,12})(?:\.(\d{1,6}))?S")
_LARGEST = 2**63 - 1
"""Both engines store whole numbers of 64 bits."""
LISTS = (Sequence, Iterable, list)
UNSENT = (PathLike, Callable, bytes)
"""Types that have no form in JSON."""
UNIONS = (Union, types.UnionType)


def decoded(value: Any, hint: Any, place: str, *, strict: bool) -> Any:
    """Return a value of a type. Raise InvalidInputError if it does not fit."""
    try:
        return _decoder(hint, strict)(value)
    except _MisfitError as misfit:
        where = "".join((place, *reversed(misfit.path)))
        raise InvalidInputError(f"{where} does not fit", remedy=f"give {misfit.wanted}") from None


class _MisfitError(Exception):
    """A value that does not fit its type: where it is, and what would fit."""

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self.wanted = wanted
        self.path: list[str] = []


@cache
def _decoder(hint: Any, strict: bool) -> Decode:
    """Return the function that decodes a type."""
    origin, parts = get_origin(hint) or hint, get_args(hint)
    if hint is Any:
        return lambda value: value
    if origin in UNSENT:
        return _plain(lambda _value: None, "nothing: it cannot be sent")
    if origin in UNIONS:
        return _one_of(parts, strict)
    if hint in _PLAIN:
        return _plain(*_PLAIN[hint])
    if origin is tuple and parts[-1] is not Ellipsis:
        return _fixed([_decoder(each, strict) for each in parts])
    if origin in LISTS or origin is tuple:
        return _several(_decoder(parts[0], strict), tuple if origin is tuple else list)
    if origin is Mapping or origin is dict:
        names, values = parts or (str, Any)
        return _mapping(_decoder(names, strict), _decoder(values, strict))
    if issubclass(origin, Enum):
        return _member(origin)
    return _record(hint, origin, strict)


def _one_of(hints: tuple[Any, ...], strict: bool) -> Decode:
    possible = [each for each in hints if (get_origin(each) or each) not in UNSENT]
    possible.sort(key=lambda each: each is str)  # any text is a text
    ways = [_decoder(each, True) for each in possible]
    if not strict:
        ways += [_decoder(each, False) for each in possible]
    wanted = " or ".join(dict.fromkeys(shown(each) for each in possible))
    nullable = type(None) in hints

    def decode(value: Any) -> Any:
        if value is None and nullable:
            return None
        for way in ways:
            with suppress(_MisfitError):
                return way(value)
        raise _MisfitError(wanted)

    return decode


def _plain(check: Decode, wanted: str) -> Decode:
    def decode(value: Any) -> Any:
        found = check(value)
        if found is None and (value is not None or wanted != "null"):
            raise _MisfitError(wanted)
        return found

    return decode


def _fixed(each: list[Decode]) -> Decode:
    def decode(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(each):
            raise _MisfitError(f"a list of {len(each)}")
        return tuple(way(part) for way, part in zip(each, value, strict=True))

    return decode


def _several(each: Decode, kind: type) -> Decode:
    def decode(value: Any) -> Any:
        if not isinstance(value, list):
            raise _MisfitError("a list")
        return kind([_inside(each, part, f"[{n}]") for n, part in enumerate(value)])

    return decode


def _mapping(names: Decode, values: Decode) -> Decode:
    def decode(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _MisfitError("an object")
        return {names(name): _inside(values, part, f".{name}") for name, part in value.items()}

    return decode


def _member(kind: type[Enum]) -> Decode:
    members = {each.value: each for each in kind}
    wanted = shown(kind)

    def decode(value: Any) -> Any:
        if not isinstance(value, str | int) or value not in members:
            raise _MisfitError(wanted)
        return members[value]

    return decode


def _record(hint: Any, kind: Any, strict: bool) -> Decode:
    known, needed = fields_of(hint)
    ways: dict[str, Decode] = {}

    def decode(value: Any) -> Any:
        if not ways:  # made with the first value: a record may hold records of its own type
            ways.update({name: _decoder(each, strict) for name, each in known.items()})
        if issubclass(kind, tuple) and isinstance(value, list) and len(value) == len(known):
            value = dict(zip(known, value, strict=True))
        if not isinstance(value, dict):
            raise _MisfitError("an object")
        if strict and not value.keys() <= known.keys():
            raise _MisfitError(f"no other fields than {', '.join(known)}")
        if not needed <= value.keys():
            raise _MisfitError(f"an object with {', '.join(sorted(needed))}")
        given = [(name, part) for name, part in value.items() if name in known]
        return kind(**{name: _inside(ways[name], part, f".{name}") for name, part in given})

    return decode


def _inside(decode: Decode, value: Any, place: str) -> Any:
    try:
        return decode(value)
    except _MisfitError as misfit:
        misfit.path.append(place)
        raise


def fields_of(hint: Any) -> tuple[Mapping[str, Any], frozenset[str]]:
    """Return the types of a record's fields by name, and the names of those without a default."""
    kind = get_origin(hint) or hint
    hints, bound = hints_of(kind), _bindings(hint)
    names = [each.name for each in fields(kind)] if is_dataclass(kind) else kind._fields
    known = {name: _bind(hints[name], bound) for name in names}
    if not is_dataclass(kind):
        return known, frozenset(known)
    free = {
        each.name
        for each in fields(kind)
        if each.default is not MISSING or each.default_factory is not MISSING
    }
    return known, frozenset(known) - free


def _bind(hint: Any, bound: Mapping[Any, Any]) -> Any:
    """Return a type with the types that stand for its type variables."""
    if isinstance(hint, TypeVar):
        return bound[hint]
    variables = getattr(hint, "__parameters__", ())
    return hint[tuple(bound[each] for each in variables)] if variables else hint


def _bindings(hint: Any) -> Mapping[Any, Any]:
    """Return the types that stand for type variables in a record such as `Page[Fact]`."""
    kind = get_origin(hint) or hint
    found = dict(zip(getattr(kind, "__parameters__", ()), get_args(hint), strict=False))
    for base in getattr(kind, "__orig_bases__", ()):
        of_base = get_origin(base)
        if is_dataclass(of_base):
            given = [found.get(each, each) for each in get_args(base)]
            found |= dict(zip(getattr(of_base, "__parameters__", ()), given, strict=False))
    return found


def shown(hint: Any) -> str:
    """Return a type in words."""
    origin = get_origin(hint) or hint
    if hint in _PLAIN:
        return _PLAIN[hint][1]
    if origin in LISTS or origin is tuple:
        return "a list"
    if isinstance(origin, type) and issubclass(origin, Enum):
        return f"one of {', '.join(str(each.value) for each in origin)}"
    return "an object"


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: Any) -> int | None:
    is_int = isinstance(value, int) and not isinstance(value, bool)
    return value if is_int and -_LARGEST <= value <= _LARGEST else None


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and -_LARGEST <= value <= _LARGEST and math.isfinite(value) else None


def _boolean(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _time(value: Any) -> datetime | None:
    with suppress(ValueError, TypeError):
        found = datetime.fromisoformat(value)
        return found if found.tzinfo is not None else None
    return None


def _day(value: Any) -> date | None:
    with suppress(ValueError, TypeError):
        return date.fromisoformat(value)
    return None


def _duration(value: Any) -> timedelta | None:
    written = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if written is None:
        return None
    sign, seconds, rest = written.groups()
    found = timedelta(seconds=int(seconds), microseconds=int((rest or "").ljust(6, "0")))
    return -found if sign else found


def _decimal(value: Any) -> Decimal | None:
    if not isinstance(value, str):
        return None
    with suppress(InvalidOperation):
        found = Decimal(value)
        return found if found.is_finite() else None
    return None


_PLAIN: Mapping[Any, tuple[Decode, str]] = {
    str: (_text, "a text"),
    bool: (_boolean, "true or false"),
    int: (_whole, "a whole number of 64 bits"),
    float: (_number, "a number"),
    datetime: (_time, "a time with its zone, such as 2026-12-01T09:30:00Z"),
    date: (_day, "a date, such as 2026-12-01"),
    timedelta: (_duration, "a duration, such as PT90S"),
    Decimal: (_decimal, "a decimal number as a text"),
    type(None): (lambda _value: None, "null"),
}

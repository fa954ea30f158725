"""Encode Python values as JSON values, and decode JSON values by type hints.

A decoder is built once for each type. Arguments are decoded strictly: unknown fields are rejected.
Results may have more fields than this version knows.
"""

from __future__ import annotations

import builtins
import json
import math
import re
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import cache
from importlib import import_module
from os import PathLike
from threading import Event
from typing import Any, TypeAlias, TypeVar, Union, get_args, get_origin, get_type_hints

import erstwhile
from erstwhile import types as public_types
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.json_values import SINGLE, FrozenDict, single_value
from erstwhile.core.public_record import derived_names
from erstwhile.facts.draft import Draft

Decoder: TypeAlias = Callable[[Any], Any]
LISTS = (Sequence, Iterable, list)
NOT_JSON = (PathLike, Callable, bytes)
"""Types without a JSON form."""
UNIONS = (Union, types.UnionType)
_DURATION = re.compile(r"(-)?PT(\d{1,12})(?:\.(\d{1,6}))?S")
_MAX_NUMBER = 2**63 - 1
"""Both engines store whole numbers of 64 bits."""
_HOMES = {
    "ContextOptions": "context.model",
    "EditOptions": "blocks.table",
    "RetentionLimits": "core.policies",
    "Dimensions": "core.scope",
    "Details": "facts.draft",
    "ValueDetails": "facts.draft",
    "Filters": "facts.queries",
    "ContentFilters": "facts.queries",
    "DecisionFilters": "decisions.decision",
    "TaskDetails": "tasks.draft",
    "TaskChanges": "tasks.draft",
    "Moment": "core.time",
    "Tokens": "core.ports",
}
"""Modules of parameter types without a public name."""


def encode_argument(value: Any) -> Any:
    """Return an argument as a JSON value, without the properties of records.

    A named tuple is a list, as callers may write it. Results are converted by `to_json`.
    """
    match value:
        case Draft():  # the server computes the fingerprint again
            given = {name: each for name, each in value._asdict().items() if name != "fingerprint"}
            return encode_argument(given)
        case float() if not math.isfinite(value):
            raise InvalidInputError(f"{value!r} is not a number", remedy="give a finite number")
        case PathLike() | bytes() | bytearray():
            raise InvalidInputError(
                f"a {type(value).__name__} cannot be sent to a server", remedy="give a text"
            )
        case _:
            return _encode(value)


def json_bytes(value: Any) -> bytes:
    """Serialize a JSON value. Characters beyond ASCII are escaped."""
    return json.dumps(value, separators=(",", ":"), allow_nan=False).encode("ascii")


def _encode(value: Any) -> Any:
    if isinstance(value, SINGLE):
        return single_value(value)
    if isinstance(value, Mapping):
        if wrong := [name for name in value if not isinstance(name, str)]:
            raise InvalidInputError(
                f"{wrong[0]!r} cannot be the name of a field", remedy="give names that are texts"
            )
        return {single_value(name): encode_argument(part) for name, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: encode_argument(getattr(value, each.name)) for each in fields(value)}
    if hasattr(value, "model_dump"):  # a message of a vendor's package
        return encode_argument(value.model_dump(exclude_none=True))
    if isinstance(value, Iterable):
        return [encode_argument(part) for part in value]
    raise InvalidInputError(
        f"a {type(value).__name__} cannot be sent to a server", remedy="give values of JSON"
    )


def decode(value: Any, hint: Any, place: str, *, strict: bool) -> Any:
    """Convert a JSON value to a type. Raise InvalidInputError if it does not fit."""
    try:
        return _decoder(hint, strict)(value)
    except _MismatchError as error:
        path = "".join((place, *reversed(error.path)))
        raise InvalidInputError(f"{path} does not fit", remedy=f"give {error.expected}") from None


class _MismatchError(Exception):
    """A value of another type: its path, innermost part first, and the expected type."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected
        self.path: list[str] = []


@cache
def _decoder(hint: Any, strict: bool) -> Decoder:
    """Return the function that decodes a type."""
    origin, parts = get_origin(hint) or hint, get_args(hint)
    if hint is Any:
        return lambda value: value
    if origin in UNIONS or origin in NOT_JSON:
        return _union_decoder(parts if origin in UNIONS else (), strict)
    if hint in _SCALARS:
        return _scalar_decoder(*_SCALARS[hint])
    if origin is tuple and parts[-1] is not Ellipsis:
        return _tuple_decoder([_decoder(each, strict) for each in parts])
    if origin in LISTS or origin is tuple:
        return _list_decoder(_decoder(parts[0], strict), tuple if origin is tuple else list)
    if origin is Mapping or origin is dict:
        keys, values = (_decoder(each, strict) for each in parts or (str, Any))
        return _mapping_decoder(keys, values, dict if origin is dict else FrozenDict)
    if issubclass(origin, Enum):
        members = {each.value: each for each in origin}
        return _scalar_decoder(members.__getitem__, _description(origin))
    return _record_decoder(hint, origin, strict)


def _scalar_decoder(convert: Decoder, expected: str) -> Decoder:
    def decode_scalar(value: Any) -> Any:
        try:
            return convert(value)
        except (ValueError, TypeError, LookupError, ArithmeticError):
            raise _MismatchError(expected) from None

    return decode_scalar


def _union_decoder(hints: tuple[Any, ...], strict: bool) -> Decoder:
    possible = [each for each in hints if (get_origin(each) or each) not in NOT_JSON]
    possible.sort(key=lambda each: each is str)  # last: any text is a str
    decoders = [_decoder(each, True) for each in possible]
    if not strict:
        decoders += [_decoder(each, False) for each in possible]
    expected = " or ".join(dict.fromkeys(map(_description, possible)))

    def decode_union(value: Any) -> Any:
        if value is None and type(None) in hints:
            return None
        for decoder in decoders:
            with suppress(_MismatchError):
                return decoder(value)
        raise _MismatchError(expected or "nothing: it cannot be sent")

    return decode_union


def _tuple_decoder(decoders: list[Decoder]) -> Decoder:
    def decode_tuple(value: Any) -> Any:
        if not isinstance(value, list) or len(value) != len(decoders):
            raise _MismatchError(f"a list of {len(decoders)}")
        return tuple(decoder(part) for decoder, part in zip(decoders, value, strict=True))

    return decode_tuple


def _list_decoder(decoder: Decoder, kind: type) -> Decoder:
    def decode_list(value: Any) -> Any:
        if not isinstance(value, list):
            raise _MismatchError("a list")
        return kind([_decode_part(decoder, part, f"[{n}]") for n, part in enumerate(value)])

    return decode_list


def _mapping_decoder(keys: Decoder, values: Decoder, kind: type[dict[Any, Any]]) -> Decoder:
    def decode_mapping(value: Any) -> Any:
        if not isinstance(value, dict):
            raise _MismatchError("an object")
        found = value.items()
        return kind((keys(name), _decode_part(values, part, f".{name}")) for name, part in found)

    return decode_mapping


def _record_decoder(hint: Any, kind: Any, strict: bool) -> Decoder:
    known, required = fields_of(hint)
    derived = frozenset(derived_names(kind))  # a record may be sent as it was read

    def decode_record(value: Any) -> Any:
        if issubclass(kind, tuple) and isinstance(value, list) and len(value) == len(known):
            value = dict(zip(known, value, strict=True))
        if not isinstance(value, dict):
            raise _MismatchError("an object")
        if strict and not value.keys() <= known.keys() | derived:
            raise _MismatchError(f"no other fields than {', '.join(known)}")
        if not required <= value.keys():
            raise _MismatchError(f"an object with {', '.join(sorted(required))}")
        given = {
            name: _decode_part(_decoder(known[name], strict), part, f".{name}")
            for name, part in value.items()
            if name in known
        }
        return kind(**given)

    return decode_record


def _decode_part(decoder: Decoder, value: Any, place: str) -> Any:
    try:
        return decoder(value)
    except _MismatchError as error:
        error.path.append(place)
        raise


@cache
def fields_of(hint: Any) -> tuple[Mapping[str, Any], frozenset[str]]:
    """Return the types of a record's fields by name, and the names of the required ones."""
    kind = get_origin(hint) or hint
    hints, bound = hints_of(kind), _type_arguments(hint)
    if not is_dataclass(kind):
        known = {name: _bind(hints[name], bound) for name in kind._fields}
        return known, frozenset(known)
    known = {each.name: _bind(hints[each.name], bound) for each in fields(kind)}
    required = {
        each.name
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING
    }
    return known, frozenset(required)


def derived_of(kind: type) -> Mapping[str, Any]:
    """Return the types of the properties that the JSON form of a record has, by name."""
    return {name: hints_of(getattr(kind, name).fget)["return"] for name in derived_names(kind)}


def _bind(hint: Any, bound: Mapping[Any, Any]) -> Any:
    """Replace the type variables of a type."""
    if isinstance(hint, TypeVar):
        return bound[hint]
    variables = getattr(hint, "__parameters__", ())
    return hint[tuple(bound[each] for each in variables)] if variables else hint


def _type_arguments(hint: Any) -> Mapping[Any, Any]:
    """Return the values of the type variables of a record such as `Page[Fact]`."""
    kind = get_origin(hint) or hint
    found = dict(zip(getattr(kind, "__parameters__", ()), get_args(hint), strict=False))
    for base in getattr(kind, "__orig_bases__", ()):
        if is_dataclass(get_origin(base)):
            given = [found.get(each, each) for each in get_args(base)]
            variables = getattr(get_origin(base), "__parameters__", ())
            found |= dict(zip(variables, given, strict=False))
    return found


def _description(hint: Any) -> str:
    origin = get_origin(hint) or hint
    if hint in _SCALARS:
        return _SCALARS[hint][1]
    if origin in LISTS or origin is tuple:
        return "a list"
    if isinstance(origin, type) and issubclass(origin, Enum):
        return f"one of {', '.join(str(each.value) for each in origin)}"
    return "an object"


def _of_type(*kinds: type) -> Decoder:
    def check(value: Any) -> Any:
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise TypeError
        if isinstance(value, int | float) and not -_MAX_NUMBER <= value <= _MAX_NUMBER:
            raise ValueError
        return value

    return check


def _datetime(value: Any) -> datetime:
    found = datetime.fromisoformat(value)
    if found.tzinfo is None:
        raise ValueError
    return found


def _timedelta(value: Any) -> timedelta:
    written = _DURATION.fullmatch(value)
    if written is None:
        raise ValueError
    sign, seconds, rest = written.groups()
    found = timedelta(seconds=int(seconds), microseconds=int((rest or "").ljust(6, "0")))
    return -found if sign else found


def _decimal(value: Any) -> Decimal:
    found = Decimal(value) if isinstance(value, str) else None
    if found is None or not found.is_finite():
        raise ValueError
    return found


_SCALARS: Mapping[Any, tuple[Decoder, str]] = {
    str: (_of_type(str), "a text"),
    bool: (_of_type(bool), "true or false"),
    int: (_of_type(int), "a whole number of 64 bits"),
    float: (_of_type(int, float), "a number"),
    datetime: (_datetime, "a time with its zone, such as 2026-12-01T09:30:00Z"),
    date: (date.fromisoformat, "a date, such as 2026-12-01"),
    timedelta: (_timedelta, "a duration, such as PT90S"),
    Decimal: (_decimal, "a decimal number as a text"),
    type(None): (_of_type(type(None)), "null"),
}


class _Names(dict[str, Any]):
    """Namespace of annotations. Names that only type checkers import are loaded on demand."""

    def __missing__(self, name: str) -> Any:
        if name in _HOMES:
            return getattr(import_module(f"erstwhile.{_HOMES[name]}"), name)
        for module in (public_types, erstwhile):
            if name in module.__all__ and not name.islower():
                return getattr(module, name)
        raise KeyError(name)


_NAMES = _Names(
    Any=Any, Callable=Callable, Decimal=Decimal, Event=Event, Iterable=Iterable, Mapping=Mapping,
    PathLike=PathLike, Sequence=Sequence, builtins=builtins, date=date, datetime=datetime,
    timedelta=timedelta,
)  # fmt: skip


@cache
def hints_of(described: Any) -> Mapping[str, Any]:
    """Return the types of a function's parameters and result, or of a class's fields, by name."""
    return get_type_hints(described, localns=_NAMES)

"""The lines of an export: JSON objects that `export.schema.json` describes.

The schema is the one description of the format. It says which columns of each table are exported,
in which order, and how a value is written: a time as text in UTC, bytes as hexadecimal digits, a
flag as true or false, stored JSON as JSON. Reading a line checks it against the same schema.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from erstwhile.core.errors import InvalidInputError
from erstwhile.core.scope import DIMENSIONS, Scope, dimensions_of
from erstwhile.core.time import from_micros, to_micros
from erstwhile.storage.columns import encode

SCHEMA = Path(__file__).parent / "export.schema.json"
LINKS = "links"
NAME, VERSION = "erstwhile-export", 1
HEADER, END = "header", "end"
_TABLE, _SCOPE = "table", "scope"
_MAX = 2**63
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
_HEX = re.compile(r"(?:[0-9a-f]{2})*")


class RefusedLineError(Exception):
    """Raised for an invalid line. It never leaves this package."""


class _Form(NamedTuple):
    """Writer and checking reader of one kind of value."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


class LineColumn(NamedTuple):
    """A column: its name, whether it may be null, its form, and its only values, if it has few."""

    name: str
    nullable: bool
    form: _Form
    values: tuple[str, ...]

    def read(self, value: Any) -> Any:
        """Return the value in its stored form; raise RefusedLineError if it does not fit."""
        if value is None and self.nullable:
            return None
        if self.values and value not in self.values:
            raise RefusedLineError(f"{self.name} is none of {', '.join(self.values)}")
        try:
            return self.form.read(value)
        except (ValueError, TypeError, OverflowError):
            raise RefusedLineError(f"{self.name} has the wrong form") from None


class LineFormat:
    """The lines of one table."""

    def __init__(self, table: str, properties: Mapping[str, Any]) -> None:
        self.table = table
        self.scoped = _SCOPE in properties
        self.columns = tuple(
            _column(name, described)
            for name, described in properties.items()
            if name not in (_TABLE, _SCOPE)
        )
        self._names = frozenset(properties)

    def line(self, values: Iterable[Any], scope: Scope) -> str:
        fields: dict[str, Any] = {_TABLE: self.table}
        if self.scoped:
            fields[_SCOPE] = dimensions_of(scope)
        for column, value in zip(self.columns, values, strict=True):
            fields[column.name] = None if value is None else column.form.write(value)
        return encode(fields)

    def values(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the columns of a line in their stored form; raise RefusedLineError if invalid."""
        if missing := self._names - fields.keys():
            raise RefusedLineError(f"{min(missing)} is missing")
        if surplus := fields.keys() - self._names:
            raise RefusedLineError(f"{min(surplus)!r} is not known in {self.table}"[:100])
        return {column.name: column.read(fields[column.name]) for column in self.columns}


class LinesDigest:
    """The digest of lines in their order: no audit chain covers every value of an export."""

    def __init__(self, *lines: str) -> None:
        self._hash = hashlib.sha256()
        for line in lines:
            self.add(line)

    def add(self, line: str) -> None:
        self._hash.update(f"{line}\n".encode("utf-8", "surrogatepass"))

    def text(self) -> str:
        return self._hash.hexdigest()


def parsed(line: bytes) -> dict[str, Any]:
    """Return the object of a line; raise RefusedLineError if it is none."""
    try:
        fields = json.loads(line.decode("utf-8"), parse_constant=_value_of())
    except UnicodeDecodeError:
        raise RefusedLineError("it is not a text in UTF-8") from None
    except (TypeError, ValueError, RecursionError):
        raise RefusedLineError("it is not JSON") from None
    if not isinstance(fields, dict) or not isinstance(fields.get(_TABLE), str):
        raise RefusedLineError("it is not an object with a table")
    return fields


def counted_lines(fields: Mapping[str, Any]) -> dict[str, int] | None:
    """Return the line counts of a header or of the end of a scope, if present."""
    lines = fields.get("lines")
    if isinstance(lines, dict) and all(type(n) is int and n >= 0 for n in lines.values()):
        return lines
    return None


def scope_of(fields: Mapping[str, Any]) -> Scope:
    given = fields.get(_SCOPE)
    if not isinstance(given, dict) or not given.keys() <= set(DIMENSIONS):
        raise RefusedLineError("its scope has the wrong form")
    if not all(isinstance(value, str) and value for value in given.values()):
        raise RefusedLineError("its scope has the wrong form")
    try:
        return Scope(**given)
    except InvalidInputError as error:
        raise RefusedLineError(error.message) from None


def time_text(micros: int) -> str:
    return from_micros(micros).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


@cache
def formats() -> Mapping[str, LineFormat]:
    """Return the format of each table, in the order of the file."""
    described = json.loads(SCHEMA.read_text("utf-8"))
    tables = [name for name in described["properties"][_TABLE]["enum"] if name not in (HEADER, END)]
    return {name: LineFormat(name, described["$defs"][name]["properties"]) for name in tables}


def _column(name: str, described: Mapping[str, Any]) -> LineColumn:
    choices = described.get("anyOf", [described])
    refers = choices[0].get("$ref", "").rpartition("/")[2]
    types = described.get("type", refers or "string")
    values = described.get("enum", ())
    nullable = len(choices) > 1 or isinstance(types, list) or None in values
    kind = types[0] if isinstance(types, list) else types
    return LineColumn(name, nullable, _FORMS[kind], tuple(each for each in values if each))


def _matching(form: re.Pattern[str], text: str) -> str:
    if not form.fullmatch(text):
        raise ValueError(text)
    return text


def _value_of(
    *kinds: type, valid: Callable[[Any], object] = lambda _value: True
) -> Callable[[Any], Any]:
    """Return a function that returns valid values of these types, and raises for others."""

    def checked(value: Any) -> Any:
        if type(value) not in kinds or not valid(value):
            raise ValueError(value)
        return value

    return checked


# A half of a surrogate pair is no text: encoding it raises ValueError.
_text = _value_of(str, valid=lambda text: b"\0" not in text.encode())


def _json_read(kind: type) -> Callable[[Any], str]:
    return lambda value: str(_text(encode(_value_of(kind)(value))))


_FORMS: Mapping[str, _Form] = {
    "time": _Form(
        time_text, lambda text: to_micros(datetime.fromisoformat(_matching(_TIME, text)))
    ),
    "bytes": _Form(
        lambda value: bytes(value).hex(), lambda text: bytes.fromhex(_matching(_HEX, text))
    ),
    "boolean": _Form(bool, lambda value: int(_value_of(bool)(value))),
    "string": _Form(_value_of(str), _text),
    "integer": _Form(_value_of(int), _value_of(int, valid=lambda n: -_MAX <= n < _MAX)),
    "number": _Form(float, lambda value: float(_value_of(int, float, valid=isfinite)(value))),
    "array": _Form(json.loads, _json_read(list)),
    "object": _Form(json.loads, _json_read(dict)),
}

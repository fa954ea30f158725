"""Find rows that SQLite cannot reach in a damaged file, and tell to which table they belong.

Nothing on a page names its table. A row belongs to a table if it has the number, the types and the
forms of its columns, and if no other damaged table fits as well.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import apsw

from erstwhile.core.ids import HIGHEST
from erstwhile.engines.sqlite.engine import SPACE
from erstwhile.engines.sqlite.raw_pages import RawPages, RawRow

_ID = re.compile(rf"[0-9a-f-]{{{len(HIGHEST)}}}")
_IDS = {"id", "fact", "entity", "older", "newer", "record", "task", "conversation"}
"""The columns that hold the id of a record wherever they are text that must be there."""
_LIKE_INDEXES = {"entities", "onboarding"}
"""The tables whose rows look like entries of indexes."""
_ROOTS = "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0"
_COLUMNS = 'SELECT name, type, "notnull", pk FROM pragma_table_info(?)'
_TYPES = {"TEXT": str, "INTEGER": int, "BLOB": bytes}


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    type: str
    required: bool

    def fits(self, value: object) -> bool:
        if value is None:
            return not self.required
        if self.type == "REAL":
            return isinstance(value, float | int)
        if not isinstance(value, _TYPES[self.type]):
            return False
        return not isinstance(value, str) or self._has_form(value)

    def _has_form(self, text: str) -> bool:
        if self.name == "space":
            return text == SPACE
        return not self.is_id or bool(_ID.fullmatch(text))

    @property
    def is_id(self) -> bool:
        return self.required and self.type == "TEXT" and self.name in _IDS


@dataclass(frozen=True, slots=True)
class TableShape:
    """The columns of a table, in the order in which a row stores them."""

    name: str
    stored: tuple[_Column, ...]
    numbered: bool
    """Whether rows have numbers of their own."""
    alias: str | None
    """The column that is the number of the row, and is not stored."""

    @property
    def distinct(self) -> int:
        """How many columns tell it from tables with the same types."""
        return sum(column.is_id for column in self.stored)

    def row(self, found: RawRow) -> dict[str, Any] | None:
        """Return the values of a row by column, or None if it belongs to another table."""
        if len(found.values) != len(self.stored) or (found.number is not None) != self.numbered:
            return None
        named = {
            column.name: found.number if column.name == self.alias and value is None else value
            for column, value in zip(self.stored, found.values, strict=True)
        }
        return named if self.fits(named) else None

    def fits(self, row: Mapping[str, Any]) -> bool:
        """Return whether the values of a row, by column, have the right types and forms."""
        return all(column.fits(row[column.name]) for column in self.stored)


@dataclass(frozen=True, slots=True)
class OrphanRow:
    """The values of a row by column, and its number if the table numbers its rows."""

    values: dict[str, Any]
    number: int | None


def shape_of(connection: apsw.Connection, name: str) -> TableShape:
    """Return the shape of a table. One without row numbers stores its key first."""
    listed = [
        (_Column(str(column), str(kind), bool(required)), int(str(place)))
        for column, kind, required, place in connection.execute(_COLUMNS, (name,))
    ]
    [(without,)] = connection.execute(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", (name,)
    )
    keys = [column for column, place in sorted(listed, key=lambda each: each[1]) if place]
    rest = [column for column, place in listed if not place]
    single = keys[0].name if len(keys) == 1 and keys[0].type == "INTEGER" else None
    stored = (*keys, *rest) if without else tuple(column for column, _ in listed)
    return TableShape(name, stored, not without, None if without else single)


class OrphanRows:
    """The rows of damaged tables: on their own pages, and on those that nothing reaches."""

    def __init__(
        self, connection: apsw.Connection, pages: RawPages, shapes: Iterable[TableShape]
    ) -> None:
        self._pages = pages
        self._shapes = {shape.name: shape for shape in shapes}
        self._owners = {
            page: str(name)
            for name, root in (("sqlite_schema", 1), *connection.execute(_ROOTS))
            for page in pages.tree(int(str(root)))
        }
        self._places: dict[str, list[int]] = defaultdict(list)
        for number in range(2, pages.count + 1):
            for name in self._tables(number):
                self._places[name].append(number)

    def of(self, name: str) -> Iterator[OrphanRow]:
        """Yield the rows that belong to a table."""
        for number in self._places[name]:
            for found in self._pages.rows(number):
                fitting = self._fitting(number, found)
                if len(fitting) == 1 and fitting[0][0].name == name:
                    yield OrphanRow(fitting[0][1], found.number)

    def _tables(self, number: int) -> set[str]:
        """Return the damaged tables to which rows of a page may belong."""
        owner = self._owners.get(number)
        if owner is not None:
            return {owner} & self._shapes.keys()
        rows = self._pages.rows(number)
        return {shape.name for row in rows for shape, _ in self._fitting(number, row)}

    def _fitting(self, number: int, found: RawRow) -> list[tuple[TableShape, dict[str, Any]]]:
        """Return the tables that fit best. A page that a table reaches is its own."""
        owner = self._owners.get(number)
        names = self._shapes.keys() - _LIKE_INDEXES if owner is None else [owner]
        shapes = [self._shapes[name] for name in names]
        fitting = [(shape, row) for shape in shapes if (row := shape.row(found)) is not None]
        best = max((shape.distinct for shape, _ in fitting), default=0)
        return [each for each in fitting if each[0].distinct == best]

"""Salvage a damaged file: copy all rows that can be read into a new file.

The damaged file is only read: its bytes are copied first, and the copy is opened. Rows that refer
to a row that was lost are left out, because nothing could find them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from erstwhile.copying.tables import TABLES
from erstwhile.copying.unvouched_file import mark_unvouched
from erstwhile.core.errors import ConflictError, CorruptError
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite import folders
from erstwhile.engines.sqlite.connection import translate
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import open_alone
from erstwhile.engines.sqlite.salvage import (
    SalvagedTable,
    Values,
    described,
    keys_of,
    references,
    rows_of,
)
from erstwhile.repairing.damaged_copy import DamagedCopy, opened_copy
from erstwhile.repairing.lost_scopes import mend_scopes, names_of_scopes
from erstwhile.repairing.orphan_rows import OrphanRow, OrphanRows, shape_of
from erstwhile.secrets.masking import masked_repr

_REMEDY = "restore a backup with `erstwhile restore`"
_HOMELESS = 'DELETE FROM "{}" WHERE shelf / 4 NOT IN (SELECT id FROM scopes)'


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class SalvagedRows:
    """The rows of one table: how many were copied, were lost, or lost what they belong to."""

    table: str
    copied: int
    lost: int
    cut_off: int = 0
    uncounted: bool = False
    """Whether more may be lost than `lost` says: no index of the table is whole."""


def salvage(
    file: Path, target: Path, progress: Callable[[str], None], key: str = ""
) -> tuple[SalvagedRows, ...]:
    """Copy the readable rows of a file into a new one; return what happened to each table."""
    if target.exists():
        raise ConflictError(f"{target} exists", remedy="give the path of a new file")
    with unfinished(target) as folder:
        new = folder / "new" / target.name
        folders.make_private(new.parent)
        try:
            salvaged = _salvaged(file, folder, new, progress, key)
        except apsw.Error as error:
            raise translate(error, str(file)) from error
        if not any(each.copied for each in salvaged):
            raise CorruptError(f"nothing in {file} can be read", remedy=_REMEDY)
        new.rename(target)
    folders.sync(target.parent)
    return salvaged


def _salvaged(
    file: Path, folder: Path, new: Path, progress: Callable[[str], None], key: str
) -> tuple[SalvagedRows, ...]:
    with closing(opened_copy(file, folder, key)) as source:
        SqliteEngine(new, key=key).close()  # creates the tables
        with closing(open_alone(new, key)) as opened:
            made = tuple(_Salvage(source, opened, progress).made())
            mark_unvouched(opened)
    return made


@dataclass(slots=True)
class _Counted:
    """What happened to the rows of a table."""

    copied: int
    lost: set[Values]
    whole: bool
    """Whether all keys are known."""


@dataclass(frozen=True, slots=True)
class _Salvage:
    source: DamagedCopy
    target: apsw.Connection
    progress: Callable[[str], None]

    def made(self) -> list[SalvagedRows]:
        tables = [described(self.target, name) for name in TABLES]
        counts = {}
        for table in tables:
            self.progress(table.name)
            counts[table.name] = self._copied(table)
        damaged = [table for table in tables if _is_damaged(counts[table.name])]
        if damaged:
            self._add_orphans(damaged, counts)
            self._mend_scopes(counts["scopes"])
        cut_off = {table.name: self._cut_off(table.name) for table in tables}
        return [
            SalvagedRows(
                table=name,
                copied=counted.copied - cut_off[name],
                lost=len(counted.lost),
                cut_off=cut_off[name],
                uncounted=not counted.whole,
            )
            for name, counted in counts.items()
        ]

    def _copied(self, table: SalvagedTable) -> _Counted:
        keys, whole = keys_of(self.source.connection, table)
        counted, shape = _Counted(0, set(), whole), shape_of(self.target, table.name)
        with self.target:
            for key, row in rows_of(self.source.connection, table, keys):
                named = None if row is None else dict(zip(table.columns, row, strict=True))
                if named is not None and shape.fits(named) and self._is_stored(table, named):
                    counted.copied += 1
                else:
                    counted.lost.add(key)
        return counted

    def _add_orphans(self, tables: Sequence[SalvagedTable], counts: dict[str, _Counted]) -> None:
        """Add rows that SQLite cannot reach. Each table follows those that it refers to."""
        shapes = [shape_of(self.target, table.name) for table in tables]
        orphans = OrphanRows(self.source.connection, self.source.pages, shapes)
        for table in tables:
            counted = counts[table.name]
            with self.target:
                for row in orphans.of(table.name):
                    key = _key(table, row)
                    if (key in counted.lost or not counted.whole) and self._is_found(table, row):
                        counted.copied += 1
                        counted.lost.discard(key)

    def _is_found(self, table: SalvagedTable, row: OrphanRow) -> bool:
        return self._refers(table.name, row.values) and self._is_stored(table, row.values)

    def _mend_scopes(self, scopes: _Counted) -> None:
        names, whole = names_of_scopes(self.source.connection, self.source.pages)
        scopes.copied += mend_scopes(self.target, names, scopes.lost)
        scopes.whole |= whole

    def _refers(self, table: str, row: dict[str, Any]) -> bool:
        """Return whether all rows that a row refers to are there. Scopes are mended later."""
        for parent, pairs in references(self.target, table):
            match = " AND ".join(f'"{there}" = ?' for _, there in pairs)
            known = f'SELECT 1 FROM "{parent}" WHERE {match}'  # noqa: S608
            values = tuple(row[here] for here, _ in pairs)
            if parent != "scopes" and not self.target.execute(known, values).fetchall():
                return False
        return True

    def _is_stored(self, table: SalvagedTable, row: dict[str, Any]) -> bool:
        """Store a row, unless it is there, or a damaged page made nonsense of it."""
        marks, names = ", ".join("?" for _ in row), ", ".join(f'"{each}"' for each in row)
        adding = f'INSERT INTO "{table.name}" ({names}) VALUES ({marks})'  # noqa: S608
        try:
            self.target.execute(adding, tuple(row.values()))
        except (apsw.ConstraintError, apsw.MismatchError):
            return False
        return True

    def _cut_off(self, table: str) -> int:
        """Remove the rows that refer to a lost row. Tables that they refer to come before."""
        removed = 0
        for parent, pairs in references(self.target, table):
            match = " AND ".join(f'p."{there}" = t."{here}"' for here, there in pairs)
            known = f'SELECT 1 FROM "{parent}" AS p WHERE {match}'  # noqa: S608
            self.target.execute(f'DELETE FROM "{table}" AS t WHERE NOT EXISTS ({known})')  # noqa: S608
            removed += self.target.changes()
        if table in ("passages", "vectors"):  # their scope is in the number of their shelf
            self.target.execute(_HOMELESS.format(table))
            removed += self.target.changes()
        return removed


def _is_damaged(counted: _Counted) -> bool:
    return bool(counted.lost) or not counted.whole


def _key(table: SalvagedTable, row: OrphanRow) -> Values:
    return (
        (row.number,) if row.number is not None else tuple(row.values[each] for each in table.key)
    )

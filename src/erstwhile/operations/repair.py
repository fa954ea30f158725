"""Repair a memory: rebuild derived data, or recover a damaged file into a new one."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from erstwhile.core import folders
from erstwhile.core.errors import ConflictError, CorruptError
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.ports import Clock, Engine
from erstwhile.core.scope import to_scope
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite.connection import translated
from erstwhile.engines.sqlite.engine import SPACE, SqliteEngine
from erstwhile.engines.sqlite.pages import open_alone
from erstwhile.engines.sqlite.recovery import (
    TableShape,
    Values,
    keys_of,
    references,
    rows_of,
    shape_of,
)
from erstwhile.operations.copy import mark_untrusted, untrusted_permissions
from erstwhile.operations.damaged_file import DamagedCopy, OrphanRows, opened_copy
from erstwhile.operations.full_access import full_access
from erstwhile.operations.lease import MaintenanceLease
from erstwhile.operations.rebuild import rebuild
from erstwhile.operations.results import RecoveredRows, Repaired
from erstwhile.operations.tables import TABLES
from erstwhile.storage.audit_chain import genesis
from erstwhile.storage.audit_chain import verify as verify_trail

_ROOT = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_scopes_2'"
_ADD = """INSERT INTO scopes (space, id, scope_user, scope_agent, scope_project, scope_session,
  head_seq, head_hash, digest_key) VALUES (?, ?, ?, ?, ?, ?, 0, ?, ?)"""
_HEAD = """UPDATE scopes SET (head_seq, head_hash) = (
  SELECT seq, hash FROM audit WHERE scope = scopes.id ORDER BY seq DESC LIMIT 1)
WHERE id = ? AND EXISTS (SELECT 1 FROM audit WHERE scope = scopes.id)"""


_REMEDY = "restore a backup with `erstwhile restore`"
_WITHOUT_SCOPE = 'DELETE FROM "{}" WHERE partition / 4 NOT IN (SELECT id FROM scopes)'


def recover(
    file: Path, target: Path, progress: Callable[[str], None], key: str = ""
) -> tuple[RecoveredRows, ...]:
    """Copy the readable rows of a file into a new one; return the counts of each table."""
    if target.exists():
        raise ConflictError(f"{target} already exists", remedy="give the path of a new file")
    with unfinished(target) as folder:
        new = folder / "new" / target.name
        folders.make_private(new.parent)
        with translated(file), closing(opened_copy(file, folder, key)) as source:
            SqliteEngine(new, key=key).close()  # creates the tables
            with closing(open_alone(new, key)) as opened:
                recovered = tuple(_Recover(source, opened, progress).run())
                mark_untrusted(opened)
        if not any(each.copied for each in recovered):
            raise CorruptError(f"nothing in {file} can be read", remedy=_REMEDY)
        new.rename(target)
    folders.sync(target.parent)
    return recovered


@dataclass(slots=True)
class _Counted:
    """Counts of the rows of a table."""

    copied: int
    lost: set[Values]
    whole: bool
    """Whether all keys are known."""

    @property
    def is_damaged(self) -> bool:
        return bool(self.lost) or not self.whole


@dataclass(frozen=True, slots=True)
class _Recover:
    source: DamagedCopy
    target: apsw.Connection
    progress: Callable[[str], None]

    def run(self) -> list[RecoveredRows]:
        tables = [shape_of(self.target, name) for name in TABLES]
        counts = {}
        for table in tables:
            self.progress(table.name)
            counts[table.name] = self._copy_rows(table)
        damaged = [table for table in tables if counts[table.name].is_damaged]
        if damaged:
            self._add_orphans(damaged, counts)
            self._restore_scopes(counts["scopes"])
        cut_off = {table.name: self._cut_off(table.name) for table in tables}
        return [
            RecoveredRows(
                table=name,
                copied=counted.copied - cut_off[name],
                lost=len(counted.lost),
                cut_off=cut_off[name],
                uncounted=not counted.whole,
            )
            for name, counted in counts.items()
        ]

    def _copy_rows(self, table: TableShape) -> _Counted:
        keys, whole = keys_of(self.source.connection, table)
        counted = _Counted(0, set(), whole)
        with self.target:
            for key, row in rows_of(self.source.connection, table, keys):
                named = None if row is None else dict(zip(table.columns, row, strict=True))
                if named is not None and table.fits(named) and self._is_stored(table, named):
                    counted.copied += 1
                else:
                    counted.lost.add(key)
        return counted

    def _add_orphans(self, tables: Sequence[TableShape], counts: dict[str, _Counted]) -> None:
        """Add rows that SQLite cannot reach. Each table follows those that it refers to."""
        orphans = OrphanRows(self.source.connection, self.source.pages, tables)
        for table in tables:
            counted = counts[table.name]
            with self.target:
                for row, number in orphans.of(table.name):
                    key = tuple(row[each] for each in table.key) if number is None else (number,)
                    if (
                        (key in counted.lost or not counted.whole)
                        and self._refers(table.name, row)
                        and self._is_stored(table, row)
                    ):
                        counted.copied += 1
                        counted.lost.discard(key)

    def _restore_scopes(self, scopes: _Counted) -> None:
        """Restore lost scopes by the names in their index, or by names made up for their rows."""
        names, whole = self._names_of_scopes()
        scopes.whole |= whole
        with self.target:
            for scope, own in names.items():
                if self._is_scope_added(scope, own):
                    scopes.copied += 1
                    scopes.lost.discard((SPACE, scope))
            for table in TABLES:
                if "scopes" in (parent for parent, _ in references(self.target, table)):
                    missing = f'SELECT DISTINCT scope FROM "{table}" EXCEPT SELECT id FROM scopes'  # noqa: S608
                    for (scope,) in self.target.execute(missing).fetchall():
                        self._is_scope_added(scope, (f"recovered-{scope}", "", "", ""))
                        scopes.lost.add((SPACE, scope))

    def _names_of_scopes(self) -> tuple[dict[Any, Values], bool]:
        """Return the names of scopes by number from their index, and whether these are all.

        SQLite would look each of them up in the table.
        """
        [(root,)] = self.source.connection.execute(_ROOT).fetchall()
        pages, found = self.source.pages, {}
        for page in pages.tree(int(str(root))):
            for row in pages.rows(page):
                match row.values:
                    case (str(), str(), str(), str(), str(), int(scope)):
                        found[scope] = row.values[1:5]
        return found, pages.is_whole(int(str(root)))

    def _is_scope_added(self, scope: Any, names: Values) -> bool:
        """Add a scope with the head of its audit chain, unless its number or names are taken."""
        try:
            first = genesis(to_scope(*names))
            self.target.execute(_ADD, (SPACE, scope, *names, first, os.urandom(32)))
        except apsw.ConstraintError:
            return False
        self.target.execute(_HEAD, (scope,))
        return True

    def _refers(self, table: str, row: dict[str, Any]) -> bool:
        """Return whether all parent rows exist. Scopes are restored later."""
        for parent, pairs in references(self.target, table):
            match = " AND ".join(f'"{there}" = ?' for _, there in pairs)
            known = f'SELECT 1 FROM "{parent}" WHERE {match}'  # noqa: S608
            values = tuple(row[here] for here, _ in pairs)
            if parent != "scopes" and not self.target.execute(known, values).fetchall():
                return False
        return True

    def _is_stored(self, table: TableShape, row: dict[str, Any]) -> bool:
        """Store a row; return False if it exists already or is invalid."""
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
        if table in ("passages", "vectors"):  # their scope is in the number of their partition
            self.target.execute(_WITHOUT_SCOPE.format(table))
            removed += self.target.changes()
        return removed


def rebuilt(
    engine: Engine,
    clock: Clock,
    path: str | Path,
    tables: tuple[RecoveredRows, ...],
    progress: Callable[[str], None],
) -> Repaired:
    """Rebuild derived data, and verify the audit trail."""
    access = full_access(engine, clock, "repair")
    counts: dict[str, int] = {}
    with MaintenanceLease(access) as lease:
        for name, count in rebuild(access, lease):
            progress(name)
            counts[name] = count
    progress("audit")
    return Repaired(
        path=str(path),
        rebuilt=FrozenDict(counts),
        tables=tables,
        audit_problems=len(access.ask(verify_trail).problems),
        untrusted_permissions=untrusted_permissions(engine),
    )

"""Salvage a damaged file: copy all rows that can be read into a new file.

The damaged file is only read: its bytes are copied first, and the copy is opened. Rows that refer
to a row that was lost are left out, because nothing could find them.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from erstwhile.copying.tables import TABLES
from erstwhile.copying.unvouched_file import mark_unvouched
from erstwhile.core.errors import ConflictError, CorruptError, KeyMissingError
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite import folders
from erstwhile.engines.sqlite.encryption import unlocked
from erstwhile.engines.sqlite.engine import SPACE, SqliteEngine
from erstwhile.engines.sqlite.file_head import read_head
from erstwhile.engines.sqlite.pages import open_alone
from erstwhile.engines.sqlite.salvage import SalvagedTable, Values, described, keys_of, rows_of
from erstwhile.repairing.first_page import renew_schema
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.audit_chain import genesis, link
from erstwhile.storage.columns import to_scope

_LONGEST = 1 << 40
"""The length in bytes up to which the header of a damaged file is believed."""
_HEADS = """UPDATE scopes SET
  head_seq = (SELECT MAX(a.seq) FROM audit AS a WHERE a.scope = scopes.id),
  head_hash = (SELECT a.hash FROM audit AS a WHERE a.scope = scopes.id ORDER BY a.seq DESC LIMIT 1)
WHERE head_seq < 0 AND EXISTS (SELECT 1 FROM audit AS a WHERE a.scope = scopes.id)"""
_NAMES = """SELECT scope_user, scope_agent, scope_project, scope_session
FROM scopes INDEXED BY sqlite_autoindex_scopes_2"""
_FIRST_ENTRIES = """SELECT scope, at, actor, action, subject, digest, hash FROM audit
WHERE seq = 1 AND scope NOT IN (SELECT id FROM scopes)"""
_SOME_ENTRY = """SELECT 1 FROM audit JOIN scopes ON scopes.id = audit.scope
WHERE typeof(audit.hash) = 'blob' AND length(audit.hash) = 32 AND seq > 0 LIMIT 1"""
_SMALLEST = 1 << 16
"""The length in bytes below which a file cannot hold the tables."""
_HOMELESS = 'DELETE FROM "{}" WHERE shelf / 4 NOT IN (SELECT id FROM scopes)'
_ADD_SCOPE = """INSERT INTO scopes (space, id, scope_user, scope_agent, scope_project,
  scope_session, head_seq, head_hash, digest_key) VALUES (?, ?, ?, ?, ?, ?, -1, x'', ?)"""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class SalvagedRows:
    """The rows of one table: how many were copied, were lost, or lost what they belong to."""

    table: str
    copied: int
    lost: int
    cut_off: int = 0


def salvage(
    file: Path, target: Path, progress: Callable[[str], None], key: str = ""
) -> tuple[SalvagedRows, ...]:
    """Copy the readable rows of a file into a new one; return what happened to each table."""
    if target.exists():
        raise ConflictError(f"{target} exists", remedy="give the path of a new file")
    with unfinished(target) as folder:
        new = folder / "new" / target.name
        folders.make_private(new.parent)
        with closing(_opened_copy(file, folder, key)) as source:
            SqliteEngine(new, key=key).close()  # creates the tables
            with closing(open_alone(new, key)) as opened:
                salvaged = tuple(_Salvage(source, opened, progress).made())
                mark_unvouched(opened)
        new.rename(target)
    folders.sync(target.parent)
    return salvaged


@dataclass(frozen=True, slots=True)
class _Salvage:
    source: apsw.Connection
    target: apsw.Connection
    progress: Callable[[str], None]

    def made(self) -> list[SalvagedRows]:
        tables = [self._described(name) for name in TABLES]
        counts = {}
        for table in tables:
            self.progress(table.name)
            counts[table.name] = self._copied(table)
        self._mend_scopes(counts["scopes"])
        cut_off = {table.name: self._cut_off(table.name) for table in tables}
        return [
            SalvagedRows(
                table=name,
                copied=copied["copied"] - cut_off[name],
                lost=copied["lost"],
                cut_off=cut_off[name],
            )
            for name, copied in counts.items()
        ]

    def _described(self, name: str) -> SalvagedTable:
        """Describe a table of the new file: the damaged one must have the same."""
        return described(self.target, name)

    def _copied(self, table: SalvagedTable) -> Counter[str]:
        marks = ", ".join("?" for _ in table.columns)
        columns = ", ".join(f'"{column}"' for column in table.columns)
        adding = f'INSERT INTO "{table.name}" ({columns}) VALUES ({marks})'  # noqa: S608
        done: Counter[str] = Counter()
        with self.target:
            for _, row in rows_of(self.source, table, keys_of(self.source, table)):
                done["copied" if row is not None and self._is_stored(adding, row) else "lost"] += 1
        return done

    def _is_stored(self, adding: str, row: Values) -> bool:
        """Store a row, unless a damaged page made nonsense of it."""
        try:
            self.target.execute(adding, row)
        except (apsw.ConstraintError, apsw.MismatchError):
            return False
        return True

    def _mend_scopes(self, counted: Counter[str]) -> None:
        """Make lost scopes again. Their index has the names, and the first hash tells which."""
        try:
            names: list[Values] = self.source.execute(_NAMES).fetchall()
        except apsw.Error:
            return
        with self.target:
            entries: list[Values] = self.target.execute(_FIRST_ENTRIES).fetchall()
            for scope, *entry, content, hashed in entries:
                for name in names:
                    if link(genesis(to_scope(*name)), content, (1, *entry)) == hashed:
                        self.target.execute(_ADD_SCOPE, (SPACE, scope, *name, os.urandom(32)))
                        counted["copied"] += 1
                        counted["lost"] = max(0, counted["lost"] - 1)
            self.target.execute(_HEADS)

    def _cut_off(self, table: str) -> int:
        """Remove the rows that refer to a lost row. Tables that they refer to come before."""
        removed = 0
        for parent, pairs in _references(self.target, table):
            match = " AND ".join(f'p."{there}" = t."{here}"' for here, there in pairs)
            known = f'SELECT 1 FROM "{parent}" AS p WHERE {match}'  # noqa: S608
            self.target.execute(f'DELETE FROM "{table}" AS t WHERE NOT EXISTS ({known})')  # noqa: S608
            removed += self.target.changes()
        if table in ("passages", "vectors"):  # their scope is in the number of their shelf
            self.target.execute(_HOMELESS.format(table))
            removed += self.target.changes()
        return removed


def _references(
    connection: apsw.Connection, table: str
) -> Iterator[tuple[str, Sequence[tuple[str, str]]]]:
    """Yield the tables that a table refers to, each with the pairs of columns."""
    listed = connection.execute(
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?)', (table,)
    ).fetchall()
    for number in sorted({int(str(row[0])) for row in listed}):
        own = [row for row in listed if row[0] == number]
        yield str(own[0][1]), [(str(here), str(there)) for _, _, here, there in own]


def _extend(file: Path) -> None:
    """Give a file that was cut off its full length: SQLite then reads the pages that are left."""
    head = read_head(str(file))
    if head.is_plain and file.stat().st_size < head.length < _LONGEST:
        os.truncate(file, head.length)


def _opened_copy(file: Path, folder: Path, key: str) -> apsw.Connection:
    """Copy a file and its log, and open the copy. If its first page is damaged, make it anew."""
    folders.make_private(folder)
    copy = folder / file.name
    for suffix in ("", "-wal"):
        if Path(f"{file}{suffix}").exists():
            shutil.copyfile(f"{file}{suffix}", f"{copy}{suffix}")
    _extend(copy)
    try:
        return _opened(copy, key, file)
    except apsw.Error as error:
        found = None if key else _opened_with_new_schema(copy, folder)
        if found is None:
            raise CorruptError(
                f"the first page of {file} is damaged, so nothing can be read ({error})",
                remedy="restore a backup with `erstwhile restore`",
            ) from error
        return found


def _opened(copy: Path, key: str, named: Path) -> apsw.Connection:
    """Open a copy whose schema can be read. Errors name the file itself."""
    connection = apsw.Connection(str(copy))
    try:
        with unlocked(connection, str(named), key):
            connection.execute("PRAGMA cell_size_check=ON; SELECT COUNT(*) FROM sqlite_schema")
        connection.execute("SELECT COUNT(*) FROM scopes LIMIT 0").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _opened_with_new_schema(copy: Path, folder: Path) -> apsw.Connection | None:
    """Open a copy with the schema that files of this version have, in the layout that fits.

    In the wrong layout, tables would be read as others. Their rows would not have the form of the
    audit trail: so the layout fits if entries can be read.
    """
    if copy.stat().st_size < _SMALLEST:
        return None
    for _ in renew_schema(copy, folder):
        try:
            connection = _opened(copy, "", copy)
        except (apsw.Error, KeyMissingError):
            continue
        if _has_entries(connection):
            return connection
        connection.close()
    return None


def _has_entries(connection: apsw.Connection) -> bool:
    try:
        rows = connection.execute(_SOME_ENTRY).fetchall()
    except (apsw.Error, UnicodeDecodeError):
        return False
    return bool(rows)

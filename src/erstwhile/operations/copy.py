"""Copy a whole memory table by table, and compare the copy with its source.

The source is read on one snapshot. Both sides are read in the order of their keys, a range at a
time. Only rows that differ are written, each range in one transaction. So an interrupted copy can
be continued, even if the source has changed: rows that are equal are skipped.

A target may be empty, or an earlier copy of the same source: then each of its audit chains is a
beginning of a chain of the source. Any other target is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from hashlib import sha256
from typing import Any

import apsw

from erstwhile.core.errors import ConflictError, StorageError
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.ports import Engine, Progress, Row, Session
from erstwhile.decisions.decision import untrusted
from erstwhile.engines.sqlite.engine import SPACE
from erstwhile.operations.results import Copied
from erstwhile.operations.tables import SCOPES, RowRange, TableRows, copied_tables, statements
from erstwhile.storage import passages
from erstwhile.storage.statements import load


def copy(source: Engine, target: Engine, progress: Progress, *, trust_permissions: bool) -> Copied:
    return source.read(
        lambda session: _Copy(source, session, target, progress, trust_permissions).run()
    )


def untrusted_permissions(engine: Engine) -> int:
    """Count the permissions of people without effect: their source is not trusted."""
    statement = statements(engine.dialect)["untrusted_permissions", "space"]
    [(count,)] = engine.read(lambda session: session.rows(statement, {"space": engine.space}))
    return int(count)


def is_empty(engine: Engine) -> bool:
    return not engine.read(lambda session: copied_tables(engine, session)[SCOPES].count(session))


def empty(engine: Engine) -> None:
    """Remove all rows in batches. Call it again after an interruption."""

    def remove_some(table: TableRows, session: Session) -> int:
        keys = next(table.ranges(session)).rows
        _remove(engine, session, table, keys)
        return len(keys)

    for table in reversed(engine.read(partial(copied_tables, engine)).values()):
        while engine.write(partial(remove_some, table)):
            pass


class _Copy:
    def __init__(
        self, source: Engine, session: Session, target: Engine, progress: Progress, trust: bool
    ) -> None:
        self._source = source
        self._session = session
        self._target = target
        self._progress = progress
        convert = {} if trust else {"decisions": untrusted}
        self._ours = copied_tables(source, session, convert)
        self._theirs = target.read(partial(copied_tables, target))
        self._counts = {name: table.count(session) for name, table in self._ours.items()}
        self._done = self._written = self._removed = 0

    def run(self) -> Copied:
        fresh = not any(self._target.read(table.count) for table in self._theirs.values())
        if not fresh:
            self._check_target_is_copy()
            self._remove_and_close_rows()
        for name, table in self._ours.items():
            for page in table.ranges(self._session):
                self._write(self._theirs[name], page, fresh=fresh)
        sql, params = statements(self._target.dialect), {"space": self._target.space}
        if "continue_numbers" in sql.names:
            self._target.write(lambda session: session.rows(sql["continue_numbers",], params))
        if self._removed:
            self._target.compact()
        return Copied(
            rows=FrozenDict(self._counts),
            written=self._written,
            removed=self._removed,
            hash=self._check_equal(),
            untrusted_permissions=untrusted_permissions(self._target),
        )

    def _check_target_is_copy(self) -> None:
        """Raise ConflictError if a scope of the target, or the end of its chain, is unknown."""
        ours, theirs = self._ours[SCOPES], self._theirs[SCOPES]
        known = {_identity(ours.named(row)) for row in ours.read(self._session).values()}
        for row in self._target.read(theirs.read).values():
            scope = theirs.named(row)
            link = {"space": self._source.space, "scope": scope["id"], "seq": scope["head_seq"]}
            links = self._session.rows(statements(self._source.dialect)["link_of_chain",], link)
            has_link = not scope["head_seq"] or links == [(scope["head_hash"],)]
            if _identity(scope) not in known or not has_link:
                raise ConflictError(
                    "the target contains another memory; nothing was copied",
                    remedy="give a file that does not exist yet, or an empty space",
                )

    def _remove_and_close_rows(self) -> None:
        """Remove rows missing from the source, and close changed facts for a while.

        Two facts may have changed places as the only open value of a key. So all changed facts are
        closed before the first of them is written.
        """

        def prune(table: TableRows, page: RowRange, session: Session) -> int:
            keys = table.read(session, page.after, page.last).keys() - page.rows.keys()
            _remove(self._target, session, table, keys)
            return len(keys)

        def close_changed(page: RowRange, session: Session) -> None:
            there = self._theirs["facts"].read(session, page.after, page.last)
            changed = [key for key, row in page.rows.items() if there.get(key, row) != row]
            params = [{"space": self._target.space, "id": id} for (id,) in changed]
            session.run_many(statements(self._target.dialect)["set_aside",], params)

        for name, table in reversed(self._ours.items()):
            for page in table.ranges(self._session):
                self._removed += self._target.write(partial(prune, self._theirs[name], page))
        for page in self._ours["facts"].ranges(self._session):
            self._target.write(partial(close_changed, page))

    def _write(self, table: TableRows, page: RowRange, *, fresh: bool) -> None:
        def write(session: Session) -> int:
            there = {} if fresh else table.read(session, page.after, page.last)
            rows = [row for key, row in page.rows.items() if there.get(key) != row]
            table.put(session, rows)
            _index(self._target, session, table, rows)
            return len(rows)

        self._written += self._target.write(write) if page.rows else 0
        self._done += len(page.rows)
        self._progress(self._done, sum(self._counts.values()))

    def _check_equal(self) -> str:
        """Return the hash of all rows; raise StorageError if the target differs."""
        whole = sha256()
        for name, table in self._ours.items():
            here = _hash(table, self._session)
            if self._target.read(partial(_hash, self._theirs[name])) != here:
                raise StorageError(
                    f"the copy of {name} differs from its source",
                    remedy="make sure that no other process writes to the target, and copy again",
                )
            whole.update(here)
        return whole.hexdigest()


def _identity(scope: dict[str, Any]) -> Row:
    return tuple(scope[column] for column in sorted(scope) if not column.startswith("head_"))


def _hash(table: TableRows, session: Session) -> bytes:
    hashed = sha256(table.name.encode())
    for page in table.ranges(session):
        for row in page.rows.values():
            hashed.update(repr(row).encode())
    return hashed.digest()


def _index(engine: Engine, session: Session, table: TableRows, rows: Iterable[Row]) -> None:
    """Index new and changed passages, in the transaction that writes them."""
    if table.name == "passages":
        params = []
        for row in map(table.named, rows):
            terms = passages.indexed(row["terms"], row["partition"], bool(row["open"]))
            params.append({"space": engine.space, "seq": row["seq"], "terms": terms})
        _unindex(engine, session, [each["seq"] for each in params])
        session.run_many(load(engine.dialect)["add_terms",], params)


def _remove(engine: Engine, session: Session, table: TableRows, keys: Iterable[Row]) -> None:
    if table.name == "passages":
        _unindex(engine, session, [seq for (seq,) in keys])
    table.remove(session, keys)


def _unindex(engine: Engine, session: Session, seqs: Iterable[int]) -> None:
    params = [{"space": engine.space, "seq": seq} for seq in seqs]
    session.run_many(load(engine.dialect)["remove_terms",], params)


def mark_untrusted(file: apsw.Connection) -> None:
    """Mark the decisions of people in a file as untrusted."""
    file.execute(statements("sqlite")["mark_untrusted",], {"space": SPACE}).fetchall()


def untrusted_in(file: apsw.Connection) -> int:
    """Count the untrusted permissions of people in a file."""
    statement = statements("sqlite")["untrusted_permissions", "space"]
    [(count,)] = file.execute(statement, {"space": SPACE})
    return int(count)

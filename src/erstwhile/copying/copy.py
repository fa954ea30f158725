"""Copy a whole memory table by table, and compare the copy with its source.

The source is read on one snapshot. Both sides are read in the order of their keys, a range at a
time. Only rows that differ are written, each range in one transaction. So an interrupted run can be
run again, even if the source has changed: rows that are equal are skipped.

A target may be empty, or an earlier copy of the same source: then each of its audit chains is a
beginning of a chain of the source. Any other target is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from erstwhile.copying.tables import CopiedTable, RowRange, ranges, statements, tables_of
from erstwhile.core.errors import ConflictError, StorageError
from erstwhile.core.ports import Engine, Row, Session
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage import passages
from erstwhile.storage.statements import load

Progress = Callable[[int, int], None]
"""A function that gets the number of finished rows and the number of all rows."""
_INDEXED = "passages"
"""The table whose terms are in the full-text index."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """The result of a copy that was compared with its source, row by row.

    `rows` has the number of rows of each table, and `hash` covers all of them. `written` and
    `removed` count the changes of this run. `unvouched` counts the permissions of people that allow
    nothing in the copy, because nobody vouches for the source.
    """

    rows: Mapping[str, int] = field(hash=False)
    written: int
    removed: int
    hash: str
    unvouched: int


def copy(source: Engine, target: Engine, progress: Progress, *, vouch: bool) -> Copied:
    return source.read(lambda session: _Copy(source, session, target, progress, vouch).made())


def unvouched_permissions(engine: Engine) -> int:
    """Return how many permissions of people allow nothing, because nobody vouches for them."""
    statement = statements(engine.dialect)["unvouched_permissions",]
    return int(engine.read(lambda session: session.rows(statement, {"space": engine.space}))[0][0])


def is_empty(engine: Engine) -> bool:
    """Return whether nothing was ever stored."""
    return not engine.read(lambda session: tables_of(engine, session)[0].count(session))


def empty(engine: Engine) -> None:
    """Remove all rows, a range at a time. If it is interrupted, call it again."""
    for table in reversed(engine.read(partial(tables_of, engine))):
        while engine.write(partial(_remove_some, engine, table)):
            pass


class _Copy:
    def __init__(
        self, source: Engine, session: Session, target: Engine, progress: Progress, vouch: bool
    ) -> None:
        self._source = source
        self._session = session
        self._target = target
        self._progress = progress
        theirs = target.read(partial(tables_of, target))
        self._pairs = list(zip(tables_of(source, session, vouch=vouch), theirs, strict=True))
        self._counts = {ours.name: ours.count(session) for ours, _ in self._pairs}
        self._done = self._written = self._removed = 0

    def made(self) -> Copied:
        fresh = not any(self._target.read(theirs.count) for _, theirs in self._pairs)
        if not fresh:
            self._check_that_the_target_is_a_copy()
            self._make_room()
        for ours, theirs in self._pairs:
            for page in ranges(ours, self._session):
                self._write(theirs, page, fresh=fresh)
        self._settle()
        return Copied(
            rows=MappingProxyType(self._counts),
            written=self._written,
            removed=self._removed,
            hash=self._compared(),
            unvouched=unvouched_permissions(self._target),
        )

    def _check_that_the_target_is_a_copy(self) -> None:
        """Raise ConflictError if a scope of the target, or the end of its chain, is unknown."""
        ours, theirs = self._pairs[0]
        known = {_identity(ours.named(row)) for row in ours.rows(self._session, None)}
        for row in self._target.read(partial(theirs.rows, after=None)):
            scope = theirs.named(row)
            if _identity(scope) not in known or not self._has_link(scope):
                raise ConflictError(
                    "the target contains another memory, and nothing was copied",
                    remedy="give a file that does not exist yet, or an empty space",
                )

    def _has_link(self, scope: dict[str, Any]) -> bool:
        """Return whether the chain of the source contains the last link of the target's."""
        asked = {"space": self._source.space, "scope": scope["id"], "seq": scope["head_seq"]}
        found = self._session.rows(statements(self._source.dialect)["find_link",], asked)
        return not scope["head_seq"] or found == [(scope["head_hash"],)]

    def _make_room(self) -> None:
        """Remove rows that the source no longer has, and close the facts that changed for a while.

        Two facts may have changed places as the only open value of a key. So all changed facts are
        closed before the first of them is written.
        """
        for ours, theirs in reversed(self._pairs):
            for page in ranges(ours, self._session):
                self._removed += self._target.write(partial(self._prune, theirs, page))
        ours, theirs = self._pairs[1]
        for page in ranges(ours, self._session):
            self._target.write(partial(self._set_aside, theirs, page))

    def _prune(self, table: CopiedTable, page: RowRange, session: Session) -> int:
        keys = page.surplus(table, session)
        _unindex(self._target, session, table, keys)
        table.remove(session, keys)
        return len(keys)

    def _set_aside(self, facts: CopiedTable, page: RowRange, session: Session) -> None:
        ids = [facts.named(row)["id"] for row in page.changed(facts, session)]
        params = [{"space": self._target.space, "id": id} for id in ids]
        session.run_many(statements(self._target.dialect)["set_aside",], params)

    def _write(self, table: CopiedTable, page: RowRange, *, fresh: bool) -> None:
        def written(session: Session) -> int:
            rows = page.rows if fresh else page.missing(table, session)
            table.put(session, rows)
            _index(self._target, session, table, rows)
            return len(rows)

        self._written += self._target.write(written) if page.rows else 0
        self._done += len(page.rows)
        self._progress(self._done, sum(self._counts.values()))

    def _settle(self) -> None:
        """Let number sequences continue after the copied rows, and compact after removals."""
        sql = statements(self._target.dialect)
        if "continue_numbers" in sql.names:
            told = {"space": self._target.space}
            self._target.write(lambda session: session.rows(sql["continue_numbers",], told))
        if self._removed:
            self._target.compact()

    def _compared(self) -> str:
        """Return the hash of all rows; raise StorageError if the target differs."""
        whole = sha256()
        for ours, theirs in self._pairs:
            here = _hash(ours, self._session)
            if self._target.read(partial(_hash, theirs)) != here:
                raise StorageError(
                    f"the copy of {ours.name} differs from its source",
                    remedy="make sure that no other process writes to the target, and copy again",
                )
            whole.update(here)
        return whole.hexdigest()


def _identity(scope: dict[str, Any]) -> Row:
    return tuple(scope[column] for column in sorted(scope) if not column.startswith("head_"))


def _hash(table: CopiedTable, session: Session) -> bytes:
    hashed = sha256(table.name.encode())
    for page in ranges(table, session):
        for row in page.rows:
            hashed.update(repr(row).encode())
    return hashed.digest()


def _index(engine: Engine, session: Session, table: CopiedTable, rows: Sequence[Row]) -> None:
    """Index new and changed passages, in the transaction that writes them."""
    if table.name != _INDEXED:
        return
    named = [table.named(row) for row in rows]
    _unindex(engine, session, table, [(row["seq"],) for row in named])
    session.run_many(
        load(engine.dialect)["add_terms",],
        [{"space": engine.space, "seq": row["seq"], "terms": _terms(row)} for row in named],
    )


def _terms(row: dict[str, Any]) -> str:
    return passages.indexed(row["terms"], row["shelf"], bool(row["open"]))


def _remove_some(engine: Engine, table: CopiedTable, session: Session) -> int:
    keys = [table.key(row) for row in next(ranges(table, session)).rows]
    _unindex(engine, session, table, keys)
    table.remove(session, keys)
    return len(keys)


def _unindex(engine: Engine, session: Session, table: CopiedTable, keys: Sequence[Row]) -> None:
    """Remove passages from the index before they are deleted."""
    if table.name == _INDEXED:
        session.run_many(
            load(engine.dialect)["remove_terms",],
            [{"space": engine.space, "seq": seq} for (seq,) in keys],
        )

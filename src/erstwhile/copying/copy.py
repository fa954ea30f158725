"""A copy of a whole memory, made table by table, and compared when it is done.

The source is read on one snapshot. Both sides are walked in the order of their keys, a page at a
time, and only what differs is written, each page in a transaction. So a run that was interrupted is
simply run again, also when the source has changed meanwhile: it passes over what is there.

A target may be empty, or an earlier copy of the same source: each of its audit chains must be a
beginning of the source's. Anything else is somebody's memory, and is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from types import MappingProxyType
from typing import Any, NamedTuple

from erstwhile.copying.tables import CopiedTable, RowRange, ranges, statements, tables_of
from erstwhile.core.errors import ConflictError, StorageError
from erstwhile.core.ports import Engine, Row, Session
from erstwhile.facts import text_index
from erstwhile.storage import full_text
from erstwhile.storage.statements import load

Progress = Callable[[int, int], None]
"""Told how many rows are done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A copy that was compared with its source, row by row, after it was made.

    `rows` tells how many rows each table has on both sides, `hash` is over all of them. `written`
    and `removed` count what this run had to do: a run after an interrupted one does the rest.
    """

    rows: Mapping[str, int] = field(hash=False)
    written: int
    removed: int
    hash: str


def copy(source: Engine, target: Engine, progress: Progress) -> Copied:
    return source.read(lambda session: _Copy(source, session, target, progress).made())


class _Copy:
    def __init__(
        self, source: Engine, session: Session, target: Engine, progress: Progress
    ) -> None:
        self._source = source
        self._session = session
        self._target = target
        self._progress = progress
        theirs = target.read(partial(tables_of, target))
        self._pairs = list(zip(tables_of(source, session), theirs, strict=True))
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
        )

    def _check_that_the_target_is_a_copy(self) -> None:
        """By its scopes, which are copied first, and the ends of their chains."""
        ours, theirs = self._pairs[0]
        known = {_identity(ours.named(row)) for row in ours.rows(self._session, None)}
        for row in self._target.read(partial(theirs.rows, after=None)):
            scope = theirs.named(row)
            if _identity(scope) not in known or not self._went_through(scope):
                raise ConflictError(
                    "the target holds a memory of its own, and nothing was copied",
                    remedy="name a file that does not exist yet, or an empty space",
                )

    def _went_through(self, scope: dict[str, Any]) -> bool:
        """Whether the source's chain of this scope has the link at which the target's ends."""
        asked = {"space": self._source.space, "scope": scope["id"], "seq": scope["head_seq"]}
        found = self._session.rows(statements(self._source.dialect)["find_link",], asked)
        return not scope["head_seq"] or found == [(scope["head_hash"],)]

    def _make_room(self) -> None:
        """Remove what the source no longer has, and set aside the facts that changed there.

        Two facts may have changed places as the one open value of a key, and come in any order: so
        all that will change is out of the way before the first is written.
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
        """Numbers go on after those that were brought; what went leaves no byte."""
        sql = statements(self._target.dialect)
        if "continue_numbers" in sql.names:
            told = {"space": self._target.space}
            self._target.write(lambda session: session.rows(sql["continue_numbers",], told))
        if self._removed:
            self._target.compact()

    def _compared(self) -> str:
        """Read the target again: the hash of all rows, which is the source's too."""
        whole = sha256()
        for ours, theirs in self._pairs:
            here = _hash(ours, self._session)
            if self._target.read(partial(_hash, theirs)) != here:
                raise StorageError(
                    f"the copy of {ours.name} differs from its source",
                    remedy="see that nobody else writes to the target, and copy again",
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


class _Index(NamedTuple):
    """How the rows of a table are put into a full-text index and taken out of it."""

    name: str
    terms: Callable[[dict[str, Any]], str]


_INDEXES = {
    "fact_texts": _Index(
        "facts",
        lambda row: text_index.indexed(row["terms"], row["scope"], bool(row["open"])),
    ),
    "record_texts": _Index(
        "records",
        lambda row: full_text.indexed(row["terms"], row["kind"], row["scope"]),
    ),
}


def _index(engine: Engine, session: Session, table: CopiedTable, rows: Sequence[Row]) -> None:
    """Index new and changed rows, in the transaction that brings them."""
    if index := _INDEXES.get(table.name):
        named = [table.named(row) for row in rows]
        _unindex(engine, session, table, [(row["seq"],) for row in named])
        session.run_many(
            load(engine.dialect)["add_terms", index.name],
            [
                {"space": engine.space, "seq": row["seq"], "terms": index.terms(row)}
                for row in named
            ],
        )


def _unindex(engine: Engine, session: Session, table: CopiedTable, keys: Sequence[Row]) -> None:
    """Take rows out of the index before they go."""
    if index := _INDEXES.get(table.name):
        session.run_many(
            load(engine.dialect)["remove_terms", index.name],
            [{"space": engine.space, "seq": seq} for (seq,) in keys],
        )

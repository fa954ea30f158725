"""Import an export: read it, verify it, and write each scope in one transaction.

A scope keeps its records, its times, its ids and its audit chain as they are. So a second import of
the same file finds every scope there, and an interrupted import goes on with the scopes that are
missing. Into a scope that holds something else, the records that are new there are merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from erstwhile.core.errors import ConflictError, ErstwhileError
from erstwhile.core.ports import Session
from erstwhile.core.scope import Scope, Viewer, scope_params
from erstwhile.core.time import DRIFT
from erstwhile.core.unfinished_files import scratch_folder, unfinished
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.exports.export import VECTORS, Progress
from erstwhile.exports.indexing import INDEXED, index_row
from erstwhile.exports.merging import ERASED, Merge
from erstwhile.exports.reading import ExportReader
from erstwhile.exports.staging import Refusal, StagedLine, StagedScope, Staging
from erstwhile.exports.tables import TABLES, ExportedTable, TableWriter, statements
from erstwhile.exports.vectors import put_vectors
from erstwhile.profile.identities import checked_name, link_names
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import genesis, new_key
from erstwhile.storage.unit import Unit

_PAGE = 100


class _PreviewedError(Exception):
    """Raised to undo what a preview did. It never leaves this module."""


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result of an import.

    `scopes` counts the scopes that were new, `merged` those into which something was merged, and
    `known` those that are here already. `lines` has the number of imported lines of each table.
    Nothing of a refused scope or record is imported. `unvouched` counts the permissions of people
    that allow nothing here, because nobody vouches for the file.
    """

    scopes: int
    merged: int
    known: int
    lines: Mapping[str, int] = field(hash=False)
    refused: tuple[Refusal, ...]
    unvouched: int


def import_lines(
    file: Path, target: Access, progress: Progress, *, preview: bool, vouch: bool
) -> Imported:
    """Import a file into a memory; for a preview, only check it."""
    with (
        unfinished(scratch_folder() / "import") as folder,
        closing(SqliteEngine(folder / "staged.db")) as engine,
    ):
        return _Import(Staging(engine, vouch=vouch), target).made(file, progress, preview=preview)


class _Import:
    def __init__(self, staging: Staging, target: Access) -> None:
        self._staging = staging
        self._target = target
        self._sql = statements(target.engine.dialect)
        self._model: Mapping[str, Any] | None = None
        self._scopes = self._merged = self._known = self._unvouched = 0
        self._lines: Counter[str] = Counter()

    def made(self, file: Path, progress: Progress, *, preview: bool) -> Imported:
        reader = ExportReader(file, self._staging, self._is_missing)
        total = 2 * reader.total
        reader.read(lambda done: progress(min(done, reader.total), total))
        self._model = reader.model
        done = reader.total
        for staged in self._staging.whole():
            self._import(staged, preview=preview)
            done += sum(staged.rows.values())
            progress(min(done, total), total)
        for line in reader.links:
            self._link(line, preview=preview)
        progress(total, total)
        return Imported(
            scopes=self._scopes,
            merged=self._merged,
            known=self._known,
            lines=MappingProxyType(dict(self._lines)),
            refused=tuple(self._staging.refused),
            unvouched=self._unvouched,
        )

    def _is_missing(self, scope: Scope, head: Mapping[str, Any]) -> bool:
        """Return whether a scope is to be imported: it is not if its chain is here already."""
        found = self._target.ask(lambda view: view.rows("find_scope", scope_params(scope)))
        if not found or not found[0][1]:
            return True
        link = {"space": self._target.space, "scope": found[0][0], "seq": head["head_seq"]}
        rows = self._target.engine.read(
            lambda session: session.rows(self._sql["link_of_chain",], link)
        )
        known = bool(rows) and bytes(rows[0][0]) == head["head_hash"]
        self._known += known
        return not known

    def _import(self, staged: StagedScope, *, preview: bool) -> None:
        done: list[Merge | None] = []
        if preview and not self._entries(staged.scope):
            self._count(staged, None)
            return
        try:
            self._target.engine.write(partial(self._write, staged, done, preview))
        except _PreviewedError:
            pass
        except ConflictError as error:
            reason = f"it contradicts what is here: {error.message}"
            self._staging.refused.append(Refusal(place=f"scope {staged.scope}", reason=reason))
            return
        self._count(staged, done[-1])

    def _entries(self, scope: Scope) -> int:
        """Return the length of the chain of a scope here."""
        found = self._target.ask(lambda view: view.rows("find_scope", scope_params(scope)))
        return int(found[0][1]) if found else 0

    def _count(self, staged: StagedScope, merge: Merge | None) -> None:
        if merge is None:
            self._unvouched += self._staging.unvouched(staged.number)
            self._scopes += 1
            self._lines += staged.rows
            return
        self._merged += bool(merge.lines)
        self._known += not merge.lines
        self._lines += merge.lines
        self._staging.refused += merge.left

    def _link(self, line: StagedLine, *, preview: bool) -> None:
        """Link two names of a person again, in a scope of others: as a change of today."""
        known = self._target.ask(
            lambda view: view.rows("find_links", {"alias": line.values["alias"]})
        )
        if any(row[6] == line.values["person"] for row in known):
            return
        try:
            self._check_not_erased(line)
            alias, person = (checked_name(line.values[what], what) for what in ("alias", "person"))
            if not preview:
                viewer = Viewer(scope=line.scope, name=self._target.viewer.actor)
                self._target.seen_by(viewer).change(
                    lambda unit: link_names(unit, alias, person, "imported")
                )
            self._lines[line.table] += 1
        except ErstwhileError as error:
            place = f"line {line.number}"
            self._staging.refused.append(Refusal(place=place, reason=error.message))

    def _check_not_erased(self, line: StagedLine) -> None:
        found = self._target.ask(lambda view: view.rows("find_scope", scope_params(line.scope)))
        if not found:
            return
        told = {"space": self._target.space, "id": line.values["id"], "scope": found[0][0]}
        if self._target.engine.read(lambda session: session.rows(self._sql["erasure_of",], told)):
            raise ConflictError(ERASED)

    def _write(
        self, staged: StagedScope, done: list[Merge | None], preview: bool, session: Session
    ) -> None:
        """Write a scope, or merge it into what is here; undo it for a preview."""
        unit = Unit(session, self._target, alone=True)
        if self._staging.newest(staged.number) > unit.stamp + DRIFT:
            raise ConflictError("its times lie in the future")
        scope, entries = self._find(unit, staged)
        write = self._merge if entries else self._adopt
        done.append(
            self._staging.engine.read(lambda here: write(here, session, unit, staged, scope))
        )
        unit.finish()
        if preview:
            raise _PreviewedError

    def _find(self, unit: Unit, staged: StagedScope) -> tuple[int, int]:
        """Return the number of the scope here, and the length of its chain."""
        params = scope_params(staged.scope)
        if not unit.rows("find_scope", params):
            new = {"head_hash": genesis(staged.scope), "digest_key": new_key()}
            unit.run("add_scope", {**params, **new})
        [(scope, entries, _)] = unit.rows("find_scope", params)
        return scope, entries

    def _adopt(
        self, here: Session, session: Session, unit: Unit, staged: StagedScope, scope: int
    ) -> None:
        """Write all of a scope that was empty: its chain, its records, their index, vectors."""
        session.run(self._sql["adopt_chain",], {"space": unit.space, "id": scope, **staged.head})
        last = session.rows(self._sql["last_entry",], {"space": unit.space})
        self._copy(here, session, unit, staged, scope)
        self._put_last(session, unit, staged, last)

    def _merge(
        self, here: Session, session: Session, unit: Unit, staged: StagedScope, scope: int
    ) -> Merge:
        """Add what is new in a scope that holds other records."""
        merge = Merge(unit, session, self._sql, self._staging, staged, here, scope)
        merge.made()
        for table in INDEXED:
            for row in merge.added.get(table, {}).values():
                index_row(unit, table, row)
        new = {id for table in INDEXED for id in merge.added.get(table, ())}
        if self._model is not None and new and staged.rows[VECTORS]:
            vectors = (row for row in self._staging.vectors(here, staged.number) if row[0] in new)
            merge.lines[VECTORS] += put_vectors(
                unit, session, self._target.engine.dialect, self._model, vectors
            )
        return merge

    def _copy(
        self, here: Session, session: Session, unit: Unit, staged: StagedScope, scope: int
    ) -> None:
        for table in TABLES[1:]:
            writer = TableWriter(table, self._sql, session, unit.space)
            for page in self._pages(here, table, staged.number, scope):
                writer.add(page)
        for table in TABLES:
            searched = table.name in INDEXED
            for page in self._pages(here, table, staged.number, scope) if searched else ():
                for row in page:
                    index_row(unit, table.name, row)
        if self._model is not None and staged.rows[VECTORS]:
            vectors = self._staging.vectors(here, staged.number)
            put_vectors(unit, session, self._target.engine.dialect, self._model, vectors)

    def _pages(
        self, here: Session, table: ExportedTable, staged: int, scope: int
    ) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows of a staged scope with the number of the scope in the target."""
        rows = self._staging.rows(here, table, staged)
        place = {} if table.owner else {"scope": scope}
        while page := list(islice(rows, _PAGE)):
            yield [{**place, **dict(zip(table.columns, row, strict=True))} for row in page]

    def _put_last(
        self, session: Session, unit: Unit, staged: StagedScope, last: list[tuple[Any, ...]]
    ) -> None:
        """Keep the newest entry of all the one with the highest number: the clock goes by it."""
        if last and last[0][2] > self._staging.newest(staged.number):
            scope, seq, _ = last[0]
            told = {"space": unit.space, "scope": scope, "seq": seq}
            session.run(self._sql["put_last",], told)
        if "continue_numbers" in self._sql.names:
            session.rows(self._sql["continue_numbers",], {"space": unit.space})

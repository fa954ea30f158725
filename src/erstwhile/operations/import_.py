"""Import an export: read it, verify it, and write each scope in one transaction.

A scope keeps its records, its times, its ids and its audit chain as they are. So a second import of
the same file finds every scope there, and an interrupted import goes on with the scopes that are
missing. Into a scope that holds something else, the records that are new there are merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from erstwhile.core.errors import ConflictError, ErstwhileError
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Row, Session
from erstwhile.core.scope import Scope, Viewer, scope_params
from erstwhile.core.time import DRIFT
from erstwhile.core.unfinished_files import scratch_folder, unfinished
from erstwhile.decisions.decision import Decider
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.operations.import_merge import ERASED, Merge
from erstwhile.operations.import_staging import ExportReader, StagedLine, StagedScope, Staging
from erstwhile.operations.rebuild import index_record
from erstwhile.operations.results import Imported, Progress
from erstwhile.operations.tables import SCOPES, VECTORS, exported_tables, statements
from erstwhile.profile.identities import checked_name, link_names
from erstwhile.recall.models import SimilarityScale, StoredModel, register_model, serving_model
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import genesis, new_key
from erstwhile.storage.unit import Unit

_KINDS = {
    "facts": TextKind.FACTS,
    "messages": TextKind.MESSAGES,
    "conversations": TextKind.SUMMARIES,
    "lessons": TextKind.LESSONS,
    "observations": TextKind.OBSERVATIONS,
}
_INDEXED = (*_KINDS, "decisions")
"""The tables whose records are searched."""
_PAGE = 100


class _PreviewedError(Exception):
    """Raised to roll back a preview. It never leaves this module."""


def import_lines(
    file: Path, target: Access, progress: Progress, *, preview: bool, trust_permissions: bool
) -> Imported:
    """Import a file into a memory; for a preview, only check it."""
    with (
        unfinished(scratch_folder() / "import") as folder,
        closing(SqliteEngine(folder / "staged.db")) as engine,
    ):
        staging = Staging(engine, trust=trust_permissions)
        return _Import(staging, target, preview=preview).run(file, progress)


class _Import:
    def __init__(self, staging: Staging, target: Access, *, preview: bool) -> None:
        self._staging = staging
        self._target = target
        self._preview = preview
        self._sql = statements(target.engine.dialect)
        self._tables = exported_tables(target.engine)
        self._model: Mapping[str, Any] | None = None
        self._scopes = self._merged = self._known = self._untrusted = 0
        self._lines: Counter[str] = Counter()

    def run(self, file: Path, progress: Progress) -> Imported:
        reader = ExportReader(file, self._staging, self._is_missing)
        total = 2 * reader.total
        reader.read(lambda done: progress(min(done, reader.total), total))
        self._model = reader.model
        done = reader.total
        for staged in self._staging.importable():
            self._import(staged)
            done += sum(staged.rows.values())
            progress(min(done, total), total)
        for line in reader.links:
            self._link(line)
        progress(total, total)
        return Imported(
            scopes=self._scopes,
            merged=self._merged,
            known=self._known,
            lines=MappingProxyType(dict(self._lines)),
            refused=tuple(self._staging.refused),
            untrusted_permissions=self._untrusted,
        )

    def _is_missing(self, scope: Scope, head: Mapping[str, Any]) -> bool:
        """Return whether to import a scope: its chain is not stored yet."""
        number, entries = self._find_scope(scope)
        if not entries:
            return True
        rows = self._ask("link_of_chain", scope=number, seq=head["head_seq"])
        known = bool(rows) and bytes(rows[0][0]) == head["head_hash"]
        self._known += known
        return not known

    def _find_scope(self, scope: Scope) -> tuple[int, int]:
        """Return the number of a scope here and the length of its chain, or zeros."""
        found = self._target.ask(lambda view: view.rows("find_scope", scope_params(scope)))
        return found[0][:2] if found else (0, 0)

    def _ask(self, statement: str, **params: object) -> list[Row]:
        named = {"space": self._target.engine.space, **params}
        return self._target.engine.read(lambda session: session.rows(self._sql[statement,], named))

    def _import(self, staged: StagedScope) -> None:
        done: list[Merge | None] = [None]
        if not self._preview or self._find_scope(staged.scope)[1]:
            try:
                self._target.engine.write(partial(self._write, staged, done))
            except _PreviewedError:
                pass
            except ConflictError as error:
                reason = f"it contradicts what is here: {error.message}"
                self._staging.refuse(f"scope {staged.scope}", reason)
                return
        if (merge := done[-1]) is None:
            self._untrusted += self._staging.untrusted(staged.number)
            self._scopes += 1
            self._lines += staged.rows
        else:
            self._merged += bool(merge.lines)
            self._known += not merge.lines
            self._lines += merge.lines
            self._staging.refused += merge.refused

    def _link(self, line: StagedLine) -> None:
        """Link two names of a person, as a change of today."""
        known = self._target.ask(
            lambda view: view.rows("find_links", {"alias": line.values["alias"]})
        )
        if any(row[6] == line.values["person"] for row in known):
            return
        try:
            scope, _ = self._find_scope(line.scope)
            if scope and self._ask("erasure_of", id=line.values["id"], scope=scope):
                raise ConflictError(ERASED)
            alias, person = (checked_name(line.values[what], what) for what in ("alias", "person"))
            if not self._preview:
                viewer = Viewer(scope=line.scope, name=self._target.viewer.actor)
                self._target.seen_by(viewer).change(
                    lambda unit: link_names(unit, alias, person, "imported")
                )
            self._lines[line.table] += 1
        except ErstwhileError as error:
            self._staging.refuse(f"line {line.number}", error.message)

    def _write(self, staged: StagedScope, done: list[Merge | None], session: Session) -> None:
        """Write a new scope or merge into a stored one; roll back for a preview."""
        unit = Unit(session, self._target, alone=True)
        if self._staging.newest(staged.number) > unit.stamp + DRIFT:
            raise ConflictError("its times lie in the future")
        params = scope_params(staged.scope)
        if not unit.rows("find_scope", params):
            new = {"head_hash": genesis(staged.scope), "digest_key": new_key()}
            unit.run("add_scope", {**params, **new})
        [(scope, entries, _)] = unit.rows("find_scope", params)
        write = self._merge if entries else self._adopt
        done.append(
            self._staging.engine.read(lambda here: write(here, session, unit, staged, scope))
        )
        unit.finish()
        if self._preview:
            raise _PreviewedError

    def _adopt(
        self, here: Session, session: Session, unit: Unit, staged: StagedScope, scope: int
    ) -> None:
        """Write a whole scope that was empty: its chain, its records, their index, vectors."""
        session.run(self._sql["adopt_chain",], {"space": unit.space, "id": scope, **staged.head})
        last = session.rows(self._sql["last_entry",], {"space": unit.space})
        for name, table in self._tables.items():
            for page in self._pages(here, name, staged.number) if name != SCOPES else ():
                table.add(session, [{"scope": scope, **row} for row in page])
        for name in self._tables:
            for page in self._pages(here, name, staged.number) if name in _INDEXED else ():
                for row in page:
                    _index_row(unit, name, row)
        if staged.rows[VECTORS]:
            self._put_vectors(unit, session, self._staging.vectors(here, staged.number))
        self._move_to_end(session, unit, staged, last)

    def _pages(self, here: Session, name: str, scope: int) -> Iterator[list[dict[str, Any]]]:
        rows = self._staging.tables[name].named_rows(here, scope)
        while page := list(islice(rows, _PAGE)):
            yield page

    def _merge(
        self, here: Session, session: Session, unit: Unit, staged: StagedScope, scope: int
    ) -> Merge:
        """Add what is new in a scope that holds other records."""
        merge = Merge(unit, session, self._sql, self._tables, self._staging, staged, here, scope)
        merge.run()
        new = set[str]()
        for table in _INDEXED:
            for id, row in merge.added.get(table, {}).items():
                _index_row(unit, table, row)
                new.add(id)
        if new and staged.rows[VECTORS]:
            vectors = (row for row in self._staging.vectors(here, staged.number) if row[0] in new)
            merge.lines[VECTORS] += self._put_vectors(unit, session, vectors)
        return merge

    def _put_vectors(self, unit: Unit, session: Session, rows: Iterable[Row]) -> int:
        """Store vectors of the serving or the next model; return their number.

        A passage that was split in another way than in the exporting program has no vector yet: it
        stays in the outbox, as every other text does.
        """
        if (told := self._model) is None:
            return 0
        scale = SimilarityScale(told["usual"], told["spread"])
        model = StoredModel(0, told["model"], told["dimensions"], False, scale)
        serving = serving_model(unit)
        if serving is not None and not serving.made_by(model.name, model.dimensions):
            return 0
        id, stored = register_model(unit, model).id, 0
        for record, start, length, vector in rows:
            for seq in self._seqs(unit, session, record, start, length):
                unit.execute_async("put_vector", {"embedder": id, "seq": seq, "vector": vector})
                unit.execute_async("dequeue", {"seq": seq})
                stored += 1
        return stored

    def _seqs(
        self, unit: Unit, session: Session, record: str, start: int | None, length: int | None
    ) -> list[int]:
        """Return the number of a passage, or the negative number of a decision."""
        if start is None:
            return [-number for number, *_ in unit.rows("number_and_digests", {"id": record})]
        place = {"space": unit.space, "record": record, "start": start, "length": length}
        return [seq for (seq,) in session.rows(self._sql["passage_at",], place)]

    def _move_to_end(
        self, session: Session, unit: Unit, staged: StagedScope, last: list[Row]
    ) -> None:
        """Give the newest entry the highest number: the clock continues from it."""
        if last and last[0][2] > self._staging.newest(staged.number):
            scope, seq, _ = last[0]
            session.run(self._sql["put_last",], {"space": unit.space, "scope": scope, "seq": seq})
        if "continue_numbers" in self._sql.names:
            session.rows(self._sql["continue_numbers",], {"space": unit.space})


def _index_row(unit: Unit, table: str, row: Mapping[str, Any]) -> None:
    """Index an imported row; enqueue a decision for embedding, unless an agent decided."""
    if table in _KINDS:
        if _is_searched(_KINDS[table], row):
            index_record(unit, _KINDS[table], row["id"])
    elif row["decided_by"] != Decider.AGENT:
        [(number, *_)] = unit.rows("number_and_digests", {"id": row["id"]})
        unit.execute_async("enqueue", {"seq": -number, "due_at": unit.stamp})


def _is_searched(kind: TextKind, row: Mapping[str, Any]) -> bool:
    """Return whether a record is in the index; ended and deleted facts are."""
    if kind is TextKind.MESSAGES:
        return bool(row["content"]) and row["undone_at"] is None
    if kind is TextKind.SUMMARIES:
        return bool(row["summary"])
    return kind is TextKind.FACTS or row["deleted_at"] is None

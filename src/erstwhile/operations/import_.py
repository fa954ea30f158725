"""Import an export: read it, verify it, and write each scope in one transaction.

A scope keeps its records, its times, its ids and its audit chain as they are. So a second import of
the same file finds every scope there, and an interrupted import goes on with the scopes that are
missing. Into a scope that holds something else, the records that are new there are merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from erstwhile.core.errors import ConflictError, ErstwhileError
from erstwhile.core.folders import make_private
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.kinds import TextKind
from erstwhile.core.ports import Progress, Row, Session, unseen
from erstwhile.core.scope import Scope, Viewer, scope_params
from erstwhile.core.text import exact_id
from erstwhile.core.time import DRIFT
from erstwhile.core.unfinished_files import scratch_folder, unfinished
from erstwhile.decisions.decision import Decider
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.operations.full_access import full_access
from erstwhile.operations.import_merge import ERASED, Merge
from erstwhile.operations.import_staging import (
    ExportReader,
    StagedLine,
    StagedScope,
    Staging,
    audit_problems,
)
from erstwhile.operations.rebuild import index_record
from erstwhile.operations.results import Imported
from erstwhile.operations.tables import SCOPES, VECTORS, exported_tables, statements
from erstwhile.profile.identities import link_names
from erstwhile.recall.models import SimilarityScale, StoredModel, register_model, serving_model
from erstwhile.storage.access import Access
from erstwhile.storage.audit_chain import genesis, new_key
from erstwhile.storage.unit import Unit

_INDEXED: Mapping[str, tuple[TextKind, Callable[[Mapping[str, Any]], bool]]] = {
    "facts": (TextKind.FACTS, lambda _row: True),
    "messages": (TextKind.MESSAGES, lambda row: row["content"] and row["undone_at"] is None),
    "conversations": (TextKind.SUMMARIES, lambda row: bool(row["summary"])),
    "lessons": (TextKind.LESSONS, lambda row: row["deleted_at"] is None),
    "observations": (TextKind.OBSERVATIONS, lambda row: row["deleted_at"] is None),
}
"""The tables whose records are searched, and which of their rows. Decisions are searched, too."""
_SEARCHED = (*_INDEXED, "decisions")
_PAGE = 100


class _PreviewedError(Exception):
    """Raised to roll back a preview, with its result. It never leaves this module."""


def import_lines(
    file: Path,
    target: Access,
    progress: Progress = unseen,
    *,
    preview: bool = False,
    trust_permissions: bool = False,
) -> Imported:
    """Import a file into a memory; for a preview, only check it."""
    with unfinished(scratch_folder() / "import") as folder:
        make_private(folder)
        with closing(SqliteEngine(folder / "staged.db")) as engine:
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
        problems = full_access(self._staging.engine).ask(audit_problems)
        for staged in self._staging.importable(problems):
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
            lines=FrozenDict(self._lines),
            refused=tuple(self._staging.refused),
            untrusted_permissions=self._untrusted,
        )

    def _is_missing(self, scope: Scope, head: Mapping[str, Any]) -> bool:
        """Return whether to import a scope: its chain is not stored yet."""
        number, entries = self._find_scope(scope)
        if not entries:
            return True
        rows = self._query("link_of_chain", scope=number, seq=head["head_seq"])
        known = bool(rows) and bytes(rows[0][0]) == head["head_hash"]
        self._known += known
        return not known

    def _find_scope(self, scope: Scope) -> tuple[int, int]:
        """Return the number of a scope here and the length of its chain, or zeros."""
        found = self._target.ask(lambda view: view.rows("find_scope", scope_params(scope)))
        return found[0][:2] if found else (0, 0)

    def _query(self, statement: str, **params: object) -> list[Row]:
        named = {"space": self._target.engine.space, **params}
        return self._target.engine.read(lambda session: session.rows(self._sql[statement,], named))

    def _import(self, staged: StagedScope) -> None:
        merge: Merge | None = None
        if not self._preview or self._find_scope(staged.scope)[1]:
            try:
                merge = self._target.engine.write(partial(self._write, staged))
            except _PreviewedError as previewed:
                merge = previewed.args[0]
            except ConflictError as error:
                reason = f"it contradicts what is here: {error.message}"
                self._staging.refuse(f"scope {staged.scope}", reason)
                return
        if merge is None:
            self._untrusted += self._staging.number(staged.number, "untrusted_permissions", "scope")
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
            if scope and self._query("erasure_of", id=line.values["id"], scope=scope):
                raise ConflictError(ERASED)
            alias, person = (exact_id(line.values[what], what) for what in ("alias", "person"))
            if not self._preview:
                viewer = Viewer(scope=line.scope, name=self._target.viewer.actor)
                self._target.seen_by(viewer).change(
                    lambda unit: link_names(unit, alias, person, "imported")
                )
            self._lines[line.table] += 1
        except ErstwhileError as error:
            self._staging.refuse(f"line {line.number}", error.message)

    def _write(self, staged: StagedScope, session: Session) -> Merge | None:
        """Write a new scope or merge into a stored one; roll back for a preview."""
        unit = Unit(session, self._target, alone=True)
        if self._staging.number(staged.number, "newest_time") > unit.stamp + DRIFT:
            raise ConflictError("its times lie in the future")
        params = scope_params(staged.scope)
        if not unit.rows("find_scope", params):
            new = {"head_hash": genesis(staged.scope), "digest_key": new_key()}
            unit.run("add_scope", {**params, **new})
        [(scope, entries, _)] = unit.rows("find_scope", params)
        write = self._merge if entries else self._adopt
        merge = self._staging.engine.read(lambda here: write(here, session, unit, staged, scope))
        unit.finish()
        if self._preview:
            raise _PreviewedError(merge)
        return merge

    def _adopt(
        self, here: Session, session: Session, unit: Unit, staged: StagedScope, scope: int
    ) -> None:
        """Write a whole scope that was empty: its chain, its records, their index, vectors."""
        space = {"space": unit.space}
        session.run(self._sql["adopt_chain",], {**space, "id": scope, **staged.head})
        last = session.rows(self._sql["last_entry",], space)
        for name, source in self._staging.tables.items():
            for page in source.ranges(here, staged.number, _PAGE) if name != SCOPES else ():
                rows = map(source.named, page.rows.values())
                self._tables[name].add(session, [{"scope": scope, **row} for row in rows])
        for name, source in self._staging.tables.items():
            for row in source.rows(here, staged.number) if name in _SEARCHED else ():
                _index_row(unit, name, row)
        if staged.rows[VECTORS]:
            self._put_vectors(unit, session, self._staging.vectors(here, staged.number))
        if last and last[0][2] > self._staging.number(staged.number, "newest_time"):
            # Give the newest entry the highest number: the clock continues from it.
            session.run(self._sql["put_last",], {**space, "scope": last[0][0], "seq": last[0][1]})
        if "continue_numbers" in self._sql.names:
            session.rows(self._sql["continue_numbers",], space)

    def _merge(
        self, here: Session, session: Session, unit: Unit, staged: StagedScope, scope: int
    ) -> Merge:
        """Add what is new in a scope that holds other records."""
        merge = Merge(unit, session, self._sql, self._tables, self._staging, staged, here, scope)
        merge.run()
        new = set[str]()
        for table in _SEARCHED:
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
        if (line := self._model) is None:
            return 0
        scale = SimilarityScale(line["usual"], line["spread"])
        model = StoredModel(0, line["model"], line["dimensions"], False, scale)
        serving = serving_model(unit)
        if serving is not None and not serving.made_by(model.name, model.dimensions):
            return 0
        id, stored = register_model(unit, model).id, 0
        for record, start, length, vector in rows:
            for seq in self._passage_numbers(unit, session, record, start, length):
                unit.execute_async("put_vector", {"embedder": id, "seq": seq, "vector": vector})
                unit.execute_async("dequeue", {"seq": seq})
                stored += 1
        return stored

    def _passage_numbers(
        self, unit: Unit, session: Session, record: str, start: int | None, length: int | None
    ) -> list[int]:
        """Return the number of a passage, or the negative number of a decision."""
        if start is None:
            return [-number for number, *_ in unit.rows("number_and_digests", {"id": record})]
        place = {"space": unit.space, "record": record, "start": start, "length": length}
        return [seq for (seq,) in session.rows(self._sql["passage_at",], place)]


def _index_row(unit: Unit, table: str, row: Mapping[str, Any]) -> None:
    """Index an imported row; enqueue a decision for embedding, unless an agent decided."""
    if table == "decisions":
        if row["decided_by"] != Decider.AGENT:
            [(number, *_)] = unit.rows("number_and_digests", {"id": row["id"]})
            unit.execute_async("enqueue", {"seq": -number, "due_at": unit.stamp})
        return
    kind, is_searched = _INDEXED[table]
    if is_searched(row):
        index_record(unit, kind, row["id"])

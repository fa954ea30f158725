"""Merge an imported scope into a stored one.

A record comes with its parts, its times and its audit entries, or not at all. It comes if it is new
here, by its id and by its content. The entries are appended to the chain that is here, with their
own times and actors, and then one entry records the import. Stored records stay as they are: a
record that differs is reported. Decisions stay out: their digests belong to the key of their scope.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from erstwhile.core.errors import ConflictError
from erstwhile.core.ports import Row, Session
from erstwhile.operations.import_staging import StagedScope, Staging
from erstwhile.operations.results import Refusal
from erstwhile.operations.tables import TableRows
from erstwhile.storage.audit_chain import noun_of
from erstwhile.storage.statements import Statements
from erstwhile.storage.unit import Unit

MERGED = "import.merge"
ERASED, _DIFFERS = "it was erased here", "it differs from what is here"
_DECISIONS = "decisions of a scope come only together with the whole scope"
_ENTITY_COLUMNS = ("entity", "subject", "object")
"""The columns of the parts of a fact that hold the id of an entity."""


class _Kind(NamedTuple):
    """A kind of merged records: table, noun of its audit entries, and tables of parts."""

    table: str
    noun: str
    parts: Mapping[str, tuple[str, str]] = {}
    """For each table of parts: the column with the id of the record, and the noun of entries."""
    unique: bool = False
    """Whether a record in the place of this one is the same, whatever its id is."""


_FACT_PARTS = dict.fromkeys(("fact_tags", "fact_entities", "relations"), ("fact", ""))
KINDS = (
    _Kind("facts", "fact", {"fact_versions": ("id", ""), **_FACT_PARTS}),
    _Kind("blocks", "block", {"block_versions": ("id", "")}),
    _Kind(
        "conversations",
        "conversation",
        {
            "messages": ("conversation", "message"),
            "compactions": ("conversation", "compaction"),
            "learning": ("conversation", ""),
            "attempts": ("conversation", "attempt"),
        },
    ),
    _Kind("sessions", "session"),
    _Kind("identities", "identity"),
    _Kind("tasks", "task", {"task_runs": ("task", "run")}, unique=True),
    _Kind("checkpoints", "checkpoint"),
    _Kind("snapshots", "snapshot"),
    _Kind("outcomes", "outcome"),
    _Kind("lessons", "lesson", unique=True),
    _Kind("observations", "observation"),
    _Kind("limitations", "limitation", unique=True),
    _Kind("usage", "usage"),
    _Kind("onboarding", "onboarding", unique=True),
    _Kind("conflicts", "conflict", unique=True),
    _Kind("feedback", "feedback"),
)
"""All tables with records, except decisions. Uses of facts are counted anew here."""
_NOUNS = {
    name: noun
    for kind in KINDS
    for name, noun in ((kind.table, kind.noun), *((name, n) for name, (_, n) in kind.parts.items()))
}


@dataclass(slots=True)
class Merge:
    """One merge: into a scope of the target, from a staged one."""

    unit: Unit
    session: Session
    sql: Statements
    tables: Mapping[str, TableRows]
    staging: Staging
    staged: StagedScope
    here: Session
    """The session of the staging file."""
    scope: int
    """The number of the scope in the target."""
    lines: Counter[str] = field(default_factory=Counter)
    refused: list[Refusal] = field(default_factory=list)
    added: dict[str, dict[str, Mapping[str, Any]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    """The new rows of each table that is searched or has entries, by their ids."""

    def run(self) -> None:
        for kind in KINDS:
            for row in self.staged_rows(kind.table):
                self._add(kind, row)
            self._add_parts(kind)
        if self.staged.rows["decisions"]:
            self._refuse(f"decisions of scope {self.staged.scope}", _DECISIONS)
        if self.lines:
            self._continue_chain()

    def _add(self, kind: _Kind, row: Mapping[str, Any]) -> None:
        table, mine = self.tables[kind.table], {**row, "scope": self.scope}
        if there := table.record(self.session, row["id"]):
            if there != (self.scope, *row.values()):
                self._refuse(f"{kind.noun} {row['id']}", _DIFFERS)
        elif self.ask("erasure_of", id=row["id"]):
            self._refuse(f"{kind.noun} {row['id']}", ERASED)
        elif table.add_if_new(self.session, mine):
            self._count(kind.table, row)
        elif kind.table == "facts":
            if not self.ask("same_statement", kind=row["kind"], fingerprint=row["fingerprint"]):
                self._refuse(f"{kind.noun} {row['id']}", _DIFFERS)
        elif not kind.unique:
            self._refuse(f"{kind.noun} {row['id']}", _DIFFERS)

    def _add_parts(self, kind: _Kind) -> None:
        new = self.added.get(kind.table)
        if not new:
            return
        entities = _MergedEntities(self) if kind.table == "facts" else None
        for name, (column, _) in kind.parts.items():
            table = self.tables[name]
            for row in self.staged_rows(name):
                if row[column] in new:
                    mine = {**(entities.mapped(row) if entities else row), "scope": self.scope}
                    if not table.add_if_new(self.session, mine):
                        raise ConflictError(f"a part of {kind.noun} {row[column]} already exists")
                    self._count(name, row)

    def _count(self, table: str, row: Mapping[str, Any]) -> None:
        self.lines[table] += 1
        if "id" in row and table not in ("fact_versions", "block_versions"):
            self.added[table][row["id"]] = row

    def _refuse(self, place: str, reason: str) -> None:
        self.refused.append(Refusal(place=place, reason=reason))

    def _continue_chain(self) -> None:
        """Append the entries of the added records, and one for the import itself."""
        scope = self.staged.scope
        new = {(_NOUNS[name], id) for name, rows in self.added.items() for id in rows}
        for entry in self.staged_rows("audit"):
            if (noun_of(entry["action"]), entry["subject"]) in new:
                self.unit.adopt(entry, scope)
                self.lines["audit"] += 1
        source = self.staged.head["head_hash"].hex()[:16]
        self.unit.record(MERGED, source, scope, f"merged {len(new):,} records of an export")

    def staged_rows(self, table: str) -> Iterator[dict[str, Any]]:
        return self.staging.tables[table].rows(self.here, self.staged.number)

    def ask(self, statement: str, **params: object) -> list[Row]:
        place = {"space": self.unit.space, "scope": self.scope}
        return self.session.rows(self.sql[statement,], {**place, **params})


class _MergedEntities:
    """Maps entities of another memory to stored ones; adds new ones on demand."""

    def __init__(self, merge: Merge) -> None:
        self._merge = merge
        self._entities = {row["id"]: row for row in merge.staged_rows("entities")}
        self._names: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in merge.staged_rows("entity_names"):
            self._names[row["entity"]].append(row)
        self._found: dict[str, str] = {}

    def mapped(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a part of a fact with the ids of entities here."""
        return {
            name: self._id_here(value)
            if name in _ENTITY_COLUMNS and value in self._entities
            else value
            for name, value in row.items()
        }

    def _id_here(self, id: str) -> str:
        if id not in self._found:
            self._found[id] = self._stored_or_added(id)
        return self._found[id]

    def _stored_or_added(self, id: str) -> str:
        for name in self._names[id]:
            for (found,) in self._merge.ask("entity_named", folded=name["folded"]):
                return str(found)
        for table, rows in (("entities", [self._entities[id]]), ("entity_names", self._names[id])):
            for row in rows:
                mine = {**row, "scope": self._merge.scope}
                added = self._merge.tables[table].add_if_new(self._merge.session, mine)
                self._merge.lines[table] += added
        return id

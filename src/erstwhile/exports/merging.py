"""Merge an imported scope into one that holds other records.

A record comes with its parts, its times and its audit entries, or not at all. It comes if it is new
here, by its id and by its content. The entries are appended to the chain that is here, with their
own times and actors, and then one entry tells of the import. What is here stays as it is: a record
that differs is reported. Decisions stay out: their digests belong to the key of their scope.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from erstwhile.core.errors import ConflictError
from erstwhile.core.ports import Session
from erstwhile.core.scope import Scope
from erstwhile.exports.merged_entities import MergedEntities
from erstwhile.exports.staging import Refusal, StagedScope, Staging
from erstwhile.exports.tables import TABLES, TableReader, statements
from erstwhile.storage.audit_verification import noun_of
from erstwhile.storage.statements import Statements
from erstwhile.storage.unit import Unit

MERGED = "import.merge"
ERASED, _DIFFERS = "it was erased here", "it differs from what is here"
_DECISIONS = "decisions of a scope come only together with the whole scope"
_TABLES = {table.name: table for table in TABLES}


class _Kind(NamedTuple):
    """Records that come as a whole: their table, the noun of their entries, and their parts."""

    table: str
    noun: str
    parts: Mapping[str, tuple[str, str]] = {}
    """For each table of parts: the column with the id of the record, and the noun of entries."""
    twins: bool = False
    """Whether a record with another id is the same if it is in the place of this one."""


_KINDS = (
    _Kind(
        "facts",
        "fact",
        {
            "fact_versions": ("id", ""),
            "fact_tags": ("fact", ""),
            "fact_entities": ("fact", ""),
            "relations": ("fact", ""),
        },
    ),
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
    _Kind("tasks", "task", {"task_runs": ("task", "run")}, twins=True),
    _Kind("checkpoints", "checkpoint"),
    _Kind("snapshots", "snapshot"),
    _Kind("outcomes", "outcome"),
    _Kind("lessons", "lesson", twins=True),
    _Kind("observations", "observation"),
    _Kind("limitations", "limitation", twins=True),
    _Kind("usage", "usage"),
    _Kind("onboarding", "onboarding", twins=True),
    _Kind("conflicts", "conflict", twins=True),
    _Kind("feedback", "feedback"),
)
"""All tables with records, except decisions. Uses of facts are counted anew here."""
UNMERGED = frozenset(("scopes", "audit", "decisions", "entities", "entity_names", "fact_uses"))
"""The tables that are no records, or stay out. A test compares both lists with all tables."""


def merged_tables() -> set[str]:
    return {name for kind in _KINDS for name in (kind.table, *kind.parts)}


@dataclass(slots=True)
class Merge:
    """One merge: into a scope of the target, from a staged one."""

    unit: Unit
    session: Session
    sql: Statements
    staging: Staging
    staged: StagedScope
    here: Session
    """The session of the staging file."""
    scope: int
    """The number of the scope in the target."""
    lines: Counter[str] = field(default_factory=Counter)
    known: int = 0
    left: list[Refusal] = field(default_factory=list)
    added: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    """The new rows of each table that is searched or has entries, by their ids."""

    def made(self) -> None:
        """Add what is new, and its entries."""
        for kind in _KINDS:
            for row in self._rows(kind.table):
                self._take(kind, row)
            self._take_parts(kind)
        if self.staged.rows["decisions"]:
            self._leave(f"decisions of scope {self.staged.scope}", _DECISIONS)
        if self.lines:
            self._continue_chain(self.staged.scope)

    def _take(self, kind: _Kind, row: Mapping[str, Any]) -> None:
        place, mine = {"space": self.unit.space, "id": row["id"]}, {**row, "scope": self.scope}
        sql = self.sql.filled(_TABLES[kind.table].fragments())
        if there := self.session.rows(sql["row_of_record",], place):
            self._compare(kind, row, tuple(mine.values()) == (*there[0][1:], there[0][0]))
        elif self.session.rows(sql["erasure_of",], {**place, "scope": self.scope}):
            self._leave(f"{kind.noun} {row['id']}", ERASED)
        elif not self.session.run(sql["add_if_new",], {**mine, "space": self.unit.space}):
            self._compare(kind, row, kind.twins or self._has_twin(kind, mine))
        else:
            self._count(kind.table, row)

    def _compare(self, kind: _Kind, row: Mapping[str, Any], same: bool) -> None:
        if same:
            self.known += 1
        else:
            self._leave(f"{kind.noun} {row['id']}", _DIFFERS)

    def _has_twin(self, kind: _Kind, row: Mapping[str, Any]) -> bool:
        """Return whether the same statement is here, under another id."""
        if kind.table != "facts":
            return False
        wanted = {name: row[name] for name in ("scope", "kind", "fingerprint")}
        found = self.session.rows(self.sql["twin_of_fact",], {**wanted, "space": self.unit.space})
        return bool(found)

    def _take_parts(self, kind: _Kind) -> None:
        """Add the parts of the records that were added."""
        new = self.added.get(kind.table, {})
        entities = MergedEntities(self.unit, self.session, self.sql, self.scope)
        if new and kind.table == "facts":
            entities.read(self._rows("entities"), self._rows("entity_names"))
        for name, (column, _) in kind.parts.items() if new else ():
            table = _TABLES[name]
            add = self.sql.filled(table.fragments())["add_if_new",]
            for row in self._rows(name):
                if row[column] not in new:
                    continue
                mine = {**entities.mapped(row), "space": self.unit.space}
                if not table.owner:
                    mine["scope"] = self.scope
                if not self.session.run(add, mine):
                    raise ConflictError(f"a part of {kind.noun} {row[column]} is here already")
                self._count(name, row)
        self.lines += entities.lines

    def _count(self, table: str, row: Mapping[str, Any]) -> None:
        self.lines[table] += 1
        if "id" in row and table not in ("fact_versions", "block_versions"):
            self.added.setdefault(table, {})[row["id"]] = row

    def _leave(self, place: str, reason: str) -> None:
        self.left.append(Refusal(place=place, reason=reason))

    def _continue_chain(self, scope: Scope) -> None:
        """Append the entries of what was added, and one for the import itself."""
        nouns = {kind.table: kind.noun for kind in _KINDS}
        nouns |= {name: noun for kind in _KINDS for name, (_, noun) in kind.parts.items()}
        new = {(nouns[name], id) for name, rows in self.added.items() for id in rows}
        for entry in self._rows("audit"):
            if (noun_of(entry["action"]), entry["subject"]) in new:
                self.unit.adopt(entry, scope)
                self.lines["audit"] += 1
        source = self.staged.head["head_hash"].hex()[:16]
        self.unit.record(MERGED, source, scope, f"merged {len(new):,} records of an export")

    def _rows(self, table: str) -> Iterator[Mapping[str, Any]]:
        """Yield the staged rows of a table."""
        read = TableReader(
            _TABLES[table],
            statements(self.staging.engine.dialect),
            self.here,
            self.staging.engine.space,
        )
        for row in read.rows(self.staged.number):
            yield dict(zip(_TABLES[table].columns, row, strict=True))

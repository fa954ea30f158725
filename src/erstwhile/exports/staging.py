"""Hold the lines of an import in a temporary file until each scope is known to be whole.

Every line is checked: first its form, then, by the database itself, its references and what must be
unique. Afterwards the audit chain of each scope is verified against all its records. A line that is
refused spoils its scope: a scope is imported as a whole or not at all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from erstwhile.core.clock import SystemClock
from erstwhile.core.errors import ConflictError
from erstwhile.core.ports import Row, Session
from erstwhile.core.scope import Scope, Viewer, scope_params
from erstwhile.decisions.vouching import unvouched
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.exports.format import LinesDigest, RefusedLineError
from erstwhile.exports.tables import SCOPES, TABLES, ExportedTable, TableReader, TableWriter
from erstwhile.exports.tables import statements as statements_of
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.secrets.masking import masked_repr
from erstwhile.storage.access import Access
from erstwhile.storage.audit_verification import verify_chain
from erstwhile.storage.view import View

_BATCH = 500
_PAGE = 100
_TABLES = {table.name: table for table in TABLES}
_ORDER = {name: place for place, name in enumerate(_TABLES)}


@masked_repr
@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A part of a file that was not imported: a line or a scope, and the reason."""

    place: str
    reason: str


class StagedLine(NamedTuple):
    """A checked line, with its number in the file."""

    number: int
    table: str
    scope: Scope
    values: Mapping[str, Any]


@dataclass(slots=True)
class StagedScope:
    """A scope in the temporary file: its number there, and the line that spoiled it, if any."""

    number: int
    scope: Scope
    head: Mapping[str, Any]
    spoiled: bool = False
    rows: Counter[str] = field(default_factory=Counter)
    expected: Mapping[str, int] | None = None
    """The number of lines of each table, as the end of the scope tells."""
    digest: LinesDigest = field(default_factory=LinesDigest)
    unchanged: bool = False
    """Whether the digest of its lines is that which its end tells."""

    @property
    def trouble(self) -> str | None:
        """What is wrong with its lines, if anything is."""
        if self.spoiled:
            return "a line of it was refused"
        if self.expected is None:
            return "its end is missing"
        if lacking := Counter(self.expected) - self.rows:
            told = ", ".join(f"{count} of {table}" for table, count in lacking.items())
            return f"lines of it are missing: {told}"
        return "it has more lines than its end says" if self.rows - Counter(self.expected) else None

    @property
    def change(self) -> str | None:
        """What is wrong if nothing else is: a value that no audit entry covers was changed."""
        return None if self.unchanged else "a line of it was changed: its digest does not fit"


class Staging:
    """The temporary file. `refused` collects what is wrong, in the order of the file.

    Unless somebody vouches for the file, what a person decided according to it is marked.
    """

    def __init__(self, engine: SqliteEngine, *, vouch: bool) -> None:
        self.engine = engine
        self._vouch = vouch
        self.scopes: dict[Scope, StagedScope] = {}
        self.refused: list[Refusal] = []
        self._sql = statements_of(engine.dialect)
        self._waiting: list[StagedLine] = []
        self._access = Access(engine, SystemClock(), Viewer(everything=True), LazyAnalyser())
        engine.write(lambda session: session.run(self._sql["make_vector_table",], {}))

    def add(self, line: StagedLine) -> None:
        """Take a line. Raise RefusedLineError if it cannot belong to its scope."""
        if line.table == SCOPES:
            self._begin(line)
        elif line.scope not in self.scopes:
            raise RefusedLineError("its scope has no line before it")
        self._waiting.append(line)
        if len(self._waiting) >= _BATCH:
            self.write()

    def write(self) -> None:
        """Write the lines that wait; if one of them is refused, write them one by one."""
        lines, self._waiting = self._waiting, []
        try:
            self.engine.write(lambda session: self._write(session, lines))
        except ConflictError:
            for line in lines:
                self._write_one(line)
        for line in lines:
            self.scopes[line.scope].rows[line.table] += 1

    def refuse(self, number: int, scope: Scope | None, reason: str) -> None:
        """Refuse a line; its scope is not imported."""
        self.refused.append(Refusal(place=f"line {number}", reason=reason))
        if scope in self.scopes:
            self.scopes[scope].spoiled = True

    def whole(self) -> Iterator[StagedScope]:
        """Yield the scopes that may be imported; refuse the others."""
        problems = self._access.ask(self._chains)
        for staged in list(self.scopes.values()):
            if reason := staged.trouble or problems.get(staged.number) or staged.change:
                self.refused.append(Refusal(place=f"scope {staged.scope}", reason=reason))
            else:
                yield staged

    def rows(self, session: Session, table: ExportedTable, scope: int) -> Iterator[Row]:
        """Yield the rows of a scope in the order of the file."""
        return TableReader(table, self._sql, session, self.engine.space).rows(scope)

    def vectors(self, session: Session, scope: int) -> Iterator[Row]:
        """Yield the record, start, length and bytes of each vector of a scope."""
        params = {"scope": scope, "after": 0, "limit": _PAGE}
        while found := session.rows(self._sql["staged_vectors",], params):
            yield from (row[:4] for row in found)
            params["after"] = found[-1][4]

    def newest(self, scope: int) -> int:
        """Return the time of the newest change of a scope, or 0."""
        told = {"space": self.engine.space, "scope": scope}
        rows = self.engine.read(lambda session: session.rows(self._sql["newest_time",], told))
        return rows[0][0] or 0

    def unvouched(self, scope: int) -> int:
        """Return how many permissions of a person in a scope nobody vouches for."""
        told = {"space": self.engine.space, "scope": scope}
        statement = self._sql["unvouched_permissions",]
        return int(self.engine.read(lambda session: session.rows(statement, told))[0][0])

    def _begin(self, line: StagedLine) -> None:
        if line.scope in self.scopes:
            raise RefusedLineError("its scope has a line already")
        number = len(self.scopes) + 1
        self.scopes[line.scope] = StagedScope(number, line.scope, line.values)

    def _write(self, session: Session, lines: Sequence[StagedLine]) -> None:
        """Write lines in the order of their tables, so that each follows what it refers to."""
        groups: dict[str, list[StagedLine]] = {}
        for line in lines:
            groups.setdefault(line.table, []).append(line)
        for name in sorted(groups, key=lambda name: _ORDER.get(name, len(_ORDER))):
            rows = [self._row(line) for line in groups[name]]
            if name in _TABLES:
                space = self.engine.space
                TableWriter(_TABLES[name], self._sql, session, space).add(rows)
            else:
                session.run_many(self._sql["stage_vector",], rows)

    def _row(self, line: StagedLine) -> dict[str, Any]:
        number = self.scopes[line.scope].number
        if line.table == SCOPES:
            dimensions = scope_params(line.scope)
            named = {f"scope_{name}": value for name, value in dimensions.items()}
            return {"id": number, **named, **line.values}
        place = {} if line.table in _TABLES else {"number": line.number}
        marked = line.table == "decisions" and not self._vouch
        values = unvouched(line.values) if marked else line.values
        return {"scope": number, **place, **values}

    def _write_one(self, line: StagedLine) -> None:
        try:
            self.engine.write(lambda session: self._write(session, [line]))
        except ConflictError as error:
            self.refuse(line.number, line.scope, f"{line.table}: {error.message}")

    def _chains(self, view: View) -> dict[int, str]:
        """Return what is wrong with each audit chain, or with the records under it."""
        chains = view.rows("visible_chains", {})
        found = {chain[0]: verify_chain(view, chain).problems for chain in chains}
        return {scope: problems[0] for scope, problems in found.items() if problems}

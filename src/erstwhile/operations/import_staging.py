"""Stage the lines of an export in a temporary file, to check each scope as a whole.

Every line is checked: first its form, then, by the database itself, its references and what must be
unique. Afterwards the audit chain of each scope is verified against all its records. A scope is
imported as a whole or not at all: one refused line is enough to refuse it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from erstwhile.core.errors import ConflictError, InvalidInputError, NotFoundError
from erstwhile.core.ports import Row, Session
from erstwhile.core.scope import SHARED, Scope, scope_params
from erstwhile.decisions.decision import untrusted
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.operations.export_format import (
    END,
    HEADER,
    LINKS,
    NAME,
    VERSION,
    LinesDigest,
    RefusedLineError,
    counted_lines,
    formats,
    parsed,
    scope_of,
)
from erstwhile.operations.results import Refusal
from erstwhile.operations.tables import EMBEDDERS, SCOPES, VECTORS, exported_tables, statements
from erstwhile.storage.audit_chain import verify_chain
from erstwhile.storage.columns import encode
from erstwhile.storage.view import View

_BATCH, _PAGE = 500, 100
IsWanted = Callable[[Scope, Mapping[str, Any]], bool]
"""A function that says whether a scope, with the end of its chain, is to be imported."""


class StagedLine(NamedTuple):
    """A checked line, with its number in the file."""

    number: int
    table: str
    scope: Scope
    values: Mapping[str, Any]


@dataclass(slots=True)
class StagedScope:
    """A staged scope, with its number in the temporary file."""

    number: int
    scope: Scope
    head: Mapping[str, Any]
    has_refused_line: bool = False
    rows: Counter[str] = field(default_factory=Counter)
    expected: Mapping[str, int] | None = None
    """The number of lines of each table, by the last line of the scope."""
    digest: LinesDigest = field(default_factory=LinesDigest)
    unchanged: bool = False
    """Whether the digest of its lines is that of its last line."""

    def problem(self, audit_problem: str | None) -> str | None:
        """Return the reason to refuse the scope, if any."""
        if self.has_refused_line:
            return "a line of it was refused"
        if self.expected is None:
            return "its end is missing"
        if missing := Counter(self.expected) - self.rows:
            return f"lines of it are missing: {_counts_text(missing)}"
        if self.rows - Counter(self.expected):
            return "it has more lines than its end says"
        changed = None if self.unchanged else "a line of it was changed: its digest does not fit"
        return audit_problem or changed


class Staging:
    """The temporary file. `refused` collects refused lines and scopes, in the order of the file.

    Unless the file is trusted, the decisions of people in it are marked as untrusted.
    """

    def __init__(self, engine: SqliteEngine, *, trust: bool) -> None:
        self.engine = engine
        self.tables = exported_tables(engine)
        self.scopes: dict[Scope, StagedScope] = {}
        self.refused: list[Refusal] = []
        self._trust = trust
        self._sql = statements(engine.dialect)
        self._waiting: list[StagedLine] = []
        engine.write(lambda session: session.run(self._sql["make_vector_table",], {}))

    def add(self, line: StagedLine) -> None:
        """Stage a line. Raise RefusedLineError if it cannot belong to its scope."""
        if line.table == SCOPES:
            if line.scope in self.scopes:
                raise RefusedLineError("its scope has a line already")
            self.scopes[line.scope] = StagedScope(len(self.scopes) + 1, line.scope, line.values)
        elif line.scope not in self.scopes:
            raise RefusedLineError("its scope has no line before it")
        self._waiting.append(line)
        if len(self._waiting) >= _BATCH:
            self.write()

    def write(self) -> None:
        """Write the waiting lines; if one of them is refused, write them one by one."""
        lines, self._waiting = self._waiting, []
        try:
            self.engine.write(partial(self._write, lines))
        except ConflictError:
            for line in lines:
                try:
                    self.engine.write(partial(self._write, [line]))
                except ConflictError as error:
                    reason = f"{line.table}: {error.message}"
                    self.refuse(f"line {line.number}", reason, line.scope)
        for line in lines:
            self.scopes[line.scope].rows[line.table] += 1

    def refuse(self, place: str, reason: str, scope: Scope | None = None) -> None:
        """Refuse a line, or more; its scope is not imported."""
        self.refused.append(Refusal(place=place, reason=reason))
        if scope in self.scopes:
            self.scopes[scope].has_refused_line = True

    def importable(self, audit_problems: Mapping[int, str]) -> Iterator[StagedScope]:
        """Yield the scopes that may be imported; refuse the others."""
        for staged in list(self.scopes.values()):
            if reason := staged.problem(audit_problems.get(staged.number)):
                self.refuse(f"scope {staged.scope}", reason)
            else:
                yield staged

    def vectors(self, session: Session, scope: int) -> Iterator[Row]:
        """Yield the record, start, length and bytes of each vector of a scope."""
        params = {"scope": scope, "after": 0, "limit": _PAGE}
        while found := session.rows(self._sql["staged_vectors",], params):
            yield from (row[:4] for row in found)
            params["after"] = found[-1][4]

    def number(self, scope: int, *statement: str) -> int:
        """Return the number that a statement finds in a scope, or 0."""
        params = {"space": self.engine.space, "scope": scope}
        rows = self.engine.read(lambda session: session.rows(self._sql[statement], params))
        return rows[0][0] or 0

    def _write(self, lines: Sequence[StagedLine], session: Session) -> None:
        """Write lines in the order of their tables, so that each follows what it refers to."""
        groups = defaultdict(list)
        for line in lines:
            groups[line.table].append(self._row(line))
        for name, table in self.tables.items():
            if name in groups:
                table.add(session, groups[name])
        session.run_many(self._sql["stage_vector",], groups[VECTORS])

    def _row(self, line: StagedLine) -> dict[str, Any]:
        number = self.scopes[line.scope].number
        if line.table == SCOPES:
            named = {f"scope_{name}": value for name, value in scope_params(line.scope).items()}
            return {"id": number, **named, **line.values}
        if line.table == "decisions" and not self._trust:
            return {"scope": number, **untrusted(line.values)}
        place = {"number": line.number} if line.table == VECTORS else {}
        return {"scope": number, **place, **line.values}


def audit_problems(view: View) -> dict[int, str]:
    """Return the first problem of each audit chain and of its records."""
    chains = view.rows("visible_chains", {})
    found = {chain[0]: verify_chain(view, chain).problems for chain in chains}
    return {scope: problems[0] for scope, problems in found.items() if problems}


class ExportReader:
    """Reads the lines of a file. `model` made its vectors, `links` are its links of names."""

    def __init__(self, file: Path, staging: Staging, is_wanted: IsWanted) -> None:
        self._file = file
        self._staging = staging
        self._is_wanted = is_wanted
        self._skipped: set[Scope] = set()
        self._seen: Counter[str] = Counter()
        self._model_line: tuple[str, ...] = ()
        self.model: Mapping[str, Any] | None = None
        self.links: list[StagedLine] = []
        self._header = read_header(file)
        self._expected: Counter[str] = Counter(self._header["lines"])
        self.total = self._expected.total()
        self._digest_of_links = LinesDigest()

    def read(self, progress: Callable[[int], None]) -> None:
        """Check every line, and stage those of wanted scopes."""
        for number, line in _lines(self._file):
            if number > 1:
                self._check(number, line)
                progress(number - 1)
        self._staging.write()
        if self.links and self._digest_of_links.text() != self._header.get("links_digest"):
            reason = "a line of them was changed: their digest does not fit"
            self._staging.refuse("the links of names", reason)
            self.links = []
        if missing := self._expected - self._seen:
            self._staging.refuse("the file", f"lines are missing: {_counts_text(missing)}")

    def _check(self, number: int, line: bytes) -> None:
        scope: Scope | None = None
        try:
            fields = parsed(line)
            table = fields["table"]
            if table == END:
                if staged := self._staging.scopes.get(scope_of(fields)):
                    staged.expected = counted_lines(fields)
                    staged.unchanged = staged.digest.text() == fields.get("digest")
                return
            self._seen[table] += 1
            form = formats().get(table)
            scope = scope_of(fields) if form is None or form.scoped else SHARED
            if form is None:
                raise RefusedLineError(f"there is no table {table!r}"[:100])
            if not (form.scoped and scope in self._skipped):
                values = form.values(fields)
                self._stage(StagedLine(number, table, scope, values), encode(fields))
        except RefusedLineError as error:
            self._staging.refuse(f"line {number}", str(error), scope)

    def _stage(self, line: StagedLine, text: str) -> None:
        if line.table == EMBEDDERS:
            self.model, self._model_line = line.values, (text,)
        elif line.table == LINKS:
            self.links.append(line)
            self._digest_of_links.add(text)
        elif line.table == SCOPES and not self._is_wanted(line.scope, line.values):
            self._skipped.add(line.scope)
        else:
            self._staging.add(line)
            before = self._model_line if line.table == SCOPES else ()
            for each in (*before, text):
                self._staging.scopes[line.scope].digest.add(each)


def read_header(file: Path) -> dict[str, Any]:
    """Read the first line of a file. Raise InvalidInputError if it is no export."""
    try:
        fields = parsed(next(_lines(file))[1])
    except (RefusedLineError, StopIteration):
        fields = {}
    known = (fields.get("table"), fields.get("format")) == (HEADER, NAME)
    if known and fields.get("version") != VERSION:
        raise InvalidInputError(
            f"{file} has version {fields.get('version')!r} of the format",
            remedy=f"this program reads version {VERSION}: use a newer one",
        )
    if not known or counted_lines(fields) is None:
        raise InvalidInputError(
            f"{file} is not an export of a memory",
            remedy="give a file that `erstwhile export` wrote; for other programs see `--from`",
        )
    return fields


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines with their numbers. Only a line feed ends a line."""
    try:
        with file.open("rb") as opened:
            yield from enumerate(opened, 1)
    except OSError as error:
        raise NotFoundError(
            f"{file} cannot be read ({error.strerror})", remedy="check the path"
        ) from None


def _counts_text(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} of {table}" for table, count in counts.items())

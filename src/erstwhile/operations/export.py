"""Export one snapshot of a memory as JSON lines or Markdown, in constant memory.

The lines of a scope follow each other, so an import can take or refuse a scope as a whole. The
order of all lines is fixed: a memory that was imported exports the same bytes again.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple

from erstwhile.core.errors import ConflictError, InvalidInputError, StorageError
from erstwhile.core.kinds import Trust
from erstwhile.core.ports import Engine, Row, Session
from erstwhile.core.scope import DIMENSIONS, SHARED, Dimensions, Scope, to_scope
from erstwhile.core.time import ENDLESS, from_micros
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite import location as folders
from erstwhile.operations.export_format import (
    END,
    HEADER,
    LINKS,
    NAME,
    VERSION,
    LinesDigest,
    dimensions_of,
    formats,
    time_text,
)
from erstwhile.operations.results import Exported, Progress
from erstwhile.operations.tables import EMBEDDERS, VECTORS, exported_tables, statements
from erstwhile.profile.identities import names_of_person
from erstwhile.storage.columns import encode
from erstwhile.storage.view import View


class SelectedScope(NamedTuple):
    """An exported scope: its number in this store, and the length of its audit chain."""

    number: int
    scope: Scope
    entries: int


def named_dimensions(dimensions: Dimensions) -> Dimensions:
    """Refuse a dimension that is None: an unknown user must not become all users."""
    for name, value in dimensions.items():
        if value is None:
            raise InvalidInputError(
                f"{name} is None: this would export every {name}",
                remedy=f"name the {name}; to export all of them on purpose, leave it out",
            )
    return dimensions


def select(view: View, scope: Scope) -> Selection:
    """Select a scope and all narrower ones; of a person, the scopes under all their names.

    An erasure of the same person destroys the same scopes, and the same links of names.
    """
    values: dict[str, tuple[str, ...]] = {
        name: (value,) for name, value in dimensions_of(scope).items()
    }
    if scope.user is not None:
        names, links = names_of_person(view, scope)
        values["user"] = tuple(sorted(names))
        selected = Selection(values)
        return replace(selected, links=tuple(each for each in links if not selected.has(each)))
    return Selection(values)


@dataclass(frozen=True, slots=True)
class Selection:
    """The allowed values of each dimension; a missing dimension is not limited."""

    values: Mapping[str, tuple[str, ...]]
    links: tuple[Row, ...] = ()
    """The links between the names of a person that lie in scopes of others."""

    @property
    def described(self) -> dict[str, list[str]]:
        """The selection, for the header of an export."""
        return {name: list(self.values[name]) for name in DIMENSIONS if name in self.values}

    def has(self, link: Row) -> bool:
        """Return whether the scope of a link is selected as a whole."""
        scope = to_scope(*link[1:5])
        return all(getattr(scope, name) in values for name, values in self.values.items())

    def scopes(self, session: Session, dialect: str, space: str) -> list[SelectedScope]:
        """Return the scopes, each wider one before the narrower ones."""
        sql = statements(dialect).filled({"selected": self._condition()})
        rows = session.rows(sql["selected_scopes",], {"space": space, **self._params()})
        return [SelectedScope(id, to_scope(*dims), last) for id, *dims, last in rows]

    def _condition(self) -> str:
        limits = [
            f"s.scope_{name} IN ({', '.join(f':{name}_{n}' for n in range(len(values)))})"
            for name, values in self.values.items()
        ]
        return " AND ".join(["1 = 1", *limits])

    def _params(self) -> dict[str, str]:
        return {
            f"{name}_{number}": value
            for name, values in self.values.items()
            for number, value in enumerate(values)
        }


_TOLD_EVERY = 1_000
_VECTORS = 100
"""The number of vectors read at a time."""


class Export:
    """The lines of one snapshot."""

    def __init__(
        self, engine: Engine, session: Session, selection: Selection, *, vectors: bool
    ) -> None:
        self._engine = engine
        self._session = session
        self._selection = selection
        self.scopes = selection.scopes(session, engine.dialect, engine.space)
        self._tables = exported_tables(engine)
        self._counts = {name: each.count_by_scope(session) for name, each in self._tables.items()}
        self._embedder = 0
        self._model: tuple[str, ...] = ()
        """The line of the model that made the vectors."""
        found = self._rows("serving_embedder") if vectors else []
        if found:
            self._embedder, *model = found[0]
            self._model = (formats()[EMBEDDERS].line(model, SHARED),)
            counted = self._rows("count_vectors_by_scope", embedder=self._embedder)
            self._counts[VECTORS] = dict(counted)
        self.lines = self._counted()

    def write(self, file: IO[str], progress: Progress) -> None:
        """Write the header, and then the lines of each scope."""
        total = sum(self.lines.values())
        file.write(self._header() + "\n")
        for done, line in enumerate(self._all_lines(), 1):
            file.write(line + "\n")
            if done % _TOLD_EVERY == 0:
                progress(min(done, total), total)
        progress(total, total)

    def _rows(self, name: str, **params: object) -> list[Row]:
        statement = statements(self._engine.dialect)[name,]
        return self._session.rows(statement, {"space": self._engine.space, **params})

    def _counted(self) -> Mapping[str, int]:
        lines: Counter[str] = Counter()
        for name, counts in self._counts.items():
            lines[name] += sum(counts.get(each.number, 0) for each in self.scopes)
        lines[EMBEDDERS] += len(self._model)
        lines[LINKS] += len(self._selection.links)
        return MappingProxyType({name: lines[name] for name in formats() if lines[name]})

    def _header(self) -> str:
        links = list(self._links())
        ends = [self._rows("time_of_entry", scope=s.number, seq=s.entries) for s in self.scopes]
        newest = max((rows[0][0] for rows in ends if rows), default=None)
        return encode(
            {
                "table": HEADER,
                "format": NAME,
                "version": VERSION,
                "selection": self._selection.described,
                "newest_change": time_text(newest),
                "lines": dict(self.lines),
                **({"links_digest": LinesDigest(*links).text()} if links else {}),
            }
        )

    def _all_lines(self) -> Iterator[str]:
        yield from self._model
        for each in self.scopes:
            yield from self._lines_of_scope(each)
        yield from self._links()

    def _links(self) -> Iterator[str]:
        for id, *dimensions, alias, person, changed_at in self._selection.links:
            row = (id, alias, person, changed_at)
            yield formats()[LINKS].line(row, to_scope(*dimensions))

    def _lines_of_scope(self, each: SelectedScope) -> Iterator[str]:
        digest, lines = LinesDigest(*self._model), dict[str, int]()
        for name, counts in self._counts.items():
            if each.number not in counts:
                continue
            lines[name] = counts[each.number]
            for row in self._rows_of_scope(name, each.number):
                line = formats()[name].line(row, each.scope)
                digest.add(line)
                yield line
        scope = dimensions_of(each.scope)
        yield encode({"table": END, "scope": scope, "lines": lines, "digest": digest.text()})

    def _rows_of_scope(self, name: str, scope: int) -> Iterator[Row]:
        if name in self._tables:
            yield from self._tables[name].rows(self._session, scope)
            return
        place = {"scope": scope, "embedder": self._embedder, "limit": _VECTORS}
        after: Row = ("", -1)
        while found := self._rows("vectors_of_scope", **place, record=after[0], place=after[1]):
            yield from (row[:4] for row in found)
            after = found[-1][4:]


class ExportFormat(StrEnum):
    """The formats of an export."""

    JSONL = "jsonl"
    """Everything, line by line, for an import."""
    MARKDOWN = "markdown"
    """Live facts and blocks, for people to read."""


@dataclass(frozen=True, slots=True)
class Writing:
    """Options of an export."""

    selection: Selection
    form: ExportFormat
    vectors: bool
    now: int
    progress: Progress

    def to_file(self, engine: Engine, target: Path) -> Exported:
        """Write one snapshot to a new file."""
        with _renamed_when_complete(target) as file:
            lines, scopes = engine.read(lambda session: self._write(engine, session, file))
        return Exported(path=str(target), bytes=target.stat().st_size, lines=lines, scopes=scopes)

    def _write(self, engine: Engine, session: Session, file: IO[str]) -> tuple[dict[str, int], int]:
        if self.form is ExportFormat.MARKDOWN:
            counts = write_markdown(file, engine, session, self.selection, self.now)
            return counts, len(self.selection.scopes(session, engine.dialect, engine.space))
        export = Export(engine, session, self.selection, vectors=self.vectors)
        export.write(file, self.progress)
        return dict(export.lines), len(export.scopes)


@contextmanager
def _renamed_when_complete(target: Path) -> Iterator[IO[str]]:
    """Open a temporary file for writing; rename it to `target` on success."""
    _check_new(target)
    try:
        with unfinished(target) as path:
            path.touch(0o600, exist_ok=False)
            with path.open("w", encoding="utf-8", newline="\n") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            _check_new(target)  # another export may have got the name meanwhile
            path.rename(target)
        folders.sync(target.parent)
    except OSError as error:
        raise StorageError(
            f"{target} cannot be written ({error.strerror})",
            remedy="check the folder, its permissions and the space on its disk",
        ) from error


def _check_new(target: Path) -> None:
    if target.exists():
        raise ConflictError(f"{target} is there already", remedy="name a new file")


_TICKS = re.compile("`+")
_SPECIAL = re.compile(r"[\\`*_\[\]<>&~|$]|(?<=:)//|(?<=www)\.|@")
"""What begins emphasis, code, links, HTML, entities, tables or formulas; addresses become links."""
_BLOCK_START = re.compile(r"^(\d{0,9})([#+\-=.):])")
"""What begins a heading, a list or a rule at the start of a line."""


def write_markdown(
    file: IO[str], engine: Engine, session: Session, selection: Selection, now: int
) -> dict[str, int]:
    """Write a document; return the number of facts and blocks in it."""
    counts, tables = {"facts": 0, "blocks": 0}, exported_tables(engine)
    file.write(f"# Memory\n\nAs of {from_micros(now):%Y-%m-%d %H:%M} UTC.\n")
    for number, scope, _ in selection.scopes(session, engine.dialect, engine.space):
        title = "Shared with everybody" if scope == SHARED else _in_line(str(scope))
        heading = f"\n## {title}\n"
        for name in counts:
            rows, gap = tables[name].named_rows(session, number), "\n"
            for text in _facts(rows, now) if name == "facts" else _blocks(rows):
                file.write(heading + gap + text)
                heading, gap, counts[name] = "", "" if name == "facts" else "\n", counts[name] + 1
    return counts


def _facts(rows: Iterator[Mapping[str, Any]], now: int) -> Iterator[str]:
    """Yield a list item for each fact that holds now."""
    for row in rows:
        ended = row["retired_at"] is not None or row["deleted_at"] is not None
        holds = row["valid_from"] <= now < min(row["valid_to"], row["expires_at"])
        if holds and not ended and row["trust"] == Trust.TRUSTED:
            yield f"- {_in_line(row['text'])} ({'; '.join(_details(row))})\n"


def _details(row: Mapping[str, Any]) -> Iterator[str]:
    yield str(row["kind"])
    if row["key"] is not None:
        yield f"key {_in_line(row['key'])}"
    yield f"since {from_micros(row['valid_from']):%Y-%m-%d}"
    if row["valid_to"] != ENDLESS:
        yield f"until {from_micros(row['valid_to']):%Y-%m-%d}"
    yield f"from {row['origin']}"
    if tags := json.loads(row["tags"]):
        yield f"tags {', '.join(map(_in_line, tags))}"


def _blocks(rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a section for each block. Its content is quoted, whatever it contains."""
    for row in rows:
        if row["deleted_at"] is None:
            runs = _TICKS.findall(row["content"])
            fence = "`" * max([3, *(len(run) + 1 for run in runs)])
            about = f"{_in_line(row['description'])}\n\n" if row["description"] else ""
            head = f"### Block {_in_line(row['name'])} (version {row['version']})\n\n"
            yield f"{head}{about}{fence}\n{row['content']}\n{fence}\n"


def _in_line(text: str) -> str:
    """Escape a text for one line of Markdown or HTML."""
    return _BLOCK_START.sub(r"\1\\\2", _SPECIAL.sub(r"\\\g<0>", " ".join(text.split())))

"""Export one snapshot of a memory as JSON lines or Markdown, in constant memory.

The lines of a scope follow each other, so an import can take or refuse a scope as a whole. The
order of all lines is fixed: a memory that was imported exports the same bytes again.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

from erstwhile.core import folders
from erstwhile.core.errors import ConflictError, StorageError
from erstwhile.core.json_values import FrozenDict
from erstwhile.core.kinds import Trust
from erstwhile.core.ports import Engine, Progress, Row, Session, unseen
from erstwhile.core.scope import DIMENSIONS, SHARED, Scope, dimensions_of, to_scope
from erstwhile.core.time import ENDLESS, from_micros, to_micros
from erstwhile.core.unfinished_files import unfinished
from erstwhile.operations.export_format import (
    END,
    HEADER,
    LINKS,
    NAME,
    VERSION,
    LinesDigest,
    formats,
    time_text,
)
from erstwhile.operations.results import Exported
from erstwhile.operations.tables import EMBEDDERS, VECTORS, exported_tables, statements
from erstwhile.profile.identities import names_of_person
from erstwhile.storage.access import Access
from erstwhile.storage.columns import encode
from erstwhile.storage.view import View


class ExportFormat(StrEnum):
    """The formats of an export."""

    JSONL = "jsonl"
    """Everything, line by line, for an import."""
    MARKDOWN = "markdown"
    """Live facts and blocks, for people to read."""


def write_export(
    access: Access,
    scope: Scope,
    target: Path,
    *,
    form: ExportFormat = ExportFormat.JSONL,
    vectors: bool = False,
    progress: Progress = unseen,
) -> Exported:
    """Write one snapshot of a scope and all narrower ones to a new file."""
    engine, now = access.engine, to_micros(access.clock.now())
    selection = access.ask(lambda view: select(view, scope))

    def write(session: Session) -> tuple[Mapping[str, int], int]:
        if form is ExportFormat.MARKDOWN:
            scopes = selection.scopes(session, engine)
            return write_markdown(file, engine, session, scopes, now), len(scopes)
        export = Export(engine, session, selection, vectors=vectors)
        export.write(file, progress)
        return dict(export.lines), len(export.scopes)

    with _renamed_when_complete(target) as file:
        lines, scopes = engine.read(write)
    return Exported(path=str(target), bytes=target.stat().st_size, lines=lines, scopes=scopes)


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
        raise ConflictError(f"{target} already exists", remedy="name a new file")


class SelectedScope(NamedTuple):
    """An exported scope: its number in this store, and the length of its audit chain."""

    number: int
    scope: Scope
    entries: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The allowed values of each dimension; a missing dimension is not limited."""

    values: Mapping[str, tuple[str, ...]]
    links: tuple[Row, ...] = ()
    """The links between the names of a person that lie in scopes of others."""

    def has(self, link: Row) -> bool:
        """Return whether the scope of a link is selected as a whole."""
        scope = to_scope(*link[1:5])
        return all(getattr(scope, name) in values for name, values in self.values.items())

    def scopes(self, session: Session, engine: Engine) -> list[SelectedScope]:
        """Return the scopes, each wider one before the narrower ones."""
        conditions, params = ["1 = 1"], {"space": engine.space}
        for name, values in self.values.items():
            named = {f"{name}_{number}": value for number, value in enumerate(values)}
            conditions.append(f"s.scope_{name} IN ({', '.join(f':{each}' for each in named)})")
            params |= named
        sql = statements(engine.dialect).filled({"selected": " AND ".join(conditions)})
        rows = session.rows(sql["selected_scopes",], params)
        return [SelectedScope(id, to_scope(*dims), last) for id, *dims, last in rows]


def select(view: View, scope: Scope) -> Selection:
    """Select a scope and all narrower ones; of a person, the scopes under all their names.

    An erasure of the same person destroys the same scopes, and the same links of names.
    """
    values = {name: (value,) for name, value in dimensions_of(scope).items()}
    if scope.user is None:
        return Selection(values)
    names, links = names_of_person(view, scope)
    selected = Selection({**values, "user": tuple(sorted(names))})
    return replace(selected, links=tuple(each for each in links if not selected.has(each)))


_REPORTED_EVERY = 1_000
"""The number of lines between two reports of progress."""
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
        self.scopes = selection.scopes(session, engine)
        self._tables = exported_tables(engine)
        self._counts = {name: each.count_by_scope(session) for name, each in self._tables.items()}
        self._links = [
            formats()[LINKS].line((row[0], *row[5:]), to_scope(*row[1:5]))
            for row in selection.links
        ]
        self._model: tuple[str, ...] = ()
        """The line of the model that made the vectors."""
        for embedder, *model in self._rows("serving_embedder") if vectors else ():
            self._embedder = embedder
            self._model = (formats()[EMBEDDERS].line(model, SHARED),)
            counted = self._rows("count_vectors_by_scope", embedder=self._embedder)
            self._counts[VECTORS] = dict(counted)
        lines = {EMBEDDERS: len(self._model), LINKS: len(self._links)}
        for name, counts in self._counts.items():
            lines[name] = sum(counts.get(each.number, 0) for each in self.scopes)
        self.lines = FrozenDict({name: n for name in formats() if (n := lines.get(name))})

    def write(self, file: IO[str], progress: Progress) -> None:
        """Write the header, and then the lines of each scope."""
        total = sum(self.lines.values())
        file.write(self._header() + "\n")
        of_scopes = chain.from_iterable(map(self._lines_of_scope, self.scopes))
        for done, line in enumerate(chain(self._model, of_scopes, self._links), 1):
            file.write(line + "\n")
            if done % _REPORTED_EVERY == 0:
                progress(min(done, total), total)
        progress(total, total)

    def _rows(self, name: str, **params: object) -> list[Row]:
        statement = statements(self._engine.dialect)[name,]
        return self._session.rows(statement, {"space": self._engine.space, **params})

    def _header(self) -> str:
        values = self._selection.values
        ends = [self._rows("time_of_entry", scope=s.number, seq=s.entries) for s in self.scopes]
        newest = max((rows[0][0] for rows in ends if rows), default=None)
        digest = {"links_digest": LinesDigest(*self._links).text()} if self._links else {}
        return encode(
            {
                "table": HEADER,
                "format": NAME,
                "version": VERSION,
                "selection": {name: list(values[name]) for name in DIMENSIONS if name in values},
                "newest_change": None if newest is None else time_text(newest),
                "lines": dict(self.lines),
                **digest,
            }
        )

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

    def _rows_of_scope(self, name: str, scope: int) -> Iterator[Iterable[Any]]:
        if name in self._tables:
            yield from (row.values() for row in self._tables[name].rows(self._session, scope))
            return
        place = {"scope": scope, "embedder": self._embedder, "limit": _VECTORS}
        after: Row = ("", -1)
        while found := self._rows("vectors_of_scope", **place, record=after[0], place=after[1]):
            yield from (row[:4] for row in found)
            after = found[-1][4:]


_TICKS = re.compile("`+")
_SPECIAL = re.compile(r"[\\`*_\[\]<>&~|$]|(?<=:)//|(?<=www)\.|@")
"""The start of emphasis, code, links, HTML, entities, tables, formulas and linked addresses."""
_BLOCK_START = re.compile(r"^(\d{0,9})([#+\-=.):])")
"""The start of a heading, a list or a rule at the start of a line."""


def write_markdown(
    file: IO[str], engine: Engine, session: Session, scopes: Iterable[SelectedScope], now: int
) -> dict[str, int]:
    """Write a document; return the number of facts and blocks in it."""
    counts, tables = {"facts": 0, "blocks": 0}, exported_tables(engine)
    file.write(f"# Memory\n\nAs of {from_micros(now):%Y-%m-%d %H:%M} UTC.\n")
    for number, scope, _ in scopes:
        title = "Shared with everybody" if scope == SHARED else _in_line(str(scope))
        heading = f"\n## {title}\n"
        for name in counts:
            rows, gap = tables[name].rows(session, number), "\n"
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

"""The check of a backup: its pages, its rows and its audit trail."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw

from erstwhile.copying.tables import tables_of
from erstwhile.core.clock import SystemClock
from erstwhile.core.errors import CorruptError
from erstwhile.core.ports import Engine, Session
from erstwhile.core.scope import Viewer
from erstwhile.engines.sqlite.connection import translate
from erstwhile.engines.sqlite.engine import SqliteEngine
from erstwhile.engines.sqlite.pages import damages, open_frozen
from erstwhile.search.analyser import LazyAnalyser
from erstwhile.storage.access import Access
from erstwhile.storage.audit import verify_trail

_REMEDY = "use another backup"


@dataclass(frozen=True, slots=True)
class Content:
    """The number of rows of each table, and of entries on the audit trail."""

    rows: Mapping[str, int]
    entries: int


def count_rows(engine: Engine, session: Session) -> dict[str, int]:
    return {table.name: table.count(session) for table in tables_of(engine, session)}


def verify(path: Path, key: str = "") -> Content:
    """Check a file in which nobody writes. Raise CorruptError if anything is wrong with it."""
    _check_pages(path, key)
    frozen = f"{path.as_uri()}?mode=ro&immutable=1"
    with closing(SqliteEngine(frozen, create=False, key=key)) as engine:
        rows = engine.read(lambda session: count_rows(engine, session))
        access = Access(engine, SystemClock(), Viewer(everything=True), LazyAnalyser())
        trail = verify_trail(access)
    if not trail.ok:
        raise CorruptError(f"{path}: {trail.problems[0]}", remedy=_REMEDY)
    return Content(rows, trail.entries)


def _check_pages(path: Path, key: str) -> None:
    try:
        with closing(open_frozen(path, key)) as connection:
            found = next(damages(connection), None)
    except apsw.Error as error:
        raise translate(error, str(path)) from error
    if found:
        raise CorruptError(f"{path} is damaged: {found}", remedy=_REMEDY)

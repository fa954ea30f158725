"""The baseline of writing: the statements of Erstwhile, replayed through plain apsw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import apsw

from bench.corpus import open_memory
from erstwhile import Memory
from erstwhile.engines.sqlite.connection import connect
from erstwhile.engines.sqlite.location import Location

Statement: TypeAlias = tuple[str, Any]


def record(path: Path, work: Callable[[Memory], object]) -> list[Statement]:
    """Return every statement that `work` runs, with its bindings, BEGIN and COMMIT included."""
    seen: list[Statement] = []

    def note(_: apsw.Cursor, statement: str, bindings: apsw.Bindings | None) -> bool:
        seen.append((statement, bindings))
        return True

    with _traced(note), open_memory(path) as memory:
        seen.clear()
        work(memory)
        return list(seen)


@contextmanager
def replaying(path: Path, synchronous: str) -> Iterator[Callable[[list[Statement]], None]]:
    """Create a file with our schema and pragmas; yield a function that runs statements on it."""
    open_memory(path).close()
    with closing(connect(Location(str(path)), synchronous=synchronous, patience=1)) as connection:
        execute = connection.cursor().execute

        def replay(statements: list[Statement]) -> None:
            for statement, bindings in statements:
                execute(statement, bindings).fetchall()

        yield replay


@contextmanager
def _traced(note: Callable[[apsw.Cursor, str, apsw.Bindings | None], bool]) -> Iterator[None]:
    def hook(connection: apsw.Connection) -> None:
        connection.exec_trace = note

    apsw.connection_hooks.append(hook)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(hook)

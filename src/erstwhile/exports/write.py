"""Write an export to a file that only its owner can read. It gets its name when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO

from erstwhile.core.errors import ConflictError, StorageError
from erstwhile.core.ports import Engine, Session
from erstwhile.core.unfinished_files import unfinished
from erstwhile.engines.sqlite import folders
from erstwhile.exports.export import Export, Exported, Progress
from erstwhile.exports.markdown import write_markdown
from erstwhile.exports.selection import Selection


class ExportFormat(StrEnum):
    """The formats of an export."""

    JSONL = "jsonl"
    """Everything, line by line, for an import."""
    MARKDOWN = "markdown"
    """Live facts and blocks, for people to read."""


@dataclass(frozen=True, slots=True)
class Writing:
    """What is exported, and how."""

    selection: Selection
    form: ExportFormat
    vectors: bool
    now: int
    progress: Progress

    def to_file(self, engine: Engine, target: Path) -> Exported:
        """Write one snapshot to a new file."""
        with _whole(target) as file:
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
def _whole(target: Path) -> Iterator[IO[str]]:
    """Open a file for writing; rename it to `target` at the end, if nothing failed."""
    _check_new(target)
    try:
        with unfinished(target) as path:
            path.touch(0o600, exist_ok=False)
            with path.open("w", encoding="utf-8", newline="\n") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            _name(path, target)
        folders.sync(target.parent)
    except OSError as error:
        raise StorageError(
            f"{target} cannot be written ({error.strerror})",
            remedy="check the folder, its permissions and the space on its disk",
        ) from error


def _name(path: Path, target: Path) -> None:
    """Rename a file. Another export may have got the name meanwhile."""
    _check_new(target)
    path.rename(target)


def _check_new(target: Path) -> None:
    if target.exists():
        raise ConflictError(f"{target} is there already", remedy="name a new file")

"""Public functions on whole memories, given by their location."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from os import PathLike, fspath
from pathlib import Path
from typing import Unpack

from erstwhile.core.arguments import checked_arguments, shown_location
from erstwhile.core.errors import InvalidInputError, NotFoundError
from erstwhile.core.kinds import choice
from erstwhile.core.ports import Engine, unseen
from erstwhile.core.scope import Dimensions, Scope, named_dimensions
from erstwhile.core.settings import Settings, load_settings, read_key
from erstwhile.core.time import SystemClock, parse_age
from erstwhile.engines.selection import engine_at
from erstwhile.engines.sqlite.pages import rekey_file
from erstwhile.model_factories import embedder_factory, llm_factory
from erstwhile.operations.backup import Restoring, back_up, verify
from erstwhile.operations.copy import copy as copied
from erstwhile.operations.doctor import examine
from erstwhile.operations.export import ExportFormat, write_export
from erstwhile.operations.full_access import full_access
from erstwhile.operations.import_ import import_lines
from erstwhile.operations.import_staging import read_header
from erstwhile.operations.repair import rebuilt, recover
from erstwhile.operations.results import (
    Backup,
    Copied,
    Diagnosis,
    Exported,
    Imported,
    RecoveredRows,
    Repaired,
    Restored,
)


@checked_arguments
def copy(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    source_space: str | None = None,
    target_space: str | None = None,
    trust_permissions: bool = False,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Copied:
    """Copy a whole memory from one file or server to another, and compare the two.

    The source can be used meanwhile. A second run continues an interrupted copy, or updates an
    older one. Refuse a target that holds another memory. People's permissions count only if
    you pass `trust_permissions`.
    """
    chosen = settings or load_settings()
    _check_distinct((fspath(source), source_space), (fspath(target), target_space))
    with (
        closing(engine_at(fspath(source), _in_space(chosen, source_space), create=False)) as here,
        closing(engine_at(fspath(target), _in_space(chosen, target_space))) as there,
    ):
        return copied(here, there, progress or unseen, trust_permissions=trust_permissions)


@checked_arguments
def backup(
    source: str | PathLike[str],
    folder: str | PathLike[str],
    *,
    space: str | None = None,
    keep: int | None = None,
    keep_for: timedelta | str | None = None,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Backup:
    """Write a verified backup of a memory into a folder, while others use the memory.

    A backup is a file with one snapshot of the whole memory. Afterwards remove older backups of
    this memory, except the newest `keep`, and those made within the last `keep_for`.
    """
    now = SystemClock().now()
    since = None if keep_for is None else parse_age(keep_for, now=now, name="keep_for")
    if keep is not None and (isinstance(keep, bool) or keep < 1):
        raise InvalidInputError(f"keep cannot be {keep!r}", remedy="keep at least one backup")
    with _existing_memory(source, settings, space) as engine:
        name = engine.space if "://" in fspath(source) else Path(fspath(source)).stem
        to = Path(folder).expanduser().resolve()
        return back_up(engine, to, name, now, keep, since, progress or unseen)


@checked_arguments
def restore(
    backup: str | PathLike[str],
    target: str | PathLike[str],
    *,
    space: str | None = None,
    overwrite: bool = False,
    trust_permissions: bool = False,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Restored:
    """Restore a backup to a file or a server, after checking the backup.

    Refuse a target that holds a memory, unless `overwrite` is true: then save that memory beside
    the target first, or, from a server, beside the backup.
    People's permissions in it count only if you pass `trust_permissions`.
    """
    file, place = Path(backup).expanduser().resolve(), _checked_location(target)
    _check_distinct((str(_existing(file, "backup")), None), (place, space))
    chosen, now = settings or load_settings(), SystemClock().now()
    key, report = read_key(chosen.key), progress or unseen
    restoring = Restoring(file, now, report, overwrite, trust_permissions, key)
    if "://" not in place:
        return restoring.to_file(Path(place).expanduser().resolve())
    with closing(engine_at(place, _in_space(chosen, space))) as engine:
        return restoring.to_space(engine)


@checked_arguments
def export(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    space: str | None = None,
    format: str = "jsonl",
    vectors: bool = False,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
    **scope: Unpack[Dimensions],
) -> Exported:
    """Write one snapshot of a memory to a new file: all of it, or a scope with all narrower ones.

    With `user`, write what a person has under all their names. The format "jsonl" has every record
    with its history, for an import, and with `vectors` also the vectors; "markdown" has the live
    facts and the blocks, for people to read.
    """
    form = choice(ExportFormat, format, name="format")
    with _existing_memory(source, settings, space) as engine:
        return write_export(
            full_access(engine),
            Scope().narrowed(**named_dimensions(scope, "export")),
            Path(target).expanduser().resolve(),
            form=form,
            vectors=vectors,
            progress=progress or unseen,
        )


@checked_arguments
def import_file(
    file: str | PathLike[str],
    target: str | PathLike[str],
    *,
    space: str | None = None,
    preview: bool = False,
    trust_permissions: bool = False,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Imported:
    """Import an export into a memory, which may be new. With `preview`, only check the file.

    Each scope is imported as a whole, with its ids, times and audit chain, or not at all.
    Importing a file again changes nothing, and an interrupted import continues.
    People's permissions in it count only if you pass `trust_permissions`.
    """
    chosen, place = _in_space(settings or load_settings(), space), _checked_location(target)
    source = Path(file).expanduser().resolve()
    read_header(source)  # a file that is no export creates no memory
    if preview and "://" not in place and not Path(place).expanduser().exists():
        place = ":memory:"
    with closing(engine_at(place, chosen)) as engine:
        return import_lines(
            source,
            full_access(engine),
            progress or unseen,
            preview=preview,
            trust_permissions=trust_permissions,
        )


@checked_arguments
def doctor(
    location: str | PathLike[str] | None = None,
    *,
    models: bool = True,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> Diagnosis:
    """Examine a memory, and name a remedy for each problem. Opens it read-only.

    Check the file, its mode and the disk, the schema, the audit trail, the search index, vectors,
    queues and times. With `models` also call the embedder and the language model once each.
    """
    chosen = settings or load_settings()
    place = _checked_location(chosen.location if location is None else location)
    file = None if "://" in place else _existing(_file_at(place))
    reading = place if file is None else f"{file.as_uri()}?mode=ro"
    found = examine(
        lambda: engine_at(reading, chosen, create=False),
        file,
        lambda: read_key(chosen.key),
        embedder_factory(None, chosen) or (lambda: None),
        llm_factory(None, chosen) if models else None,
        progress or (lambda _check: None),
    )
    return replace(found, location=shown_location(place))


@checked_arguments
def repair(
    location: str | PathLike[str] | None = None,
    *,
    into: str | PathLike[str] | None = None,
    settings: Settings | None = None,
    progress: Callable[[str], None] | None = None,
) -> Repaired:
    """Rebuild derived data: search index, queue of vectors, counters.

    With `into`, recover a damaged file: copy every row that can be read into a new file, and
    rebuild there. The damaged file is never changed. Report the lost rows of each table.
    """
    chosen, report = settings or load_settings(), progress or (lambda _step: None)
    place = _checked_location(chosen.location if location is None else location)
    recovered: tuple[RecoveredRows, ...] = ()
    if into is not None:
        file, place = _existing(_file_at(place)), str(_file_at(_checked_location(into)))
        recovered = recover(file, Path(place), report, read_key(chosen.key))
    with closing(engine_at(place, chosen, create=False)) as engine:
        return rebuilt(engine, SystemClock(), place, recovered, report)


@checked_arguments
def rekey(location: str | PathLike[str], *, old_key: str = "", new_key: str = "") -> None:
    """Encrypt a file, decrypt it, or change its key. The file must not be in use.

    `old_key` and `new_key` say where a key is, as the setting `key` does; an empty one means that
    the file is not encrypted. The old file stays until the new one was checked.
    """
    file = _existing(_file_at(_checked_location(location)))
    rekey_file(file, read_key(old_key), read_key(new_key), verify)


@checked_arguments
def distribute(database: str, *, settings: Settings | None = None) -> list[str]:
    """Distribute a PostgreSQL database over a Citus cluster; return the tables that were new."""
    if not database.startswith(("postgresql://", "postgres://")):
        raise InvalidInputError("only PostgreSQL can be distributed", remedy="give postgresql://…")
    chosen = settings or load_settings()
    engine_at(database, chosen).close()  # opening applies the migrations
    from erstwhile.engines.postgres.citus.distribution import distribute as distributed

    return distributed(database, busy_timeout=chosen.busy_timeout)


def _checked_location(place: str | PathLike[str]) -> str:
    """Return the location; raise InvalidInputError for a memory without a file."""
    if fspath(place) == ":memory:" or fspath(place).startswith("file:"):
        raise InvalidInputError(
            f"{fspath(place)} is not the path of a file, nor the address of a database",
            remedy="give the path of a file, or postgresql://…",
        )
    return fspath(place)


def _file_at(place: str) -> Path:
    if "://" in place:
        raise InvalidInputError("only a file can be used here", remedy="give the path of a file")
    return Path(place).expanduser().resolve()


def _existing(file: Path, what: str = "memory") -> Path:
    if not file.is_file():
        raise NotFoundError(f"there is no {what} at {file}", remedy="check the path")
    return file


def _existing_memory(
    place: str | PathLike[str], settings: Settings | None, space: str | None
) -> closing[Engine]:
    chosen = _in_space(settings or load_settings(), space)
    return closing(engine_at(_checked_location(place), chosen, create=False))


def _in_space(settings: Settings, space: str | None) -> Settings:
    return settings if space is None else replace(settings, space=space)


def _check_distinct(*places: tuple[str, str | None]) -> None:
    resolved = {
        (place, space) if "://" in place else (str(Path(place).expanduser().resolve()), None)
        for place, space in places
    }
    if len(resolved) == 1:
        raise InvalidInputError("a memory cannot be copied onto itself", remedy="give two places")

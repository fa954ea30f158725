"""The choice of the engine for a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from erstwhile.core.arguments import own_store
from erstwhile.core.errors import InvalidInputError
from erstwhile.core.installing import install_extra
from erstwhile.core.settings import Settings, read_key
from erstwhile.core.text import check_storable

if TYPE_CHECKING:
    from erstwhile.core.ports import Engine

_MAX_PATH = 10_000


def engine_at(place: str, settings: Settings, *, create: bool = True) -> Engine:
    """Return the engine for a location. Raise InvalidInputError, or RefusedError, if there is none.

    Without `create`, raise NotFoundError for a file that does not exist.
    """
    check_storable(own_store(place), "the location", _MAX_PATH)
    scheme, named, _ = place.partition("://")
    if not named or scheme == "file":
        return _sqlite(place, settings, create=create)
    if scheme in ("postgresql", "postgres"):
        return _postgres(place, settings)
    raise InvalidInputError(
        f"{scheme} is not an engine of this version",
        remedy="give a file's path, ':memory:' or postgresql://…",
    )


def _sqlite(place: str, settings: Settings, *, create: bool) -> Engine:
    # Imported here: only the chosen engine is loaded.
    from erstwhile.engines.sqlite.engine import SPACE, SqliteEngine

    if settings.space != SPACE:
        raise InvalidInputError(
            f"a file is one space, and has no space {settings.space!r}",
            remedy="give each space a file of its own, or use PostgreSQL",
        )
    return SqliteEngine(
        place,
        create=create,
        synchronous=settings.synchronous,
        busy_timeout=settings.busy_timeout,
        key=read_key(settings.key),
    )


def _postgres(place: str, settings: Settings) -> Engine:
    try:
        from erstwhile.engines.postgres.engine import PostgresEngine
    except ImportError as error:
        raise InvalidInputError(
            "PostgreSQL needs packages that are not installed",
            remedy=f"install them with: {install_extra('postgres')}",
        ) from error
    return PostgresEngine(
        place,
        space=settings.space,
        connections=settings.connections,
        busy_timeout=settings.busy_timeout,
        statement_timeout=settings.statement_timeout,
    )

"""Mark what people decided in a file that nobody vouches for, before it becomes a memory."""

from __future__ import annotations

import apsw

from erstwhile.copying.tables import statements
from erstwhile.engines.sqlite.engine import SPACE

_SQL = statements("sqlite")


def mark_unvouched(file: apsw.Connection) -> int:
    """Mark the word of people in a file; return how many permissions allow nothing from now on."""
    file.execute(_SQL["unvouch",], {"space": SPACE}).fetchall()
    return unvouched_in(file)


def unvouched_in(file: apsw.Connection) -> int:
    """Return how many permissions of people in a file nobody vouches for."""
    [(count,)] = file.execute(_SQL["unvouched_permissions",], {"space": SPACE})
    return int(count)

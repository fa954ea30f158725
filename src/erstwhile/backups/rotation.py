"""The names of backups, and which of them are old enough to go.

A name does not tell whose backup a file is: two memories may have the same name. So a backup goes
only if the new one has every change that it has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from erstwhile.backups.ancestry import is_earlier_state
from erstwhile.core.errors import InvalidInputError

_STAMP = "%Y%m%dT%H%M%S%fZ"
_SUFFIX = ".db"


@dataclass(frozen=True, slots=True)
class Kept:
    """Which backups stay: the newest `number` of them, and those made after `since`."""

    number: int | None = None
    since: datetime | None = None

    def __post_init__(self) -> None:
        if self.number is not None and (isinstance(self.number, bool) or self.number < 1):
            raise InvalidInputError(
                f"keep cannot be {self.number!r}", remedy="keep at least one backup"
            )


def backup_name(name: str, made_at: datetime) -> str:
    return f"{name}.{made_at.astimezone(UTC).strftime(_STAMP)}{_SUFFIX}"


def list_backups(folder: Path, name: str) -> list[tuple[datetime, Path]]:
    """Return the backups of one memory in a folder, oldest first. Other files do not count."""
    named = re.compile(rf"{re.escape(name)}\.(\d{{8}}T\d{{12}}Z){re.escape(_SUFFIX)}")
    found = ((named.fullmatch(path.name), path) for path in folder.iterdir())
    times = ((_made_at(match[1]), path) for match, path in found if match)
    return sorted((made_at, path) for made_at, path in times if made_at)


def rotate(name: str, newest: Path, kept: Kept, key: str = "") -> tuple[Path, ...]:
    """Remove the backups that need not stay beside the newest one, and return them.

    What has a later time in its name stays: it was made with a wrong clock, or is no backup. So
    does what holds something that the newest backup does not hold.
    """
    if kept == Kept():
        return ()
    older = [
        (made_at, path)
        for made_at, path in list_backups(newest.parent, name)
        if path.name < newest.name and is_earlier_state(path, newest, key)
    ]
    gone = tuple(
        path
        for place, (made_at, path) in enumerate(reversed(older), start=1)
        if _is_old(kept, place, made_at)
    )
    for path in gone:
        path.unlink(missing_ok=True)
    return gone


def _is_old(kept: Kept, place: int, made_at: datetime) -> bool:
    """Return whether a backup exceeds the number, or the age."""
    exceeds = kept.number is not None and place >= kept.number
    return exceeds or (kept.since is not None and made_at < kept.since)


def _made_at(stamp: str) -> datetime | None:
    """Return the time in a name, or None if there is no such time."""
    try:
        return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None
